package stop

import (
	"fmt"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Unrewarded stops a run that spends money and gets nowhere.
func Unrewarded(most float64) loop.Rule {
	return func(f loop.Facts) loop.Verdict {
		if most <= 0 || f.State.Unrewarded < most {
			return none
		}
		v := end(loop.Aborted, loop.ByNoProgress, fmt.Sprintf("%s spent since the last progress (stop.cost_without_progress is $%.2f)", dollars(f.State.Unrewarded, f.State.Totals.CostEstimated), most))
		v.Rule = "cost_without_progress"
		return v
	}
}
