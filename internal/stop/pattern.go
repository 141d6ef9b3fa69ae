package stop

import (
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Pattern stops a run when the agent printed what the user never wants to see.
func Pattern() loop.Rule {
	return func(f loop.Facts) loop.Verdict {
		if f.Outcome == nil || len(f.Outcome.Matched) == 0 {
			return none
		}
		return end(loop.Aborted, loop.ByPattern, "the output matched "+strings.Join(f.Outcome.Matched, ", "))
	}
}
