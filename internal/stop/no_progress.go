package stop

import (
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/text"
)

// NoProgress stops a run that no longer changes anything.
func NoProgress(s *Settings) Rule {
	return Rule{
		Name: "no progress", Notices: true, Decide: noProgress(s.NoProgress), Redecidable: true, CanEnd: s.NoProgress > 0,
		Limit: func(l *loop.Limits) { l.NoProgress = s.NoProgress },
		Rows: []setting.Row{{
			Key: "stop.no_progress", Kind: setting.Int, At: &s.NoProgress, Default: 5,
			Conditional: []setting.ConditionalDefault{{When: setting.ForCommand, Value: 0}},
			Doc:         "give up after this many iterations in a row without progress; 0 is never",
		}},
		Ends: []End{{
			Reason: loop.ByNoProgress, State: loop.Aborted, Key: "stop.no_progress",
			When:  "in `stop.no_progress` iterations in a row there was no progress",
			Short: "iterations in a row without progress", Default: "5; never for `-- COMMAND`",
		}},
	}
}

func noProgress(most int) loop.Rule {
	return func(f loop.Facts) loop.Verdict {
		if most <= 0 || f.State.Streaks.NoProgress < most {
			return none
		}
		in := text.Plural(f.State.Streaks.NoProgress, "iteration") + " in a row"
		if f.Outcome != nil && f.Outcome.Progress == nil { // the agent may well have done something
			return end(loop.Aborted, loop.ByNoProgress, "no progress was seen in "+in+": what changes in the work tree cannot be seen")
		}
		return end(loop.Aborted, loop.ByNoProgress, "no progress in "+in)
	}
}
