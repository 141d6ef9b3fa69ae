package view

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
)

// after is a run of an agent after its first iteration, of two minutes.
func after(o loop.Outcome, started loop.RunStarted, seen ...loop.Payload) *Run {
	started.Name, started.Prompt = "build-7", "build it"
	o.Duration = loop.Millis(2 * time.Minute)
	r := &record{now: noon}
	r.add(0, 0, &started)
	r.add(0, 0, &loop.RunBaseline{Proof: loop.InClean, SetUp: true})
	r.add(1, 1, &loop.IterationStarted{Max: started.Limits.Iterations})
	for _, p := range seen {
		r.add(1, 1, p)
	}
	r.add(1, 1, &loop.IterationFinished{Outcome: o})
	return fold(r.events...)
}

// worked is an outcome of an agent that could do everything.
func worked() loop.Outcome {
	yes, zero := true, 0
	return loop.Outcome{
		Result: loop.OK, Exit: &loop.Exit{Code: &zero, Cause: loop.Exited}, Work: loop.Work{Progress: &yes, Changes: &loop.Changes{Created: 1, Modified: 2, Commits: 1}}, Worker: loop.Worker{BilledTo: "api_key"}, Gates: []loop.Gate{{Name: "test", OK: true}, {Name: "lint", OK: true}},
		Usage: &loop.Usage{Input: 1000, CostUSD: 0.42},
	}
}

func TestAfterTheFirstIterationItIsKnownWhetherARunCanBeLeft(t *testing.T) {
	shell := &loop.AgentTool{Name: "Bash", Shell: true}
	twenty := loop.RunStarted{Limits: loop.Limits{Iterations: 20, Time: loop.Millis(8 * time.Hour), CostUSD: 10}}
	got := after(worked(), twenty, shell, &loop.AgentTool{Name: "Read"}).Leave()
	want := &Leave{
		Safe: true, Did: "3 files edited, commands run, 1 commit made", Proof: "claims are judged in a clean checkout, by test, lint",
		Billed: "your API key", Pace: "about $0.42 and 2m00s an iteration; at this rate $8.40 and 40m00s for all 20",
		Ends: "at the latest after 20 iterations, 8h00m or $10.00",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("leave (-want +got):\n%s", diff)
	}
}

func TestWhatEndsARunThatIsLeft(t *testing.T) {
	for _, tt := range []struct {
		limits loop.Limits
		want   string
	}{
		{loop.Limits{}, "without a limit: only when done, or by you"},
		{loop.Limits{Files: 30}, "without a limit: only when done, or by you, or with more than 30 changed files"},
		{loop.Limits{Files: 1, Failures: 3}, "without a limit: only when done, or after 3 failures in a row, or with more than 1 changed file"},
		{loop.Limits{Files: 30, Iterations: 20, Tokens: 5}, "at the latest after 20 iterations or 5 tokens, or with more than 30 changed files"},
	} {
		if got := after(worked(), loop.RunStarted{Limits: tt.limits}).Leave().Ends; got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.limits, got, tt.want)
		}
	}
}

