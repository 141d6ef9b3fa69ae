package engine

import (
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// slice is the longest sleep in one piece. Timers stand still while a laptop
// is suspended, so a long wait looks at the clock again and again.
const slice = 30 * time.Second

// wait lets time pass as the verdict says. A wish to stop ends it at once, and
// so do a person's wish to go on and a rule that has come to say stop.
func (e *Engine) wait(v loop.Verdict) {
	e.untouched = nil // people work while the loop waits
	e.leave()
	until := wholeMillis(e.wakeTime(v))
	e.record(v.Waiting(e.now(), until))
	for {
		left := until.Sub(e.Clock.Now())
		e.rebootIfAsked()
		if left <= 0 || e.Control.Asked() != nil || e.hurried() || e.pausing() || e.ask().Action == loop.Stop || e.freed(v) {
			return
		}
		e.Clock.Sleep(min(left, slice, e.timeLeft()), e.Control.stir)
	}
}

// freed tells whether a limit that another run had noted is gone before its time.
func (e *Engine) freed(v loop.Verdict) bool {
	return v.Rule == loop.RuleLimit && e.now().Before(v.Until) && e.holds().Agent(e.facts(nil)) != ""
}

// wholeMillis is a time that now can reach: it knows no smaller part, and whoever
// wakes a moment early would only be told to wait again.
func wholeMillis(t time.Time) time.Time {
	if whole := t.Truncate(time.Millisecond); whole.Before(t) {
		return whole.Add(time.Millisecond)
	}
	return t
}

// timeLeft is how long the run may still last; for ever when it has no limit.
func (e *Engine) timeLeft() time.Duration {
	most := e.limits().Time.Duration()
	if most <= 0 {
		return slice
	}
	return max(0, most-e.facts(nil).Live())
}
