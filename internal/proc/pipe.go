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
}

const (
	// readSize is what a pipe usually holds.
	readSize = 64 << 10

	// pipeMax is the most that a pipe holds, unless an administrator has
	// allowed more.
	pipeMax = 1 << 20
)

// pipe is our end of one of the process's streams.
type pipe struct{ *os.File }

// feed writes the input and closes the stream. A process that does not read
// it, or not all of it, has its reasons: that is no error.
func (p pipe) feed(input io.Reader) {
	if p.File == nil {
		return
	}
	_, _ = io.Copy(p, input)
	p.Close()
}

// drain reads the stream to its end, or until stop has given it up.
func (p pipe) drain(sink Sink, pulse *pulse) {
	defer p.Close()
	lines := lines{max: MaxLine, line: sink.Line}
	take := func(data []byte) {
		pulse.heard(+1)
		defer pulse.heard(-1)
		if sink.Raw != nil {
			_, _ = sink.Raw.Write(data)
		}
		lines.write(data)
	}

	buf := make([]byte, readSize)
	for {
		n, err := p.Read(buf)
		if n > 0 {
			take(buf[:n])
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			p.rest(buf, take)
		}
		if err != nil {
			break
		}
	}
	lines.end()
}

// rest takes what still stands in a pipe that is given up. When the sink was
// slow, the process's own last words may be among it. It ends after what a pipe
// can hold: more than that was not written by the process, but by whoever holds
// the pipe after it.
func (p pipe) rest(buf []byte, take func([]byte)) {
	for left := pipeMax; left > 0; {
		n := readNow(p.File, buf[:min(left, len(buf))])
		if n == 0 {
			return
		}
		take(buf[:n])
		left -= n
	}
}
