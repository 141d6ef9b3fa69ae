package term

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestWhatTheRunnerFoundIsTold(t *testing.T) {
	counted := func(o loop.Outcome, passed, failed int) loop.Outcome {
		o.Tests = &loop.Tests{Total: passed + failed, Passed: passed, Failed: failed}
		for i := range o.Gates {
			o.Gates[i].Tests = passed + failed
		}
		return o
	}
	stillRed := loop.Outcome{Result: loop.OK, Exit: exited(0), Gates: []loop.Gate{known("test", "35 of 40 tests")}}
	better := loop.Outcome{Result: loop.OK, Exit: exited(0), Gates: []loop.Gate{known("test", "30 of 40 tests")}}
	refused := loop.Outcome{Result: loop.OK, Exit: exited(0), Claim: &loop.Claim{Kind: loop.ClaimDone, Why: "2 of 5 tasks of the plan are not done"}}
	lacking := refused
	lacking.Claim = &loop.Claim{Kind: loop.ClaimDone, Why: "TestAdd is gone", Lacks: "tests"}
	pinned := provenBy(passing("test", 12))
	pinned.Pinned = []string{"a_test.go", "b_test.go"}
	kept := provenBy(passing("test", 12))
	kept.Claim.Proven, kept.Proof = false, &loop.Proof{Level: loop.LevelKept}
	asRooda := loop.Counting{GatesAreFailures: true}
	tests := []struct {
		name     string
		best     *loop.Best
		counting loop.Counting
		outcome  loop.Outcome
		want     []string
	}{
		{"all is well", nil, loop.Counting{}, counted(ok(), 12, 0), nil},
		{"one gate failed", nil, loop.Counting{}, failedBy(failing("test", "3 of 12 tests")), []string{"WARNING: Quality gates failed: test (3 of 12 tests), red iterations: 1/5"}},
		{"it does not say why", nil, loop.Counting{}, failedBy(loop.Gate{Name: "test"}), []string{"WARNING: Quality gates failed: test, red iterations: 1/5"}},
		{"several failed; one had been red all along", nil, loop.Counting{}, failedBy(failing("test", "exit 1"), known("lint", "exit 2"), passing("vet", 0), failing("e2e", "timed out after 10m")), []string{"WARNING: Quality gates failed: test (exit 1); e2e (timed out after 10m), red iterations: 1/5"}},
		{"gates count as failures", nil, asRooda, failedBy(failing("test", "exit 1")), []string{"WARNING: Quality gates failed: test (exit 1), consecutive failures: 1/3, red iterations: 1/5"}},
		{"red and better than the best does not count", &loop.Best{Passed: 5, Failed: 35}, loop.Counting{}, counted(failedBy(failing("test", "30 of 40 tests")), 10, 30), []string{"WARNING: Quality gates failed: test (30 of 40 tests), 5 fewer fail than at the best, red iterations: 0/5"}},
		{"more tests is better too", &loop.Best{Passed: 5, Failed: 3}, loop.Counting{}, counted(failedBy(failing("test", "3 of 12 tests")), 9, 3), []string{"WARNING: Quality gates failed: test (3 of 12 tests), 4 more pass than at the best, red iterations: 0/5"}},
		{"a claim that a plan refused", nil, loop.Counting{}, refused, []string{"WARNING: Claim of done was untrue, red iterations: 1/5"}},
		{"a claim without the evidence for it", nil, loop.Counting{}, lacking, []string{"WARNING: Claim of done lacks evidence, red iterations: 1/5"}},
		{"a claim that is proven although a pinned file was changed", nil, loop.Counting{}, pinned, []string{"Claim proven, and to be confirmed (1 in a row so far)", "WARNING: Pinned files were changed, and judged as they were when the run began: a_test.go, b_test.go"}},
		{"a claim behind which there is less", nil, loop.Counting{}, kept, []string{"Claim taken (nothing broke), and to be confirmed (1 in a row so far)"}},
		{"red as before the run", &loop.Best{Passed: 5, Failed: 35}, loop.Counting{}, counted(stillRed, 5, 35), []string{"Quality gates still red: test (35 of 40 tests), consecutive test failures: 1/4"}},
		{"red as before the run, but better", &loop.Best{Passed: 5, Failed: 35}, loop.Counting{}, counted(better, 10, 30), []string{"Quality gates still red: test (30 of 40 tests), 5 fewer fail than at the best"}},
		{"the agent's own tests failed", &loop.Best{Passed: 12}, loop.Counting{}, counted(ok(), 9, 3), []string{"WARNING: Tests failed: 3 of 12 tests, consecutive test failures: 1/4"}},
		{"the agent's own tests failed, for the first time", nil, loop.Counting{}, counted(ok(), 9, 3), nil},
	}
	limits := loop.Limits{Failures: 3, RedGates: 5, TestFailures: 4}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := loop.State{Best: tt.best, Counting: tt.counting}
			p := &loop.IterationFinished{Outcome: tt.outcome, State: before.Add(tt.outcome)}
			var got []string
			for _, f := range judged(before, p, limits) {
				got = append(got, f.text)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWithoutALimitAStreakHasNoSlash(t *testing.T) {
	before := loop.State{}
	o := failedBy(failing("test", "exit 1"))
	o.Duration = loop.Span(time.Second)
	got := judged(before, &loop.IterationFinished{Outcome: o, State: before.Add(o)}, loop.Limits{})[0].text
	if want := "WARNING: Quality gates failed: test (exit 1), red iterations: 1"; got != want {
		t.Errorf("line %q, want %q", got, want)
	}
}
