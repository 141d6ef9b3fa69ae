package procedure

import "fmt"

// A plan cannot be its own way to be done, for its tasks are open when it is
// ready; so it is claimed. Gates judge code, which a plan does not touch: a
// project with failing tests must not refuse the plan to repair them.
const planSettings = `[loop]
max_iterations = 10
progress = ["files"]
gates = false

[done]
promise = "PLAN READY"
proof = "none"
written = "IMPLEMENTATION_PLAN.md"

[stop]
no_progress = 3

[progress]
only = ["IMPLEMENTATION_PLAN.md"]
`

// A build needs no promise, for the plan says when it is done, and a promise
// would be asked for on top of it. It can still be blocked.
const buildSettings = `[done]
plan = "IMPLEMENTATION_PLAN.md"
failure_promise = "BLOCKED"
`

// documentSettings suit a procedure that writes a document: a few iterations
// are enough, only a changed file is progress, and gates, which judge code, do
// not judge the claim.
func documentSettings(iterations int, promise string) string {
	return fmt.Sprintf(`[loop]
max_iterations = %d
progress = ["files"]
gates = false

[done]
promise = %q
proof = "none"
`, iterations, promise)
}
