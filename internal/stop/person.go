package stop

import "github.com/refrain-loop/refrain/internal/loop"

// Person stops a run that only a person can bring on: neither the agent nor
// another iteration can settle what is wrong.
func Person(*Settings) Rule {
	return Rule{Name: "a person is needed", Decide: person(), Ends: []End{{
		Reason: loop.ByBlocked, State: loop.Aborted,
		When:    "a person is needed, since a gate passes in the work tree and not in a clean checkout, see [proof](proof.md#when-the-two-disagree)",
		Short:   "a gate passes in the work tree and not in a clean checkout, or a claim lacks the same evidence for the third time: a person is needed",
		Setting: "`done.proof`, `done.require`", Default: "auto",
	}}}
}

func person() loop.Rule {
	return func(f loop.Facts) loop.Verdict {
		if f.Outcome == nil || f.Outcome.Person == "" {
			return none
		}
		return end(loop.Aborted, loop.ByBlocked, "a person is needed: "+f.Outcome.Person)
	}
}
