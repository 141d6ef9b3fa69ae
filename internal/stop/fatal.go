package stop

import (
	"fmt"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Fatal stops a run whose agent cannot work at all: not installed, not signed
// in, out of money, an unknown model. Trying again would only repeat it.
func Fatal() loop.Rule {
	return func(f loop.Facts) loop.Verdict {
		if f.Outcome == nil || f.Outcome.Error == nil {
			return none
		}
		e := f.Outcome.Error
		t := loop.Treat(e.Kind)
		if t.Fatal == "" || f.State.TurnedAway(*f.Outcome) {
			return none
		}
		v := end(loop.CouldNotRun, t.Fatal, fmt.Sprintf("the agent cannot run (%s): %s", strings.ReplaceAll(string(e.Kind), "_", " "), e.Message))
		v.Rule = "fatal"
		return v
	}
}
