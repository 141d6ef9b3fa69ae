package stop

import (
	"fmt"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Failures stops a run whose agent failed too often in a row.
func Failures(most int) loop.Rule {
	return func(f loop.Facts) loop.Verdict {
		if most <= 0 || f.State.Streaks.Failures < most {
			return none
		}
		return end(loop.Aborted, loop.ByFailures, fmt.Sprintf("%d consecutive failures", f.State.Streaks.Failures))
	}
}
