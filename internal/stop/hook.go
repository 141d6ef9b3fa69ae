package stop

import (
	"fmt"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/setting"
)

// hookAborts is the exit status by which a hook ends the run.
const hookAborts = 2

// maxSkips is how often in a row an iteration may be skipped. With the pause
// between two of them growing to a minute, that is a quarter of an hour in which
// nothing happened.
const maxSkips = 20

// Hook stops a run that one of the user's hooks aborted, or keeps from going on.
func Hook(s *Settings) Rule {
	return Rule{
		Name: "hook", Decide: hook(), Redecidable: true,
		Rows: []setting.Row{{
			Key: "loop.skips_count", Kind: setting.Bool, At: &s.SkipsCount, Default: true,
			Doc: "an iteration that a hook or a command skips is a counted one",
		}},
		Ends: []End{{
			Reason: loop.ByHook, State: loop.Aborted,
			When:  "a [hook](hooks.md) of yours exited with status 2, or skipped 20 times in a row",
			Short: "a hook of yours says stop", Setting: "[`.refrain/hooks`](hooks.md)", Default: "none",
		}},
	}
}

func hook() loop.Rule {
	return func(f loop.Facts) loop.Verdict {
		if f.Outcome == nil || f.Outcome.Hook == nil {
			return none
		}
		switch {
		case f.Outcome.Hook.Exit == hookAborts:
			return Aborted(f.Outcome.Hook)
		case f.State.Skips >= maxSkips:
			return end(loop.Aborted, loop.ByHook, fmt.Sprintf("the %s hook has skipped %d times in a row", f.Outcome.Hook.Point, f.State.Skips))
		}
		return none
	}
}

// Aborted ends a run that a hook aborted, in its own words if it said any.
func Aborted(h *loop.Hook) loop.Verdict {
	return end(loop.Aborted, loop.ByHook, h.Says())
}
