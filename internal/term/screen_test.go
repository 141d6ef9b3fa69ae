package term

import (
	"strings"
	"sync"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// screen is a terminal that knows the two controls the live output may use,
// and colours. Anything else fails the test.
type screen struct {
	t     *testing.T
	width int
	after func() // called after each write

	mu     sync.Mutex
	rows   []string // the last one is where the cursor is
	column int      // in characters
}

func newScreen(t *testing.T, width int) *screen {
	return &screen{t: t, width: width, rows: []string{""}}
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	for text := string(p); text != ""; {
		seq, _, n, _ := ansi.DecodeSequence(text, ansi.NormalState, nil)
		s.put(seq)
		text = text[n:]
	}
	s.mu.Unlock()
	if s.after != nil {
		s.after()
	}
	return len(p), nil
}

func (s *screen) put(seq string) {
	row := &s.rows[len(s.rows)-1]
	switch {
	case seq == "\n":
		s.newRow()
	case seq == "\r":
		s.column = 0
	case seq == "\x1b[K":
		*row = string([]rune(*row)[:s.column])
	case strings.HasPrefix(seq, "\x1b[") && strings.HasSuffix(seq, "m"):
	case len(seq) > 0 && (seq[0] < ' ' || seq[0] == 0x7f):
		s.t.Errorf("the terminal was sent %q", seq)
	default:
		if s.column >= s.width {
			s.newRow()
			row = &s.rows[len(s.rows)-1]
		}
		before := []rune(*row)
		if s.column < len(before) {
			s.t.Errorf("%q was written over %q", seq, *row)
		}
		*row += seq
		s.column = len([]rune(*row))
	}
}

func (s *screen) newRow() {
	s.rows = append(s.rows, "")
	s.column = 0
}

// past is what has scrolled by; bottom is where the cursor is.
func (s *screen) past() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.rows[:len(s.rows)-1], "\n")
}

func (s *screen) bottom() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rows[len(s.rows)-1]
}

func (s *screen) String() string { return s.past() + "\n" + s.bottom() }
