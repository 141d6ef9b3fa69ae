package stop

import (
	"fmt"

	"github.com/refrain-loop/refrain/internal/loop"
)

// NoProgress stops a run that no longer changes anything.
func NoProgress(most int) loop.Rule {
	return func(f loop.Facts) loop.Verdict {
		if most <= 0 || f.State.Streaks.NoProgress < most {
			return none
		}
		return end(loop.Aborted, loop.ByNoProgress, fmt.Sprintf("no progress in %d iterations in a row", f.State.Streaks.NoProgress))
	}
}
