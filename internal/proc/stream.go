package proc

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// Sink takes what comes on one stream.
type Sink struct {
	// Raw gets every byte as it came, before its line is handed on. Its errors
	// are ignored, since a process must not hang because a disk is full.
	Raw io.Writer

	// Line gets one line without its newline. A line longer than MaxLine comes
	// in pieces: more is true for all but the last. The slice is only valid
	// during the call.
	Line func(line []byte, more bool)

	// Pause is called when everything that was read has been handed on, so that
	// what came in one piece can be dealt with in one piece.
	Pause func()
}

// stream is our end of what the process prints.
type stream interface {
	io.ReadCloser
	stop()  // the process is gone: the end of the stream comes soon
	widen() // the process writes fast: more of it is to fit
}

const (
	// readSize is what a pipe usually holds, and floodSize what one is to hold whose
	// writer is faster than we are: the two then wait for each other less often.
	readSize  = 64 << 10
	floodSize = 256 << 10

	// pipeMax is the most that a pipe holds, unless an administrator has
	// allowed more.
	pipeMax = 1 << 20
)

// Most processes say little, and their streams share buffers with those before them.
var (
	quietBuffers = sync.Pool{New: func() any { return new([readSize]byte) }}
	floodBuffers = sync.Pool{New: func() any { return new([floodSize]byte) }}
)

// drain reads the stream to its end.
func drain(s stream, sink Sink, output *lastOutput) {
	defer s.Close()
	lines := lines{max: MaxLine, line: sink.Line}
	quiet := quietBuffers.Get().(*[readSize]byte)
	defer quietBuffers.Put(quiet)
	buf := quiet[:]
	for {
		n, err := s.Read(buf)
		if n > 0 {
			output.heard(+1)
			if sink.Raw != nil {
				_, _ = sink.Raw.Write(buf[:n])
			}
			lines.write(buf[:n])
			sink.pause()
			output.heard(-1)
		}
		if n == readSize && len(buf) == readSize { // it was full
			flood := floodBuffers.Get().(*[floodSize]byte)
			defer floodBuffers.Put(flood)
			buf = flood[:]
			s.widen()
		}
		if err != nil {
			break
		}
	}
	lines.end()
	sink.pause()
}

func (s Sink) pause() {
	if s.Pause != nil {
		s.Pause()
	}
}

// pipe is a stream that somebody may hold open for longer than we care.
type pipe struct {
	*os.File
	givenUp bool
	left    int // to be read after it was given up
}

func newPipe() (stream, *os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	return &pipe{File: r}, w, nil
}

// widen asks for a pipe that holds as much as is read at once. The system may say
// no: then it is read in smaller pieces.
func (p *pipe) widen() { widenPipe(p.File, floodSize) }

// Read ends when stop has given the pipe up and what then still stood in it was
// read. When the sink was slow, the process's own last words may be among it.
// It ends after what a pipe can hold: more than that was not written by the
// process, but by whoever holds the pipe after it.
func (p *pipe) Read(buf []byte) (int, error) {
	if !p.givenUp {
		n, err := p.File.Read(buf)
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		p.givenUp, p.left = true, pipeMax
	}
	n := readNow(p.File, buf[:min(p.left, len(buf))])
	if n == 0 {
		return 0, io.EOF
	}
	p.left -= n
	return n, nil
}

const (
	// followPause is how often a file that does not grow is looked at: often
	// enough to be called live.
	followPause = 20 * time.Millisecond

	// followFree is how much is read before its space is given back.
	followFree = 8 << 20
)

// follower reads a file while it grows. What was read is cut out of the file
// where the system can do that, so that a flood does not fill the disk.
type follower struct {
	*os.File
	name  string
	read  int64
	freed int64
	end   int64 // set before gone is closed: where what the process wrote ends
	gone  chan struct{}
}

func newFollower() (stream, *os.File, error) {
	ours, err := os.CreateTemp("", "refrain-stdout-*")
	if err != nil {
		return nil, nil, err
	}
	// Everyone who writes adds at the end, as on a pipe.
	theirs, err := os.OpenFile(ours.Name(), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		closeAll(ours)
		return nil, nil, errors.Join(err, os.Remove(ours.Name()))
	}
	f := &follower{File: ours, name: ours.Name(), gone: make(chan struct{})}
	if nameless {
		if err := os.Remove(f.name); err != nil {
			closeAll(ours, theirs)
			return nil, nil, fmt.Errorf("take the name off the file for stdout: %w", err)
		}
	}
	return f, theirs, nil
}

func (f *follower) Read(buf []byte) (int, error) {
	for {
		n, err := f.File.Read(buf)
		if n > 0 {
			f.read += int64(n)
			f.free()
			return n, nil
		}
		if !errors.Is(err, io.EOF) {
			return 0, err
		}
		select {
		case <-f.gone:
			if f.read >= f.end {
				return 0, io.EOF
			}
		case <-time.After(followPause):
		}
	}
}

func (f *follower) free() {
	if f.read-f.freed >= followFree {
		punchHole(f.File, f.freed, f.read-f.freed)
		f.freed = f.read
	}
}

// stop notes how far to read: a stranger that still holds the file could write
// for ever.
func (f *follower) stop() {
	if info, err := f.Stat(); err == nil {
		f.end = info.Size()
	}
	close(f.gone)
}

// widen has nothing to do: a file holds all of it.
func (*follower) widen() {}

func (f *follower) Close() error {
	err := f.File.Close()
	if !nameless {
		err = errors.Join(err, os.Remove(f.name))
	}
	return err
}
