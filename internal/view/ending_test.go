package view

import (
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestEveryReasonHasItsLine(t *testing.T) {
	tests := []struct {
		state  loop.Status
		reason loop.Reason
		proven bool
		want   string
	}{
		{loop.Done, loop.ByPromise, false, `Done: promise "DONE" found (claimed, unproven) after 6 iterations (total: 2m35s)`},
		{loop.Done, loop.ByPromise, true, `Done: promise "DONE" found (proven) after 6 iterations (total: 2m35s)`},
		{loop.Done, loop.ByPlan, false, "Done: every task of the plan is done (claimed, unproven) after 6 iterations (total: 2m35s)"},
		{loop.Done, loop.ByGates, true, "Done: all gates pass (proven) after 6 iterations (total: 2m35s)"},
		{loop.Done, loop.ByExitZero, false, "Done: the command exited with status 0 (unproven) after 6 iterations (total: 2m35s)"},
		{loop.Done, "later", false, "Done: WHY (claimed, unproven) after 6 iterations (total: 2m35s)"},
		{loop.Done, loop.ByIterations, false, "Reached max iterations: 6 (total: 2m35s)"},
		{loop.Exhausted, loop.ByIterations, false, "Reached max iterations: 6 (total: 2m35s)"},
		{loop.Exhausted, loop.ByTime, false, "Reached max time: WHY (6 iterations completed, total: 2m35s)"},
		{loop.Exhausted, loop.ByCost, false, "Reached max cost: WHY (6 iterations completed, total: 2m35s)"},
		{loop.Exhausted, loop.ByTokens, false, "Reached max tokens: WHY (6 iterations completed, total: 2m35s)"},
		{loop.Aborted, loop.ByFailures, false, "ERROR: Aborting after 3 consecutive failures (6 iterations completed, total: 2m35s)"},
		{loop.Aborted, loop.ByRedGates, false, "ERROR: Aborting after 5 iterations with red gates, and test results did not get better (6 iterations completed, total: 2m35s)"},
		{loop.Aborted, loop.ByTestFailures, false, "ERROR: Aborting after 4 iterations with failing tests, and test results did not get better (6 iterations completed, total: 2m35s)"},
		{loop.Aborted, loop.ByNoProgress, false, "ERROR: Aborting (no_progress): WHY (6 iterations completed, total: 2m35s)"},
		{loop.Aborted, loop.ByPattern, false, "ERROR: Aborting (pattern): WHY (6 iterations completed, total: 2m35s)"},
		{loop.Aborted, loop.ByScript, false, "ERROR: Aborting (script): WHY (6 iterations completed, total: 2m35s)"},
		{loop.Aborted, loop.ByHook, false, "ERROR: Aborting (hook): WHY (6 iterations completed, total: 2m35s)"},
		{loop.Aborted, loop.ByBlocked, false, "ERROR: Aborting (blocked): WHY (6 iterations completed, total: 2m35s)"},
		{loop.Aborted, loop.ByPermissions, false, "ERROR: Aborting (permissions): WHY (6 iterations completed, total: 2m35s)"},
		{loop.Aborted, loop.ByProvider, false, "ERROR: Aborting (provider): WHY (6 iterations completed, total: 2m35s)"},
		{loop.Aborted, loop.ByWaitTooLong, false, "ERROR: Aborting (wait_too_long): WHY (6 iterations completed, total: 2m35s)"},
		{loop.Stopped, loop.ByRequest, false, "Interrupted. State saved. Resume with: refrain resume build-7"},
		{loop.Stopped, loop.BySignal, false, "Interrupted. State saved. Resume with: refrain resume build-7"},
		{loop.CouldNotRun, loop.ByAgentMissing, false, "ERROR: Could not run (agent_missing): WHY (6 iterations completed, total: 2m35s)"},
		{loop.CouldNotRun, loop.ByNotSignedIn, false, "ERROR: Could not run (not_signed_in): WHY (6 iterations completed, total: 2m35s)"},
		{loop.CouldNotRun, loop.ByNoCredit, false, "ERROR: Could not run (no_credit): WHY (6 iterations completed, total: 2m35s)"},
		{loop.CouldNotRun, loop.ByError, false, "ERROR: Could not run (error): WHY (6 iterations completed, total: 2m35s)"},
	}
	for _, tt := range tests {
		t.Run(string(tt.state)+" by "+string(tt.reason), func(t *testing.T) {
			run := New()
			run.Name, run.Promise = "build-7", "DONE"
			run.Limits.Iterations, run.Sum.Streaks = 6, loop.Streaks{Failures: 3, RedGates: 5, TestFailures: 4}
			f := &loop.RunFinished{
				State: tt.state, Reason: tt.reason, Why: "WHY\n", Proven: tt.proven,
				Elapsed: loop.Millis(155 * time.Second), Totals: loop.Totals{Iterations: 6},
			}
			if _, got := ending(run, f); got != tt.want {
				t.Errorf("line\n got %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestADoneRunSaysWhatStandsBehindIt(t *testing.T) {
	for want, p := range map[string]*loop.Proof{
		"proven":                       {Level: loop.LevelProven, Why: "TestAdd was red", Place: loop.InClean},
		"proven in the work tree only": {Level: loop.LevelProven, Place: loop.InWorkspace},
		"nothing broke: every gate passed before": {Level: loop.LevelKept, Why: "every gate passed\x1b[2J before", Place: loop.InClean},
		"tests changed: TestAdd, TestSub":         {Level: loop.LevelTestsChanged, Why: "so", Tests: &loop.ProofTests{Changed: []loop.TestChange{{Name: "TestAdd"}, {Name: "TestSub"}}}},
		"claimed, unproven":                       {Level: loop.LevelClaimed, Why: "no gates are set"},
	} {
		run := New()
		run.Promise = "DONE"
		f := &loop.RunFinished{State: loop.Done, Reason: loop.ByPromise, Proof: p, Totals: loop.Totals{Iterations: 2}}
		_, got := ending(run, f)
		if want := `Done: promise "DONE" found (` + want + `) after 2 iterations (total: 0s)`; got != want {
			t.Errorf("line\n got %s\nwant %s", got, want)
		}
	}
}

func TestARunThatOnlyClaimsIsNotSaidToHaveRedGates(t *testing.T) {
	run := New()
	run.Sum.Streaks.RedGates = 5
	run.Outcome = &loop.Outcome{Result: loop.OK, Claim: &loop.Claim{Kind: loop.ClaimDone, Why: "2 tasks are open"}}
	want := "ERROR: Aborting after 5 iterations with refused claims, and test results did not get better (5 iterations completed, total: 0s)"
	if _, got := ending(run, &loop.RunFinished{State: loop.Aborted, Reason: loop.ByRedGates, Totals: loop.Totals{Iterations: 5}}); got != want {
		t.Errorf("line\n got %s\nwant %s", got, want)
	}
}
