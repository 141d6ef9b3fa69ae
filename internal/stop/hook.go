package stop

import (
	"fmt"

	"github.com/refrain-loop/refrain/internal/loop"
)

// hookAborts is the exit status by which a hook ends the run.
const hookAborts = 2

// mostSkips is how often in a row an iteration may be skipped. With the pause
// between two of them growing to a minute, that is a quarter of an hour in which
// nothing happened.
const mostSkips = 20

// Hook stops a run that one of the user's hooks aborted, or keeps from going on.
func Hook() loop.Rule {
	return func(f loop.Facts) loop.Verdict {
		if f.Outcome == nil || f.Outcome.Hook == nil {
			return none
		}
		switch {
		case f.Outcome.Hook.Exit == hookAborts:
			return Aborted(f.Outcome.Hook)
		case f.State.Skips >= mostSkips:
			return end(loop.Aborted, loop.ByHook, fmt.Sprintf("the %s hook has skipped %d times in a row", f.Outcome.Hook.Point, f.State.Skips))
		}
		return none
	}
}

// Aborted ends a run that a hook aborted, in its own words if it said any.
func Aborted(h *loop.Hook) loop.Verdict {
	why := fmt.Sprintf("the %s hook exited with status %d", h.Point, h.Exit)
	if h.Why != "" {
		why += ": " + h.Why
	}
	return end(loop.Aborted, loop.ByHook, why)
}
