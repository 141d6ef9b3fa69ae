package stop

import (
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Permissions stops a run whose agent was denied its tools in the very first
// iteration: every later one would be as useless.
func Permissions() loop.Rule {
	return func(f loop.Facts) loop.Verdict {
		if f.Outcome == nil || f.Outcome.Error == nil || f.Outcome.Error.Kind != loop.ErrPermission || f.State.Totals.Iterations != 1 {
			return none
		}
		what := "what it needs"
		if len(f.Outcome.Denied) > 0 {
			what = strings.Join(f.Outcome.Denied, ", ")
		}
		return end(loop.Aborted, loop.ByPermissions, "the agent was denied "+what+": "+f.Outcome.Error.Message)
	}
}
