package journal

import (
	"bytes"
	"fmt"
	"io"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/seal"
)

// Strange is what a reader of a journal has passed over: lines that are no
// events. One of them is no reason to lose all the others.
type Strange struct {
	Count int
	Line  int // the first of them, from 1

	// Forged is how many are events that no runner wrote. They are not believed.
	Forged     int
	ForgedLine int    // the first of them
	What       string // what that is
}

// Any tells whether something was passed over.
func (s Strange) Any() bool { return s.Count+s.Forged > 0 }

// String says it to people; it is empty when there is nothing to say.
func (s Strange) String() string {
	if s.Forged > 0 {
		return fmt.Sprintf("line %d of %s, %s, was not written by a runner, and is not believed", s.ForgedLine, journalName, s.What)
	}
	switch s.Count {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("line %d of %s cannot be read and is passed over", s.Line, journalName)
	}
	return fmt.Sprintf("%d lines of %s cannot be read and are passed over; the first is line %d", s.Count, journalName, s.Line)
}

// maxStarts is how often an event is looked for in a strange line. In an honest
// one there is a half line before it, and who writes others is not to keep us.
const maxStarts = 4

// decodeLine reads a line. When something without an end of its own stands
// before the event, it gives the event all the same, and whole is false.
func decodeLine(text []byte) (e loop.Event, whole bool, err error) {
	e, err = Decode(text)
	if err == nil {
		return e, true, nil
	}
	rest := text
	for range maxStarts {
		i := bytes.Index(rest[min(1, len(rest)):], []byte(seal.EventStart))
		if i < 0 {
			break
		}
		rest = rest[i+1:]
		if e, err := Decode(rest); err == nil {
			return e, false, nil
		}
	}
	return loop.Event{}, false, err
}

// lineAt is the number of the line that begins at an offset.
func lineAt(r io.ReaderAt, offset int64) (int, error) {
	line, block := 1, make([]byte, 64<<10)
	for from := io.NewSectionReader(r, 0, offset); ; {
		n, err := from.Read(block)
		line += bytes.Count(block[:n], []byte("\n"))
		if err == io.EOF {
			return line, nil
		}
		if err != nil {
			return 0, err
		}
	}
}
