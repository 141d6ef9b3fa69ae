package term

import (
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

func TestJSONIsOneEventPerLine(t *testing.T) {
	s := begin(10, 0).tell(build(loop.Limits{Iterations: 1})).
		in(1, 1, &loop.IterationStarted{Max: 1}, &loop.AgentText{Text: "two\nlines"}).
		tell(finished(loop.Done, loop.ByPromise, "promise found"))
	var b strings.Builder
	s.show(JSON(&b))
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(lines) != len(s.events) {
		t.Fatalf("%d lines for %d events:\n%s", len(lines), len(s.events), b.String())
	}
	for i, line := range lines {
		got, err := journal.Decode([]byte(line))
		if err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		if want := s.events[i]; got.Seq != want.Seq || got.Type() != want.Type() {
			t.Errorf("line %d is event %d, %s; want %d, %s", i+1, got.Seq, got.Type(), want.Seq, want.Type())
		}
	}
}
