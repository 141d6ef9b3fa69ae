package term

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/view"
)

func TestTheBaselineIsATableOnAScreen(t *testing.T) {
	cleanFails, cleanPasses := failing("test", "Cannot find module 'x'"), passing("日本", 0)
	both := &loop.RunBaseline{Proof: loop.InWorkspace, Gates: []loop.BaselineGate{
		{Gate: passing("test", 12), Clean: &cleanFails},
		{Gate: failing("日本", "exit 1"), Clean: &cleanPasses},
	}}
	tests := []struct {
		name     string
		baseline *loop.RunBaseline
		width    int
		colour   bool
		want     string
	}{
		{"in words where there is no colour", both, 80, false, `
baseline  work tree                clean checkout
test      passed (12 tests, 0.9s)  failed (Cannot find module 'x')
日本      failed (exit 1)          passed (0.9s)
Claims are proven in the work tree
`},
		{"with signs where there is", both, 80, true, `
{2}baseline{0}  {2}work tree{0}         {2}clean checkout{0}
test      {2}✓ 12 tests, 0.9s{0}  {31}✗ Cannot find module 'x'{0}
日本      {31}✗ exit 1{0}          {2}✓ 0.9s{0}
{2}Claims are proven in the work tree{0}
`},
		{"as lines where there is no room", both, 40, false, `
Baseline: test passed (12 tests, 0.9s);
clean checkout: failed (Cannot find
module 'x')
Baseline: 日本 failed (exit 1); clean
checkout: passed (0.9s)
Claims are proven in the work tree
`},
		{"without a column for what was not tried", baselineOf(failing("test", ""), nil), 80, true, `
{2}baseline{0}  {2}work tree{0}
test      {31}✗{0}
{2}Claims are proven in a clean checkout{0}
`},
		{"with the gates that stay in the work tree", &loop.RunBaseline{Proof: loop.InClean, Gates: []loop.BaselineGate{
			{Gate: passing("lint", 0), Judged: loop.InClean}, {Gate: passing("test", 3), Judged: loop.InWorkspace}, {Gate: passing("e2e", 0), Judged: loop.InWorkspace},
		}}, 80, false, `
baseline  work tree
lint      passed (0.9s)
test      passed (3 tests, 0.9s)
e2e       passed (0.9s)
Claims are proven in a clean checkout; test, e2e in the work tree only
`},
		{"without a table when nothing ran", &loop.RunBaseline{Proof: loop.InClean}, 80, false, `
Claims are proven in a clean checkout
`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := begin(10, 0)
			l := newLive(nil, view.New(), at(s, tt.width, tt.colour))
			l.render, l.paragraph = l.pictured, l.folded
			e := loop.Event{Time: s.now, Payload: tt.baseline}
			got := strings.TrimPrefix(l.render(e, l.narrator.Tell(e)), "\n")
			want := strings.NewReplacer("{", "\x1b[", "}", "m").Replace(strings.TrimPrefix(tt.want, "\n"))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("screen (-want +got):\n%s", diff)
			}
		})
	}
}

func TestGatesOfTheBaselineAreToldOnce(t *testing.T) {
	s := begin(10, 0).tell(build(loop.Limits{})).
		tell(&loop.GateStarted{Name: "test"}, &loop.GateFinished{Gate: passing("test", 12)}, baselineOf(passing("test", 12), nil))
	screen := newScreen(t, 80)
	s.show(Auto(screen, view.New(), at(s, 80, false)))
	if n := strings.Count(screen.String(), "12 tests"); n != 1 {
		t.Errorf("the gate is told %d times, want once:\n%s", n, screen)
	}
}
