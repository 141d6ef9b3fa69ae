package engine

import (
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// slice is the longest sleep in one piece. Timers stand still while a laptop
// is suspended, so a long wait looks at the clock again and again.
const slice = 30 * time.Second

// wait lets time pass as the verdict says. A wish to stop ends it at once, and
// so does a rule that has come to say stop.
func (e *Engine) wait(v loop.Verdict) {
	e.untouched = nil // people work while the loop waits
	e.leave()
	e.record(&loop.RunWaiting{Rule: v.Rule, Why: v.Why, For: loop.Span(v.Until.Sub(now())), Until: v.Until})
	for left := time.Until(v.Until); left > 0; left = time.Until(v.Until) {
		timer := time.NewTimer(min(left, slice, e.timeLeft()))
		select {
		case <-timer.C:
		case <-e.Control.soon:
			timer.Stop()
			return
		}
		if e.ask().Action == loop.Stop {
			return
		}
	}
}

// timeLeft is how long the run may still last; for ever when it has no limit.
func (e *Engine) timeLeft() time.Duration {
	most := e.Limits.Time.Duration()
	if most <= 0 {
		return slice
	}
	return max(0, most-e.facts(nil).Live())
}
