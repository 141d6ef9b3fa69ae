package proc

import (
	"errors"
	"io"
)

// Lines hands on what r holds as Run hands on the output of a process, so that
// a transcript is read again just as it was read live.
func Lines(r io.Reader, line func(line []byte, more bool)) error {
	l := lines{max: MaxLine, line: line}
	buf := make([]byte, 64<<10)
	for {
		n, err := r.Read(buf)
		l.write(buf[:n])
		if errors.Is(err, io.EOF) {
			l.end()
			return nil
		}
		if err != nil {
			return err
		}
	}
}
