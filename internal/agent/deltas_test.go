package agent

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/refrain-loop/refrain/internal/loop"
)

// However a text is cut into pieces, the same lines come out.
func TestDeltasMakeWholeLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOf(rapid.StringMatching(`[ab\n]{0,4}`)).Draw(t, "pieces")
		var d deltas
		var r report
		for _, piece := range pieces {
			d.add(&r, piece)
		}
		d.flush(&r)
		var texts []string
		for _, p := range r.take() {
			texts = append(texts, p.(*loop.AgentText).Text)
		}
		want := strings.TrimSuffix(strings.Join(pieces, ""), "\n")
		if got := strings.Join(texts, "\n"); got != want {
			t.Errorf("pieces %q give %q, want %q", pieces, got, want)
		}
	})
}

func TestDeltasBoundALine(t *testing.T) {
	const claim = "<promise>DONE</promise>"
	var d deltas
	var r report
	for range 3 {
		d.add(&r, strings.Repeat("é", maxLine/4))
	}
	d.add(&r, claim+"\nshort")
	d.flush(&r)
	got := r.take()
	if len(got) != 2 {
		t.Fatalf("a long line and a short one give %d texts, want 2", len(got))
	}
	long, short := got[0].(*loop.AgentText), got[1].(*loop.AgentText)
	if len(long.Text) != maxLine || !long.Cut || strings.Contains(long.Text, claim) {
		t.Errorf("the long line has %d bytes, cut %v; want its first %d", len(long.Text), long.Cut, maxLine)
	}
	if short.Text != "short" || short.Cut {
		t.Errorf("the line after it is %+v, want it whole", short)
	}
}
