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
		if t.Fatal == "" || f.State.HeldByProvider(*f.Outcome) {
			return none
		}
		why := fmt.Sprintf("the agent cannot run (%s): %s", strings.ReplaceAll(string(e.Kind), "_", " "), e.Message)
		if what := advice[e.Kind]; what != "" {
			why += "; " + what
		}
		v := end(loop.CouldNotRun, t.Fatal, why)
		v.Rule = "fatal"
		return v
	}
}

// advice is what to do about an agent that cannot work at all, where its own words
// do not say.
var advice = map[loop.ErrorKind]string{
	loop.ErrAuth:    "sign in with the agent's own command, or set its key",
	loop.ErrBilling: "top its account up, or name another agent (-a, limits.fallback)",
	loop.ErrModel:   "name a model that it knows (-m)",
}
