package proof

import (
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Wherever a claim may come from, everything is looked at first; elsewhere a glance
// has to do, or nobody would be spared anything.
func TestWhereAClaimMayComeFrom(t *testing.T) {
	t.Parallel()
	failed := 1
	for _, tt := range []struct {
		name     string
		done     Done
		finished bool
		outcome  loop.Outcome
		want     bool
	}{
		{"nobody says so", Done{}, true, loop.Outcome{}, false},
		{"the agent claims", Done{}, false, loop.Outcome{Claim: &loop.Claim{}}, true},
		{"the gates", Done{Gates: true}, false, loop.Outcome{}, true},
		{"a rule", Done{Rules: func(loop.Facts) string { return "" }}, false, loop.Outcome{}, true},
		{"exit 0", Done{ExitZero: true}, false, loop.Outcome{Exit: &loop.Exit{Cause: loop.Exited, Code: new(int)}}, true},
		{"exit 1", Done{ExitZero: true}, false, loop.Outcome{Exit: &loop.Exit{Cause: loop.Exited, Code: &failed}}, false},
		{"a plan", Done{Plan: true}, true, loop.Outcome{}, true},
		{"an open plan", Done{Plan: true}, false, loop.Outcome{}, false},
	} {
		c := &Claims{Done: tt.done, PlanFinished: func() bool { return tt.finished }}
		if got := c.MayCome(&tt.outcome); got != tt.want {
			t.Errorf("%s: a claim may come = %v", tt.name, got)
		}
	}
}
