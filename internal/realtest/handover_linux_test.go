package realtest

import (
	"slices"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

// atOnce is the promise: how long after an agent's first word of a limit another one
// may work.
const atOnce = 10 * time.Second

// An agent that is turned away for two hours, and would try again by itself, is ended as
// limited until then, with the settings that are built in. That counts for nothing, and
// another agent does the work meanwhile.
func TestATwoHourLimitIsHandedOn(t *testing.T) {
	eachOf(t, slices.Concat(recipes, others), only("opencode", "qwen", "pi"), func(t *testing.T, r recipe) {
		w := newWorld(t, r)
		w.limited()
		run := w.run(append([]string{"-n", "1", "--until", "DONE"}, standIn...)...)
		run.exits(0)
		if got := limitCame(run.first()); got != fine {
			t.Errorf("the limit came as %q, want %q: %+v", got, fine, run.first().Outcome)
		}
		if got := w.standInCame(); got != fine {
			t.Errorf("of the other agent came %q", got)
		}
		began, word := w.standInBegan(), w.firstWord()
		if took := began.Sub(word); took > atOnce {
			t.Errorf("another agent worked %v after the first word of a limit, want it within %v", took, atOnce)
		}
	})
}

// firstWord is when the first attempt first told of a limit, or that it tries again.
func (w *world) firstWord() time.Time {
	w.Helper()
	var events []loop.Event
	for e, err := range journal.AttemptEvents(w.attemptDir(1)) {
		if err != nil {
			w.Fatal(err)
		}
		events = append(events, e)
	}
	for _, e := range append(events, w.journal()...) {
		switch e.Payload.(type) {
		case *loop.AgentRetry, *loop.AgentLimit:
			return e.Time
		}
	}
	w.Fatal("no word of a limit")
	return time.Time{}
}

// standInBegan is when the second attempt began.
func (w *world) standInBegan() time.Time {
	w.Helper()
	for _, e := range w.journal() {
		if p, ok := e.Payload.(*loop.AgentStarted); ok && p.Agent == "standin" {
			return e.Time
		}
	}
	w.Fatal("no other agent began")
	return time.Time{}
}
