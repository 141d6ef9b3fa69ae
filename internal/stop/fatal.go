package stop

import (
	"fmt"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Fatal stops a run whose agent cannot work at all: not installed, not signed
// in, out of money, an unknown model. Trying again would only repeat it.
func Fatal(*Settings) Rule {
	return Rule{Name: "cannot run", Decide: fatal(), Ends: []End{
		{
			Reason: loop.ByAgentMissing, State: loop.CouldNotRun,
			When:  "the agent's program was not found",
			Short: "the agent cannot run at all",
		},
		{
			Reason: loop.ByNotSignedIn, State: loop.CouldNotRun,
			When: "the agent says that it is not signed in, and never worked in this run or has not for 30 minutes; and [no other agent](night.md#another-agent-meanwhile-limitsfallback) can go on",
		},
		{
			Reason: loop.ByNoCredit, State: loop.CouldNotRun,
			When: "the agent says that no money is left, and no other agent can go on",
		},
		{
			Reason: loop.ByError, State: loop.CouldNotRun,
			When: "the agent does not know the model, or the runner itself cannot go on",
		},
	}}
}

func fatal() loop.Rule {
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
