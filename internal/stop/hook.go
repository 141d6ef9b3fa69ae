package stop

import (
	"fmt"

	"github.com/refrain-loop/refrain/internal/loop"
)

// hookAborts is the exit status by which a hook ends the run.
const hookAborts = 2

// Hook stops a run that one of the user's hooks aborted.
func Hook() loop.Rule {
	return func(f loop.Facts) loop.Verdict {
		if f.Outcome == nil || f.Outcome.Hook == nil || f.Outcome.Hook.Exit != hookAborts {
			return none
		}
		return Aborted(f.Outcome.Hook)
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
