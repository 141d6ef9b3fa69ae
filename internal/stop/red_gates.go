package stop

import (
	"fmt"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/text"
)

// RedGates stops a run whose gates stay red without getting better.
func RedGates(s *Settings) Rule {
	return Rule{
		Name: "red gates", Notices: true, Decide: redGates(s.RedGates), Redecidable: true, CanEnd: s.RedGates > 0 && s.Done.Gated(),
		Limit: func(l *loop.Limits) { l.RedGates = s.RedGates },
		Rows: []setting.Row{{
			Key: "stop.red_gates", Kind: setting.Int, At: &s.RedGates, Default: 5,
			Doc: "give up after this many iterations in a row with a failing gate or a refused claim and no better test results; 0 is never",
		}},
		Ends: []End{{
			Reason: loop.ByRedGates, State: loop.Aborted, Key: "stop.red_gates",
			When:  "in `stop.red_gates` iterations in a row a gate failed or a claim was refused, and test results did not get better, see [gates](gates.md#what-a-red-gate-does)",
			Short: "iterations in a row with a red gate or a refused claim, and tests no better", Default: "5",
		}},
	}
}

func redGates(most int) loop.Rule {
	return func(f loop.Facts) loop.Verdict {
		if most <= 0 || f.State.Streaks.RedGates < most {
			return none
		}
		return end(loop.Aborted, loop.ByRedGates, fmt.Sprintf("gates failed in %s in a row, and test results did not get better", text.Plural(f.State.Streaks.RedGates, "iteration")))
	}
}
