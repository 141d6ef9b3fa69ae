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
		return end(loop.Exhausted, loop.ByCost, fmt.Sprintf("%s spent of $%.2f (budget.cost_usd)", dollars(f.State.Totals.CostUSD, f.State.Totals.CostEstimated), most))
	}
}

// dollars is a sum of money, marked when it was worked out and not told.
func dollars(usd float64, estimated bool) string {
	if estimated {
		return fmt.Sprintf("≈$%.2f", usd)
	}
	return fmt.Sprintf("$%.2f", usd)
}
