package stop

import "github.com/refrain-loop/refrain/internal/loop"

// Tampered ends a run whose records somebody else has written to: nobody can tell
// any more what they are worth. It is no rule, for only who holds the records can
// know; it is here since it ends runs.
func Tampered(what string) loop.Verdict {
	return loop.Verdict{Action: loop.Stop, Rule: "tampered", State: loop.Aborted, Reason: loop.ByTampering, Why: "the records of the run were changed by somebody else: " + what}
}
