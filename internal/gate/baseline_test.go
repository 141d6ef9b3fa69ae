package gate

import (
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestMissing(t *testing.T) {
	both := func(work, clean Result) Both { return Both{Work: work, Clean: &clean} }
	green, exits := ended(0, nil), ended(1, nil)
	lacks := ended(1, nil).but(func(r *Result) { r.Telling = "Cannot find module 'x'" })
	other := ended(1, nil).but(func(r *Result) { r.Why = "not found: npx" })
	for _, tt := range []struct {
		name  string
		list  []Both
		setup string
		place loop.Place
		want  []string // in why
	}{
		{"green in both", []Both{both(green, green)}, "", loop.InClean, nil},
		{"red in both, in the same way", []Both{both(exits, exits)}, "", loop.InClean, nil},
		{"red in both, in other ways", []Both{both(exits, other)}, "", loop.InWorkspace, []string{"test (not found: npx)"}},
		{"the same tests fail in both", []Both{both(ended(1, ofGo(8, 2, "A", "B")), ended(1, ofGo(8, 2, "B", "A")))}, "", loop.InClean, nil},
		{"more tests fail in the clean one", []Both{both(ended(1, ofGo(8, 2, "A", "B")), ended(1, ofGo(7, 3, "A", "B", "C")))}, "", loop.InWorkspace, []string{"test (exit 1)"}},
		{"red only in the work tree", []Both{both(exits, green)}, "", loop.InClean, nil},
		{"red only in the clean one", []Both{both(green, green), both(green, lacks)}, "", loop.InWorkspace, []string{"the result differs in a clean checkout: test (Cannot find module 'x')", "proof.setup", "proof.copy"}},
		{"setting up failed, and it shows", []Both{both(green, lacks)}, "npm ci: exit 1", loop.InWorkspace, []string{"setting up the clean checkout failed (npm ci: exit 1)", "Cannot find module 'x'"}},
		{"setting up failed, and nothing needs it", []Both{both(green, green)}, "npm ci: exit 1", loop.InClean, nil},
		{"no room for it", []Both{both(green, exits.but(func(r *Result) { r.NoSpace = true }))}, "", loop.InWorkspace, []string{"the disk is full", "free some space"}},
		{"not tried", []Both{{Work: green}}, "npm ci: exit 1", loop.InWorkspace, []string{"npm ci: exit 1", "test (not tried)"}},
		{"interrupted", []Both{both(exits, exits.but(interrupted))}, "", loop.InWorkspace, []string{"test"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			why := Missing(tt.list, tt.setup)
			if (why == "") != (tt.place == loop.InClean) {
				t.Errorf("Missing = %q; want the place %s", why, tt.place)
			}
			for _, want := range tt.want {
				if !strings.Contains(why, want) {
					t.Errorf("why %q does not say %q", why, want)
				}
			}
		})
	}
}

func TestBaseline(t *testing.T) {
	clean := ended(0, nil)
	clean.Where = loop.InClean
	b := Both{Work: ended(1, ofGo(8, 2, "A", "B")), Clean: &clean}.Baseline()
	if b.Gate.OK || b.Gate.Tests != 10 || b.Clean == nil || !b.Clean.OK || b.Clean.Where != loop.InClean || b.Tests.Failed != 2 {
		t.Errorf("baseline = %+v, clean %+v", b, b.Clean)
	}
	if (Both{Work: clean}).Baseline().Clean != nil {
		t.Error("a place that was not tried has a result")
	}
}
