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
		return end(loop.Aborted, loop.ByHook, fmt.Sprintf("the %s hook exited with status %d", f.Outcome.Hook.Point, hookAborts))
	}
}
