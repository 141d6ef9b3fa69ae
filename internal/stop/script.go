package stop

import (
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/setting"
)

// Script stops a run when one of the user's stop scripts said so.
func Script(s *Settings) Rule {
	return Rule{
		Name: "script", Decide: script(), CanEnd: len(s.Scripts) > 0,
		Rows: []setting.Row{{
			Key: "stop.scripts", Kind: setting.List, At: &s.Scripts, Default: []string{}, Required: true, File: true,
			Doc: "programs that run after each iteration, for at most 5s; exit 0 stops the run",
		}},
		Ends: []End{{
			Reason: loop.ByScript, State: loop.Aborted, Key: "stop.scripts",
			When:  "one of `stop.scripts` exited with status 0",
			Short: "a script of yours says stop", Default: "none",
		}},
	}
}

func script() loop.Rule {
	return func(f loop.Facts) loop.Verdict {
		if f.Outcome == nil || len(f.Outcome.Scripts) == 0 {
			return none
		}
		return end(loop.Aborted, loop.ByScript, "stop script said stop: "+strings.Join(f.Outcome.Scripts, ", "))
	}
}
