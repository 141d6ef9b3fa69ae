package stop

import (
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestHook(t *testing.T) {
	hook := func(exit int, why string) *loop.Outcome {
		return &loop.Outcome{Hook: &loop.Hook{Point: "next_iteration", Exit: exit, Why: why}}
	}
	for _, tt := range []struct {
		name    string
		outcome *loop.Outcome
		skips   int
		want    string
	}{
		{"nothing has run", nil, maxSkips, ""},
		{"no hook spoke", &loop.Outcome{}, maxSkips, ""},
		{"it skips", hook(1, "not now"), maxSkips - 1, ""},
		{"it skips again and again", hook(1, "not now"), maxSkips, "the next_iteration hook has skipped 20 times in a row"},
		{"it aborts", hook(hookAborts, ""), 0, "the next_iteration hook exited with status 2"},
		{"it aborts, and says why", hook(hookAborts, "the disk is full"), 0, "the next_iteration hook exited with status 2: the disk is full"},
	} {
		v := Hook(new(Settings)).Decide(loop.Facts{State: loop.State{Tries: loop.Tries{Skips: tt.skips}}, Outcome: tt.outcome})
		if v.Why != tt.want || tt.want != "" && (v.Action != loop.Stop || v.State != loop.Aborted || v.Reason != loop.ByHook) {
			t.Errorf("%s: %+v, want %q", tt.name, v, tt.want)
		}
	}
}
