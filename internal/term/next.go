package term

import (
	"fmt"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/view"
)

// next is what to type after looking at a run.
func next(run *view.Run) []string {
	show := "refrain show " + run.Name
	resume := "refrain resume " + run.Name
	switch run.State {
	case "":
		return nil
	case loop.Done:
		return []string{show}
	case loop.Exhausted:
		return []string{resume + raised(run), show}
	case loop.Aborted, loop.Stopped, loop.CouldNotRun, loop.Crashed:
		return []string{resume, show}
	}
	return []string{"refrain logs -f " + run.Name}
}

// raised is the flag that lets an exhausted run go on, with twice the limit as
// a suggestion: a resume under the same limit would only end again.
func raised(run *view.Run) string {
	limits := run.Limits
	switch run.Finished.Reason {
	case loop.ByIterations:
		return fmt.Sprintf(" -n %d", 2*limits.Iterations)
	case loop.ByTime:
		return fmt.Sprintf(" --max-time %s", view.Total(2*limits.Time.Duration()))
	case loop.ByCost:
		return fmt.Sprintf(" --max-cost %.2f", 2*limits.CostUSD)
	case loop.ByTokens:
		return fmt.Sprintf(" --max-tokens %d", 2*limits.Tokens)
	}
	return ""
}
