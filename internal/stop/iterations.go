package stop

import (
	"fmt"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Iterations stops a run that has used up its iterations. When nobody asked
// for a way to be done, running them all was the whole task.
func Iterations(most int, doneWasAsked bool) loop.Rule {
	return func(f loop.Facts) loop.Verdict {
		if most <= 0 || f.State.Totals.Iterations < most {
			return none
		}
		if !doneWasAsked && f.State.LastOK {
			return done(loop.ByIterations, fmt.Sprintf("%s ran, the last one well", counted(f.State.Totals.Iterations)), false)
		}
		return end(loop.Exhausted, loop.ByIterations, fmt.Sprintf("reached the limit of %s before done", counted(most)))
	}
}

func counted(n int) string {
	if n == 1 {
		return "1 iteration"
	}
	return fmt.Sprintf("%d iterations", n)
}