func TestWhatSpeaksAgainstLeaving(t *testing.T) {
	limited := loop.RunStarted{Limits: loop.Limits{Iterations: 20}}
	failed, one := worked(), 1
	failed.Result, failed.Exit = loop.Failed, &loop.Exit{Code: &one, Cause: loop.Exited}
	red := worked()
	red.Result, red.Gates = loop.Failed, []loop.Gate{{Name: "test"}}
	known := worked()
	known.Gates = []loop.Gate{{Name: "test", Why: "2 of 3 tests", Known: true, Tests: 3}}
	counted := func(o loop.Outcome, name string, tests int) loop.Outcome {
		o.Gates = []loop.Gate{{Name: name, OK: true, Tests: tests}}
		return o
	}
	broken := counted(worked(), "test", 3)
	broken.Gates[0].OK, broken.Gates[0].Why, broken.Gates[0].Tests, broken.Result = false, "it does not build", 0, loop.Failed
	newly := counted(worked(), "test", 3)
	newly.Tests = &loop.Tests{Total: 3, Passed: 2, Failed: 1, NewlyFailing: []string{"TestAdd"}}
	changed := counted(worked(), "test", 3)
	changed.Claim = &loop.Claim{Kind: loop.ClaimDone}
	changed.Proof = &loop.Proof{Level: loop.LevelTestsChanged, Tests: &loop.ProofTests{Changed: []loop.TestChange{{Name: "TestAdd", What: loop.TestSkipped}, {Name: "TestSub", What: loop.TestGone}}}}
	lacking := counted(worked(), "test", 3)
	lacking.Claim = &loop.Claim{Kind: loop.ClaimDone, Why: "TestAdd is gone", Lacks: "tests"}
	pinned := worked()
	pinned.Pinned = []string{"a_test.go"}
	threeTests := &loop.RunBaseline{SetUp: true, Proof: loop.InClean, Gates: []loop.BaselineGate{{Gate: loop.Gate{Name: "test", OK: true, Tests: 3}}}}
	late := worked()
	late.Result = loop.TimedOut
	no := false
	idle := worked()
	idle.Changes, idle.Progress = nil, &no
	free := worked()
	free.Usage, free.BilledTo = nil, "subscription"
	tests := []struct {
		name    string
		outcome loop.Outcome
		started loop.RunStarted
		seen    loop.Payload
		want    []string
	}{
		{"nothing", worked(), limited, nil, nil},
		{"a gate that the run made red", red, limited, nil, []string{"gates are red: test (refrain show build-7/1)"}},
		{"gates that were red before are what iterations are for", known, limited, nil, nil},
		{"all tests are there", counted(worked(), "test", 3), limited, threeTests, nil},
		{"tests are gone, or skipped", counted(worked(), "test", 1), limited, threeTests, []string{"gate test ran 1 test, and 3 before: some are gone or skipped (refrain diff build-7/1)"}},
		{"a gate that comes to no tests is just red", broken, limited, threeTests, []string{"gates are red: test (it does not build) (refrain show build-7/1)"}},
		{"tests fail that did not, and the gate does not mind", newly, limited, threeTests, []string{"tests fail that did not: TestAdd"}},
		{"tests that were changed with a reason", changed, limited, threeTests, []string{"tests were changed: TestAdd, TestSub (refrain show build-7/1)"}},
		{"a claim that lacks evidence", lacking, limited, threeTests, []string{"its claim was refused: TestAdd is gone"}},
		{"pinned files", pinned, limited, nil, []string{"pinned files were changed: a_test.go"}},
		{"any limit is one", worked(), loop.RunStarted{Limits: loop.Limits{Tokens: 5}}, nil, nil},
		{"a failure of the agent", failed, limited, nil, []string{"the last iteration failed (refrain show build-7/1)"}},
		{"a time-out", late, limited, nil, []string{"the last iteration failed (refrain show build-7/1)"}},
		{"no change", idle, limited, nil, []string{"nothing has changed so far (refrain logs build-7/1)"}},
		{"money without a limit", worked(), loop.RunStarted{Limits: loop.Limits{Failures: 3}}, nil, []string{"nothing limits its cost (refrain raise budget.cost_usd=9)"}},
		{"a subscription without a limit", free, loop.RunStarted{}, nil, []string{"nothing limits it (refrain raise loop.max_time=8h)"}},
		{
			"a clean checkout that cannot be", worked(), limited, &loop.RunBaseline{Proof: loop.InClean},
			[]string{"the clean checkout could not be set up, and without it no claim can be proven (refrain check)"},
		},
	}
	for _, tt := range tests {
		var seen []loop.Payload
		if tt.seen != nil {
			seen = append(seen, tt.seen)
		}
		l := after(tt.outcome, tt.started, seen...).Leave()
		if diff := cmp.Diff(tt.want, l.Missing); diff != "" || l.Safe != (tt.want == nil) {
			t.Errorf("%s: safe is %v; missing (-want +got):\n%s", tt.name, l.Safe, diff)
		}
	}
}

func TestAFlakyGateSpeaksAgainstLeaving(t *testing.T) {
	zero := 0
	said := func(ok bool) loop.Payload {
		return &loop.GateFinished{Gate: loop.Gate{Name: "e2e", OK: ok, Exit: &zero, Tree: "3f2a91c0d2e4"}}
	}
	got := after(worked(), loop.RunStarted{Limits: loop.Limits{Iterations: 2}}, said(false), said(true)).Leave()
	want := []string{"flaky, red and green on one tree, and so no proof: e2e"}
	if diff := cmp.Diff(want, got.Missing); diff != "" || got.Safe {
		t.Errorf("safe is %v; missing (-want +got):\n%s", got.Safe, diff)
	}
}

func TestWhatWasPutBackIsNoReasonToStay(t *testing.T) {
	o := worked()
	o.Gates = []loop.Gate{{Name: "test", Why: "3 of 3 tests"}}
	run := after(o, loop.RunStarted{Limits: loop.Limits{Iterations: 2}})
	run.Verdict.Restore = new(0)
	if l := run.Leave(); !l.Safe {
		t.Errorf("missing %q, want nothing", l.Missing)
	}
}

