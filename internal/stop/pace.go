package stop

import (
	"fmt"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/setting"
)

// Pacing is the pause between iterations.
type Pacing struct {
	Delay      time.Duration // always
	Backoff    time.Duration // after a failure, doubling with the streak; after a skip too, so that a hook which always skips cannot spin
	MaxBackoff time.Duration
}

// Pace waits between two iterations. It is asked last, so that nothing waits
// after the iteration that ends the run.
func Pace(s *Settings) Rule {
	return Rule{
		Decide: pace(s.Pace), Redecidable: true,
		Rows: []setting.Row{
			{
				Key: "loop.iteration_delay", Kind: setting.Duration, At: &s.Pace.Delay, Default: time.Duration(0),
				Doc: "a fixed pause between iterations",
			},
			{
				Key: "loop.backoff", Kind: setting.Duration, At: &s.Pace.Backoff, Default: time.Second,
				Doc: "the pause after a failed iteration, doubled each time in a row; \"0s\" is none",
			},
			{
				Key: "loop.max_backoff", Kind: setting.Duration, At: &s.Pace.MaxBackoff, Default: time.Minute,
				Doc: "the longest that loop.backoff grows to",
			},
		},
	}
}

func pace(p Pacing) loop.Rule {
	return func(f loop.Facts) loop.Verdict {
		if f.Outcome == nil {
			return none
		}
		wait, rule, why := p.Delay, loop.RuleDelay, "pause between iterations"
		if failures := f.State.Streaks.Failures; failures > 0 && f.Outcome.Result != loop.OK {
			if b := doubled(p.Backoff, failures, p.MaxBackoff); b > wait {
				wait, rule, why = b, loop.RuleBackoff, fmt.Sprintf("back-off after failure %d in a row", failures)
			}
		}
		if b := doubled(max(p.Backoff, time.Second), f.State.Skips, max(p.MaxBackoff, time.Minute)); f.State.Skips > 0 && f.Outcome.Hook != nil && b > wait {
			wait, rule, why = b, loop.RuleSkip, fmt.Sprintf("pause after skip %d in a row", f.State.Skips)
		}
		if wait <= 0 {
			return none
		}
		return loop.Verdict{Action: loop.Wait, Rule: rule, Why: why, For: loop.Millis(wait), Until: f.Now.Add(wait)}
	}
}
