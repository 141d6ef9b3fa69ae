package mcp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestListRuns(t *testing.T) {
	s, elsewhere := twoScenes(t)
	s.run().end(loop.Done)
	s.run().end(loop.Aborted)
	s.run() // nobody holds the lock for it
	elsewhere.run().end(loop.Done)

	var got listRunsOut
	s.call("list_runs", nil, &got)
	var states []loop.Status
	for _, r := range got.Runs {
		states = append(states, r.State)
	}
	if diff := cmp.Diff([]loop.Status{loop.Crashed, loop.Aborted, loop.Done}, states); diff != "" || got.More != 0 {
		t.Errorf("%d more, and states (-want +got):\n%s", got.More, diff)
	}

	s.call("list_runs", map[string]any{"limit": 2}, &got)
	if len(got.Runs) != 2 || got.More != 1 || got.Runs[0].Run != "build-3" {
		t.Errorf("two of them = %+v", got)
	}
}

func TestListRunsNamesThoseThatCannotBeRead(t *testing.T) {
	s := newScene(t)
	r := s.run()
	r.end(loop.Done)
	if err := os.WriteFile(filepath.Join(r.Dir(), "journal.jsonl"), []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var got listRunsOut
	s.call("list_runs", nil, &got)
	if len(got.Runs) != 0 || !cmp.Equal(got.Unreadable, []string{r.name}) {
		t.Errorf("list_runs = %+v, want %s among the unreadable", got, r.name)
	}
	s.fails("get_run", nil, "cannot be read", "tell a person")
}

func TestGetRunIsTheStatusAndWhereToWatchFrom(t *testing.T) {
	s := newScene(t)
	r := s.run()
	r.begin(1, 1)
	last := r.tell(&loop.IterationPhase{Phase: loop.Executing})
	r.held("")
	newer := s.run()
	newer.end(loop.Stopped)

	var got runNow
	s.call("get_run", nil, &got) // the live one, though another is later
	if got.Run != r.name || got.State != loop.Running || got.Phase != loop.Executing || got.Seq != last.Seq || got.MaxIterations != 9 {
		t.Errorf("get_run = %+v", got)
	}
	s.call("get_run", map[string]any{"run": "build"}, &got)
	if got.Run != newer.name || got.State != loop.Stopped {
		t.Errorf("the latest of its procedure = %+v, want %s", got, newer.name)
	}
}

func TestGetRunTellsOfTheSandbox(t *testing.T) {
	s := newScene(t)
	r := s.run()
	r.tell(&loop.RunResumed{Sandbox: &loop.Sandbox{Mode: "none", Wanted: "auto", Why: "so"}})
	r.tell(&loop.SandboxRefused{What: loop.RefusedHost, Name: "pypi.org"})
	var got runNow
	s.call("get_run", map[string]any{"run": r.name}, &got)
	if got.Sandbox == nil || got.Sandbox.String() != "none (so)" || len(got.SandboxRefusals) != 1 || got.Totals.HostsRefused != 1 {
		t.Errorf("get_run = %+v", got)
	}
}

func TestWhatStandsBehindARunIsTold(t *testing.T) {
	s := newScene(t)
	r := s.run()
	r.begin(1, 1)
	proof := &loop.Proof{Level: loop.LevelKept, Why: "every gate passed before the run too", Place: loop.InClean, Tests: &loop.ProofTests{Held: 3}}
	r.finish(loop.Outcome{Result: loop.OK, Claim: &loop.Claim{Kind: loop.ClaimDone, Text: "DONE"}, Proof: proof}, loop.Verdict{Action: loop.Stop, Proof: proof})
	r.tell(&loop.RunFinished{State: loop.Done, Reason: loop.ByPromise, Proof: proof, Totals: loop.Totals{Files: 5}, Net: &loop.Changes{Modified: 1}})

	var now runNow
	s.call("get_run", nil, &now)
	if diff := cmp.Diff(proof, now.Proof); diff != "" || now.Proven == nil || *now.Proven || now.Net == nil || now.Net.Modified != 1 {
		t.Errorf("proven %v, net %+v, proof (-want +got):\n%s", now.Proven, now.Net, diff)
	}
	var list listRunsOut
	s.call("list_runs", nil, &list)
	if got := list.Runs[0]; got.Level != loop.LevelKept || *got.Proven || got.Files != 1 {
		t.Errorf("list_runs = %+v, want it kept, with 1 file", got)
	}
	var iterations listIterationsOut
	s.call("list_iterations", nil, &iterations)
	if got := iterations.Iterations[0].Level; got != loop.LevelKept {
		t.Errorf("the level of its claim is %q, want kept", got)
	}
}

func TestRunsThatAreNotMeant(t *testing.T) {
	s, elsewhere := twoScenes(t)
	s.fails("get_run", nil, "there is no run here", "refrain run")

	other := elsewhere.run()
	other.end(loop.Done)
	s.fails("get_run", nil, "there is no run here")
	s.fails("get_run", map[string]any{"run": other.name}, "belongs to another work tree", "refrain mcp -C")
	s.fails("list_iterations", map[string]any{"run": other.name}, "belongs to another work tree")

	s.run().end(loop.Done)
	s.fails("get_run", map[string]any{"run": "build-9"}, `no run "build-9" here, but`, "list_runs")
	s.fails("get_run", map[string]any{"run": "../state"}, "there is no run")
}

// twoIterations is a run with one bad iteration, which took two attempts, and a
// good one.
func twoIterations(s *scene) *recorder {
	r := s.run()
	r.begin(1, 1)
	r.finish(loop.Outcome{Result: loop.Limited}, loop.Verdict{Action: loop.Wait, Why: "a usage limit"})
	r.begin(1, 2)
	r.tell(&loop.AgentText{Text: "I am done."})
	r.Attempt(1, 2).WriteFeedback([]string{"gate test failed: 2 of 3 tests"})
	r.finish(loop.Outcome{
		Result: loop.OK,
		Claim:  &loop.Claim{Kind: loop.ClaimDone, Text: "DONE", Why: "gate test failed"},
		Gates:  []loop.Gate{{Name: "lint", OK: true}, {Name: "test"}},
		Tests:  &loop.Tests{Total: 3, Passed: 1, Failed: 2},
		Usage:  &loop.Usage{Input: 100, Output: 10, CostUSD: 0.25},
	}, loop.Verdict{Action: loop.Continue})
	r.begin(2, 1)
	r.finish(loop.Outcome{
		Result: loop.OK, Said: loop.Said{Summary: "mended it"},
		Work: loop.Work{Changes: &loop.Changes{Created: 1, Modified: 2, LinesAdded: 40, LinesRemoved: 3, Commits: 1, Paths: []loop.PathChange{{Path: "a.go", Change: "created"}}}},
	}, loop.Verdict{Action: loop.Stop, Why: "the gates agree"})
	return r
}

func TestListIterations(t *testing.T) {
	s := newScene(t)
	twoIterations(s).end(loop.Done)
	var got listIterationsOut
	s.call("list_iterations", nil, &got)
	one, two := 1, 2
	want := []iterationRow{
		{Iteration: 1, Attempt: 1, Result: loop.Limited, Action: loop.Wait, Why: "a usage limit"},
		{
			Iteration: 1, Attempt: 2, Result: loop.OK, Action: loop.Continue, CostUSD: 0.25, Tokens: 110,
			Claim: &loop.Claim{Kind: loop.ClaimDone, Text: "DONE", Why: "gate test failed"}, RedGates: []string{"test"}, TestsPassed: &one, TestsFailed: &two,
		},
		{Iteration: 2, Attempt: 1, Result: loop.OK, Action: loop.Stop, Why: "the gates agree", Summary: "mended it", Files: 3, LinesAdded: 40, LinesRemoved: 3, Commits: 1},
	}
	if diff := cmp.Diff(want, got.Iterations); diff != "" || got.Total != 2 {
		t.Errorf("%d in all, and (-want +got):\n%s", got.Total, diff)
	}
	s.call("list_iterations", map[string]any{"last": 1}, &got)
	if len(got.Iterations) != 1 || got.Iterations[0].Iteration != 2 {
		t.Errorf("the last one = %+v", got.Iterations)
	}
}

func TestGetIteration(t *testing.T) {
	s := newScene(t)
	r := twoIterations(s)
	r.end(loop.Done)

	var got getIterationOut
	s.call("get_iteration", map[string]any{"iteration": 1}, &got)
	if got.Attempt != 2 || got.Outcome == nil || got.Outcome.Claim.Why != "gate test failed" || got.Running {
		t.Errorf("iteration 1 = %+v, want its last attempt", got)
	}
	if got.Transcript != "I am done.\n" || !cmp.Equal(got.Feedback, []string{"gate test failed: 2 of 3 tests"}) || filepath.Base(got.Dir) != "0001-2" {
		t.Errorf("iteration 1 has transcript %q, feedback %q, folder %s", got.Transcript, got.Feedback, got.Dir)
	}

	s.fails("get_iteration", map[string]any{"iteration": 3}, "build-1 has no iteration 3", "list_iterations")
}

func TestGetIterationThatIsUnderWay(t *testing.T) {
	s := newScene(t)
	r := twoIterations(s)
	r.held("")
	r.begin(3, 1)
	r.tell(&loop.AgentTool{Name: "Bash", Input: "go test ./..."})

	var got getIterationOut
	s.call("get_iteration", nil, &got)
	if got.Iteration != 3 || !got.Running || got.Outcome != nil || !strings.Contains(got.Transcript, "[Bash] go test ./...") {
		t.Errorf("the iteration under way = %+v", got)
	}
}

func TestGetIterationOfLongAgo(t *testing.T) {
	s := newScene(t)
	r := s.run()
	for n := range maxIterations + 20 {
		r.begin(n+1, 1)
		r.finish(loop.Outcome{Result: loop.OK}, loop.Verdict{Action: loop.Continue})
	}
	r.end(loop.Exhausted)
	var got getIterationOut
	s.call("get_iteration", map[string]any{"iteration": 2}, &got)
	if got.Outcome == nil {
		t.Errorf("iteration 2 = %+v, want its outcome", got)
	}
}