func TestGatesThatAreStillRedAreNamed(t *testing.T) {
	o := worked()
	o.Gates = []loop.Gate{{Name: "test", Why: "2 of 3 tests", Known: true}, {Name: "lint", OK: true}}
	l := after(o, loop.RunStarted{Limits: loop.Limits{Iterations: 2}}).Leave()
	if diff := cmp.Diff([]string{"test (2 of 3 tests)"}, l.Red); diff != "" || !l.Safe {
		t.Errorf("safe is %v; still red (-want +got):\n%s", l.Safe, diff)
	}
}

func TestWhatIsNotKnownIsNotSaidOfLeaving(t *testing.T) {
	denied := worked()
	denied.NoShell, denied.Denied, denied.Changes, denied.BilledTo, denied.Usage, denied.Gates = true, []string{"Bash"}, nil, "", nil, nil
	run := after(denied, loop.RunStarted{}, &loop.AgentTool{Name: "Bash", Shell: true}, &loop.RunBaseline{})
	want := &Leave{
		Missing: []string{"nothing limits it (refrain raise loop.max_time=8h)"}, Denied: []string{"Bash"}, Proof: "no gates: a claim will be unproven",
		Pace: "about 2m00s an iteration", Ends: "without a limit: only when done, or by you",
	}
	if diff := cmp.Diff(want, run.Leave()); diff != "" {
		t.Errorf("leave (-want +got):\n%s", diff)
	}
}

func TestCommitsOfTheRunnerAreNotTheAgents(t *testing.T) {
	got := after(worked(), loop.RunStarted{}, &loop.CommitMade{Commit: "a1b2c3d"}).Leave().Did
	if want := "3 files edited"; got != want {
		t.Errorf("it %q, want %q", got, want)
	}
}

func TestWhereNothingIsKnownNothingIsSaidOfLeaving(t *testing.T) {
	skipped := loop.Outcome{Result: loop.Skipped}
	command := after(worked(), loop.RunStarted{})
	command.Prompt = ""
	over := after(worked(), loop.RunStarted{})
	over.Apply(loop.Event{Time: noon, Payload: &loop.RunFinished{State: loop.Done}})
	for name, run := range map[string]*Run{
		"before it began": New(), "an iteration that was skipped": after(skipped, loop.RunStarted{}),
		"a command": command, "a run that is over": over,
	} {
		if l := run.Leave(); l != nil {
			t.Errorf("%s: %+v, want nothing", name, l)
		}
	}
}

func TestTheTightestBudgetSetsThePace(t *testing.T) {
	hour := loop.Millis(time.Hour)
	for want, limits := range map[string]loop.Limits{
		"at this rate $8.40 and 40m00s for all 20":           {Iterations: 20, Time: hour, CostUSD: 10, Tokens: 30000},
		"at this rate about 11 iterations within $5.00":      {Iterations: 20, CostUSD: 5, Tokens: 30000},
		"at this rate about 30 iterations within 1h00m":      {Time: hour, CostUSD: 100},
		"at this rate about 1 iteration within 1,500 tokens": {Iterations: 20, Tokens: 1500},
		"at this rate $12.60 an hour":                        {},
	} {
		if got := after(worked(), loop.RunStarted{Limits: limits}).Leave().Pace; got != "about $0.42 and 2m00s an iteration; "+want {
			t.Errorf("pace %q, want %q", got, want)
		}
	}
}

func TestAnEstimatedPaceIsMarked(t *testing.T) {
	o := worked()
	o.Usage.CostEstimated = true
	want := "≈$0.42 and 2m00s an iteration; at this rate ≈$0.84 and 4m00s for all 2"
	if got := after(o, loop.RunStarted{Limits: loop.Limits{Iterations: 2}}).Leave().Pace; got != want {
		t.Errorf("pace %q, want %q", got, want)
	}
}

func TestWithoutALimitTheRulesEndARun(t *testing.T) {
	limits := loop.Limits{Failures: 3, RedGates: 5, TestFailures: 1, NoProgress: 5}
	want := "without a limit: only when done, or after 3 failures, 5 red iterations, 1 test failure or 5 iterations without progress in a row"
	if got := after(worked(), loop.RunStarted{Limits: limits}).Leave().Ends; got != want {
		t.Errorf("ends %q, want %q", got, want)
	}
}
