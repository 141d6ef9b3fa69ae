package stop

import (
	"fmt"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/setting"
)

const unrewardedKey = "stop.cost_without_progress"

// Unrewarded stops a run that spends money and gets nowhere.
func Unrewarded(s *Settings) Rule {
	most := s.Values.Number(unrewardedKey)
	return Rule{
		Name: "cost without progress", Notices: true, Decide: unrewarded(most), Redecidable: true, CanEnd: most > 0,
		Rows: []setting.Row{{
			Key: unrewardedKey, Kind: setting.Number, Default: 0.0,
			Doc: "give up after this many dollars without progress; 0 is never",
		}},
		Ends: []End{{
			Rule: "cost_without_progress", Reason: loop.ByNoProgress, State: loop.Aborted, Key: unrewardedKey,
			When:  "`stop.cost_without_progress` was spent without any progress",
			Short: "money spent without progress", Default: "never",
		}},
	}
}

func unrewarded(most float64) loop.Rule {
	return func(f loop.Facts) loop.Verdict {
		if most <= 0 || f.State.Unrewarded < most {
			return none
		}
		v := end(loop.Aborted, loop.ByNoProgress, fmt.Sprintf("%s spent since the last progress (stop.cost_without_progress is $%.2f)", dollars(f.State.Unrewarded, f.State.Totals.CostEstimated), most))
		v.Rule = "cost_without_progress"
		return v
	}
}
