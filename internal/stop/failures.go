package stop

import (
	"fmt"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/setting"
)

// Failures stops a run whose agent failed too often in a row.
func Failures(s *Settings) Rule {
	return Rule{
		Name: "failures", Decide: failures(s.Failures), Redecidable: true, CanEnd: s.Failures > 0,
		Limit: func(l *loop.Limits) { l.Failures = s.Failures },
		Rows: []setting.Row{
			{
				Key: "stop.failures", Kind: setting.Int, At: &s.Failures, Default: 3,
				Doc: "give up after this many failed iterations in a row; 0 is never",
			},
			{
				Key: "stop.gates_are_failures", Kind: setting.Bool, At: &s.GatesAreFailures, Default: false,
				Doc: "an iteration with a failing gate counts into stop.failures as well",
			},
		},
		Ends: []End{{
			Reason: loop.ByFailures, State: loop.Aborted, Key: "stop.failures",
			When:  "`stop.failures` iterations in a row failed",
			Short: "failures in a row", Default: "3",
		}},
	}
}

func failures(most int) loop.Rule {
	return func(f loop.Facts) loop.Verdict {
		if most <= 0 || f.State.Streaks.Failures < most {
			return none
		}
		return end(loop.Aborted, loop.ByFailures, fmt.Sprintf("%d consecutive failures", f.State.Streaks.Failures))
	}
}
