package stop

import (
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Script stops a run when one of the user's stop scripts said so.
func Script() loop.Rule {
	return func(f loop.Facts) loop.Verdict {
		if f.Outcome == nil || len(f.Outcome.Scripts) == 0 {
			return none
		}
		return end(loop.Aborted, loop.ByScript, "stop script said stop: "+strings.Join(f.Outcome.Scripts, ", "))
	}
}
