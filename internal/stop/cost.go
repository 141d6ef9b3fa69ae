package stop

import (
	"fmt"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/setting"
)

// Cost stops a run that has spent its money.
func Cost(s *Settings) Rule {
	return Rule{
		Name: "cost", Decide: cost(s.CostUSD), Redecidable: true, CanEnd: s.CostUSD > 0,
		Limit: func(l *loop.Limits) { l.CostUSD = s.CostUSD },
		Rows: []setting.Row{{
			Key: "budget.cost_usd", Kind: setting.Number, At: &s.CostUSD, Default: 0.0,
			Doc: "dollars that the whole run may cost; 0 is no limit",
		}},
		Ends: []End{{
			Reason: loop.ByCost, State: loop.Exhausted, Key: "budget.cost_usd",
			When:  "`budget.cost_usd` is spent, by the agent's own figures, or by [an estimate](agents.md#prices-are-estimates)",
			Short: "money used up", Setting: "`budget.cost_usd`, `--max-cost`", Default: "no limit",
			Raise: "--max-cost USD",
		}},
	}
}

func cost(most float64) loop.Rule {
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
