package proc

import (
	"bytes"
	"errors"
	"io"
)

// MaxLine is the longest line that is handed on in one piece.
const MaxLine = 4 << 20

// lines cuts a stream into lines, holding no more than max bytes of it.
type lines struct {
	max  int
	line func(line []byte, more bool)
	held []byte // the beginning of a line whose end has not come
}

func (l *lines) write(data []byte) {
	if l.line == nil {
		return
	}
	for len(data) > 0 {
		line, rest, whole := bytes.Cut(data, newline)
		l.add(line, whole)
		data = rest
	}
}

var newline = []byte{'\n'}

// add takes a part of the current line. A full piece is handed on only when a
// byte comes after it, so that the last piece is never empty.
func (l *lines) add(part []byte, whole bool) {
	for len(l.held)+len(part) > l.max {
		n := l.max - len(l.held)
		l.hand(part[:n], true)
		part = part[n:]
	}
	if whole {
		l.hand(part, false)
		return
	}
	l.held = append(l.held, part...)
}

// hand gives on what is held and what comes after it.
func (l *lines) hand(part []byte, more bool) {
	if len(l.held) == 0 { // the usual case: nothing to copy
		l.line(part, more)
		return
	}
	l.held = append(l.held, part...)
	l.line(l.held, more)
	l.held = l.held[:0]
}

// end hands on a last line that has no newline.
func (l *lines) end() {
	if len(l.held) > 0 {
		l.hand(nil, false)
	}
}

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
