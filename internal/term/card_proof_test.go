package term

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
)

// provenAs is a run that ends with a proof.
func provenAs(p *loop.Proof) *story {
	o := provenBy(passing("build", 0), passing("test", 3))
	o.Proof = p
	return begin(10, 0).tell(build(loop.Limits{Iterations: 5}), baselineOf(passing("test", 3), nil)).
		iteration(second, 5, ok()).iteration(second, 5, o).
		tell(&loop.RunFinished{
			State: loop.Done, Reason: loop.ByPromise, Proven: p.Level == loop.LevelProven, Proof: p, Why: `promise "DONE" found, and the gates agree`,
			Net: &loop.Changes{Modified: 1, LinesAdded: 7, LinesRemoved: 2},
		})
}

// rest is the lower half of these cards.
const rest = `  iterations  2 of 5 (2 ok), 1.0s each
  time        2s
  changed     1 file (+7 -2 lines), 1 commit
  agent       claude, until "DONE"
  processes   none left running
  started     2026-11-03 10:00:00, ended 10:00:02
  next        refrain review build-7  # look through it, commit it
              refrain show build-7    # how it went
`

const bothPassed = "  gates       build passed (0.9s); test passed (3 tests, 0.9s)\n"

func TestTheCardTellsTheLevel(t *testing.T) {
	changed := &loop.ProofTests{Held: 1, Changed: []loop.TestChange{
		{Name: "TestAdd", What: loop.TestWeakened, Why: "the task says that sums are rounded from now on, so 2.5 and 2.5 is 6"},
		{Name: "TestSub", What: loop.TestGone},
	}}
	tests := []struct {
		name  string
		proof *loop.Proof
		want  string
	}{
		{
			"proven",
			&loop.Proof{
				Level: loop.LevelProven, Why: "2 tests failed before the run and pass now", Place: loop.InClean, Tree: "3f2a91c0d2e4f5a6b7c8",
				Tests: &loop.ProofTests{Held: 3, Fixed: []string{"TestAdd", "TestSub"}, Added: []string{"TestDiv"}}, Gates: []string{"test"},
			}, `
build-7: done, proven in a clean checkout by build, test (3 tests)
  why         promise "DONE" found, and the gates agree
  proof       2 tests failed before the run and pass now (tree 3f2a91c0d2e4)
              Fixed: TestAdd, TestSub
              New tests that fail without the work: TestDiv
              3 known tests pass in their old version
              Red before the run, and green now: test
` + rest,
		},
		{
			"proven, but not in a clean checkout",
			&loop.Proof{Level: loop.LevelProven, Why: "gate test was red", Place: loop.InWorkspace, Flaky: []string{"e2e"}}, `
build-7: done, proven in the work tree only by build, test (3 tests)
  why         promise "DONE" found, and the gates agree
  proof       gate test was red
              Flaky, red and green on one tree: e2e
` + rest,
		},
		{
			"nothing broke",
			&loop.Proof{Level: loop.LevelKept, Why: "every gate passed before the run too, so nothing tells whether more was done", Place: loop.InClean, Tree: "3f2a91c"}, `
build-7: done, nothing broke
  why         promise "DONE" found, and the gates agree
  proof       every gate passed before the run too, so nothing tells whether
              more was done (tree 3f2a91c)
` + bothPassed + rest,
		},
		{
			"tests changed",
			&loop.Proof{
				Level: loop.LevelTestsChanged, Why: "2 tests were changed", Place: loop.InClean, Files: []string{"calc_test.go"}, Tests: changed,
				Diff: "--- a/calc_test.go\n+++ b/calc_test.go\n@@ -3,3 +3,3 @@\n func TestAdd(t *testing.T) {\n-\tif Add(2.5, 2.5) != 5 {\n+\tif Add(2.5, 2.5) != 6 { // \x1b[2J a comment that goes on beyond the edge of any screen\n",
			}, `
build-7: done, tests changed: TestAdd, TestSub
  old tests   TestAdd passes now, but its old version fails: the task says that
              sums are rounded from now on, so 2.5 and 2.5 is 6
              TestSub is gone: no reason was given
  diff of these tests:
    --- a/calc_test.go
    +++ b/calc_test.go
    @@ -3,3 +3,3 @@
     func TestAdd(t *testing.T) {
    -    if Add(2.5, 2.5) != 5 {
    +    if Add(2.5, 2.5) != 6 { //  a comment that goes on beyond the edge of …
  why         promise "DONE" found, and the gates agree
  proof       2 tests were changed
              1 known test passes in its old version
              Changed files that decide what is tested: calc_test.go
` + bothPassed + rest,
		},
		{
			"claimed",
			&loop.Proof{Level: loop.LevelClaimed, Why: "gate test is flaky", Place: loop.InClean, Flaky: []string{"test"}}, `
build-7: done, unproven
  why         promise "DONE" found, and the gates agree
  proof       none: gate test is flaky
              Flaky, red and green on one tree: test
` + bothPassed + rest,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := provenAs(tt.proof)
			if diff := cmp.Diff(strings.TrimPrefix(tt.want, "\n"), Card(s.run(), at(s, 80, false))); diff != "" {
				t.Errorf("card (-want +got):\n%s", diff)
			}
		})
	}
}

func TestALongDiffIsCut(t *testing.T) {
	var diff strings.Builder
	for i := range maxDiff + 3 {
		fmt.Fprintf(&diff, "+line %d\n", i+1)
	}
	s := provenAs(&loop.Proof{Level: loop.LevelTestsChanged, Diff: diff.String()})
	card := Card(s.run(), at(s, 80, true))
	for _, want := range []string{"\x1b[32m+line 40\x1b[0m\n", "    and 3 more lines: refrain diff build-7", "\x1b[33mdone, tests changed\x1b[0m"} {
		if !strings.Contains(card, want) {
			t.Errorf("the card does not have %q:\n%s", want, card)
		}
	}
	if strings.Contains(card, "line 41") {
		t.Errorf("the card has more than %d lines of the diff:\n%s", maxDiff, card)
	}
}

func TestALiveRunNamesFlakyGatesAndThoseInTheWorkTree(t *testing.T) {
	zero := 0
	flaky := func(ok bool) *loop.GateFinished {
		return &loop.GateFinished{Gate: loop.Gate{Name: "e2e", OK: ok, Exit: &zero, Tree: "3f2a91c0d2e4"}}
	}
	baseline := baselineOf(passing("test", 3), nil)
	baseline.Gates[0].Judged = loop.InWorkspace
	s := begin(10, 0).tell(build(loop.Limits{}), baseline).in(1, 1, &loop.IterationStarted{}, flaky(false), flaky(true))
	card := Card(s.run(), at(s, 80, false))
	for _, want := range []string{
		"  proof       claims are proven in a clean checkout; test in the work tree only\n",
		"  flaky       e2e: red and green on one tree\n",
	} {
		if !strings.Contains(card, want) {
			t.Errorf("the card does not have %q:\n%s", want, card)
		}
	}
}
