package stop

import "github.com/refrain-loop/refrain/internal/loop"

// Person stops a run that only a person can bring on: neither the agent nor
// another iteration can settle what is wrong.
func Person() loop.Rule {
	return func(f loop.Facts) loop.Verdict {
		if f.Outcome == nil || f.Outcome.Person == "" {
			return none
		}
		return end(loop.Aborted, loop.ByBlocked, "a person is needed: "+f.Outcome.Person)
	}
}
