package stop

import (
	"fmt"

	"github.com/refrain-loop/refrain/internal/loop"
)

// TestFailures stops a run whose tests keep failing without getting better.
func TestFailures(most int) loop.Rule {
	return func(f loop.Facts) loop.Verdict {
		if most <= 0 || f.State.Streaks.TestFailures < most {
			return none
		}
		return end(loop.Aborted, loop.ByTestFailures, fmt.Sprintf("tests failed in %d iterations in a row, never better than the best", f.State.Streaks.TestFailures))
	}
}
