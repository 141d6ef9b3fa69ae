package dispatch

import (
	"context"
	"time"

	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/text"
)

// watched tells of each leg when it begins and when it ends. Without Legs there are
// none.
type watched struct {
	fleet.Legs
	log *log
}

func (w *watched) Run(ctx context.Context, t fleet.Turn, h fleet.Hooks) (fleet.Standing, error) {
	begun := time.Now()
	name := text.Line(t.Spec.Name)
	w.log.say("%s: leg %d begins, of %s", name, t.Leg, text.Line(t.Spec.Remote))
	s, err := w.Legs.Run(ctx, t, h)
	took := text.Seconds(time.Since(begun))
	switch {
	case err != nil:
		w.log.say("%s: leg %d came to nothing after %s: %s", name, t.Leg, took, text.Line(err.Error()))
	case s.Taken && s.Away:
		w.log.say("%s: leg %d is over after %s: a person has fetched the run", name, t.Leg, took)
	case s.Taken:
		w.log.say("%s: leg %d is over after %s: another worker has the run", name, t.Leg, took)
	case s.Failed:
		w.log.say("%s: leg %d came to nothing after %s, and waits for a person: %s", name, t.Leg, took, text.Line(s.Why))
	case s.Stuck:
		w.log.say("%s: leg %d is over after %s, and what it did could not be pushed: only this worker has it", name, t.Leg, took)
	default:
		w.log.say("%s: leg %d is over after %s: %s, %s%s", name, t.Leg, took, text.Line(string(s.State)), text.Plural(s.Iterations, "iteration"), reasonOf(s))
	}
	return s, err
}

func reasonOf(s fleet.Standing) string {
	if s.Why == "" {
		return ""
	}
	return ": " + text.Line(s.Why)
}

func (w *watched) Leave(now bool) {
	if w.Legs != nil {
		w.Legs.Leave(now)
	}
}

func (w *watched) Live() int {
	if w.Legs == nil {
		return 0
	}
	return w.Legs.Live()
}
