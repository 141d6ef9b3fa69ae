package stop

import (
	"fmt"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// Blocked stops a run whose agent says that it cannot go on.
func Blocked(*Settings) Rule {
	return Rule{Name: "blocked", Decide: blocked(), Ends: []End{{
		Reason: loop.ByBlocked, State: loop.Aborted, Key: "done.failure_promise",
		When:  "the agent says that it cannot go on",
		Short: "the agent says that it is blocked", Default: "`BLOCKED`, with a promise",
	}}}
}

func blocked() loop.Rule {
	return func(f loop.Facts) loop.Verdict {
		if f.Outcome == nil || f.Outcome.Claim == nil || f.Outcome.Claim.Kind != loop.ClaimBlocked {
			return none
		}
		why := fmt.Sprintf("the agent says it is blocked (%q)", f.Outcome.Claim.Text)
		if said := f.Outcome.Summary; said != "" {
			why += ": " + text.Cut(said, 300)
		}
		return end(loop.Aborted, loop.ByBlocked, why)
	}
}
