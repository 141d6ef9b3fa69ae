package stop

import (
	"fmt"

	"github.com/refrain-loop/refrain/internal/loop"
)

// RedGates stops a run whose gates stay red without getting better.
func RedGates(most int) loop.Rule {
	return func(f loop.Facts) loop.Verdict {
		if most <= 0 || f.State.Streaks.RedGates < most {
			return none
		}
		return end(loop.Aborted, loop.ByRedGates, fmt.Sprintf("gates failed in %d iterations in a row, never better than the best", f.State.Streaks.RedGates))
	}
}
