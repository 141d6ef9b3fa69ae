package stop

import (
	"fmt"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Sandboxed ends a run before it has cost anything: a gate passes outside of the
// sandbox and fails in it, so it could never judge the work. It is no rule, for it
// is found out before there is an iteration.
func Sandboxed(gate, said string) loop.Verdict {
	why := fmt.Sprintf("gate %s passes outside of the sandbox and fails in it", gate)
	if said != "" {
		why += ": " + said
	}
	return loop.Verdict{Action: loop.Stop, Rule: "sandbox", State: loop.Aborted, Reason: loop.BySandbox, Why: why}
}
