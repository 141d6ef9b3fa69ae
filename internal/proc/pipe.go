package proc

import (
	"errors"
	"io"
	"os"
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
	stop() // the process is gone: the end of the stream comes soon
}

const (
	// readSize is what a pipe usually holds.
	readSize = 64 << 10

	// pipeMax is the most that a pipe holds, unless an administrator has
	// allowed more.
	pipeMax = 1 << 20
)

// feed writes the input and closes the stream. A process that does not read
// it, or not all of it, has its reasons: that is no error.
func feed(stdin *os.File, input io.Reader) {
	if stdin == nil {
		return
	}
	_, _ = io.Copy(stdin, input)
	stdin.Close()
}

// drain reads the stream to its end.
func drain(s stream, sink Sink, pulse *pulse) {
	defer s.Close()
	lines := lines{max: MaxLine, line: sink.Line}
	buf := make([]byte, readSize)
	for {
		n, err := s.Read(buf)
		if n > 0 {
			pulse.heard(+1)
			if sink.Raw != nil {
				_, _ = sink.Raw.Write(buf[:n])
			}
			lines.write(buf[:n])
			sink.pause()
			pulse.heard(-1)
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
