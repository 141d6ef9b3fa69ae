package stop

import (
	"fmt"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Cost stops a run that has spent its money.
func Cost(most float64) loop.Rule {
	return func(f loop.Facts) loop.Verdict {
		if most <= 0 || f.State.Totals.CostUSD < most {
			return none
		}
		return end(loop.Exhausted, loop.ByCost, fmt.Sprintf("$%.2f spent of $%.2f (budget.cost_usd)", f.State.Totals.CostUSD, most))
	}
}
