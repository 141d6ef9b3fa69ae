package gate

import (
	"bytes"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/text"
)

func TestOutputKeepsItsEnd(t *testing.T) {
	o := newOutput(nil)
	for range 3000 {
		o.line(bytes.Repeat([]byte("x"), 99), false)
	}
	o.line([]byte("the last"), false)
	got := o.end()
	if len(got) > tailSize || !strings.HasSuffix(got, "\nthe last") {
		t.Errorf("end is %d bytes and ends with %q", len(got), text.Last(got, 20))
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(got, "\nthe last"), "\n") {
		if len(line) != 99 {
			t.Errorf("a line of %d bytes is not whole", len(line))
		}
	}
}

func TestOutputIsBounded(t *testing.T) {
	o := newOutput(nil)
	piece := bytes.Repeat([]byte("ab"), 1<<20)
	for range 8 {
		o.line(piece, true)
	}
	o.line([]byte("end"), false)
	if n := cap(o.head) + cap(o.tail); n > 8*keptSize {
		t.Errorf("%d bytes are held", n)
	}
	if got := o.end(); len(got) > tailSize || !strings.HasPrefix(got, "…") || !strings.HasSuffix(got, "abend") {
		t.Errorf("end of one long line = %d bytes, %q", len(got), text.Last(got, 20))
	}
}
