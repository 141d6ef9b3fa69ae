package stop

import (
	"fmt"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Redline asks for a fresh session when the kept one has filled its window.
func Redline(percent int) loop.Rule {
	return func(f loop.Facts) loop.Verdict {
		if percent <= 0 || f.Outcome == nil || f.Outcome.Usage == nil || f.Outcome.Usage.ContextPercent < percent {
			return none
		}
		return loop.Verdict{
			Action: loop.Reboot, Rule: "redline",
			Why: fmt.Sprintf("the context is %d%% full (redline %d%%)", f.Outcome.Usage.ContextPercent, percent),
		}
	}
}
