package gate

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Both is one gate before the first iteration, in both places.
type Both struct {
	Work  Result
	Clean *Result // nil when it was not tried
}

// Baseline is the same in the words of an event.
func (b Both) Baseline() loop.BaselineGate {
	before := loop.BaselineGate{Gate: b.Work.Gate, Tests: b.Work.Tests}
	if b.Clean != nil {
		clean := b.Clean.Gate
		before.Clean = &clean
	}
	return before
}

// Missing says what gates lack in a clean checkout, which did not find there what
// they found in the work tree, and what to do; nothing when all did. The setup
// is why setting up the clean checkout failed, empty when it did not.
func Missing(list []Both, setup string) string {
	var missing []string
	for _, b := range list {
		if b.Clean != nil && b.Clean.NoSpace {
			return "the disk is full, and there is no room for a clean checkout: free some space and start again"
		}
		if !b.Agree() {
			missing = append(missing, b.missing())
		}
	}
	if len(missing) == 0 {
		return ""
	}
	why := ""
	if setup != "" {
		why = fmt.Sprintf("setting up the clean checkout failed (%s); ", setup)
	}
	why += fmt.Sprintf("the result differs in a clean checkout: %s; name the command that installs what is missing in proof.setup, or ignored files to copy in proof.copy",
		strings.Join(missing, ", "))
	return why
}

// Agree tells whether the clean checkout is no worse a place for the gate.
func (b Both) Agree() bool {
	switch {
	case b.Clean == nil:
		return false
	case b.Clean.OK:
		return true
	case b.Work.OK, b.Clean.Interrupted:
		return false
	case counted(b.Work.Tests) && counted(b.Clean.Tests):
		return sameFailures(b.Clean.Tests, b.Work.Tests)
	}
	return b.Clean.Why == b.Work.Why
}

// missing names the gate and what it lacks in the clean checkout.
func (b Both) missing() string {
	if b.Clean == nil {
		return fmt.Sprintf("%s (not tried)", b.Work.Name)
	}
	return fmt.Sprintf("%s (%s)", b.Clean.Name, cmp.Or(b.Clean.Telling, b.Clean.Why))
}
