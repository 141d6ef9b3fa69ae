package view

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestEveryResultHasItsLine(t *testing.T) {
	now := time.Date(2026, 11, 3, 10, 0, 0, 0, time.Local)
	before := loop.State{Provider: loop.Provider{PrimaryWorked: true}, Counting: loop.CountPolicy{Agents: []string{"claude", "codex"}}}
	agentError := func(kind loop.ErrorKind, message string) *loop.AgentError {
		return &loop.AgentError{Kind: kind, Message: message}
	}
	tests := []struct {
		name    string
		outcome loop.Outcome
		want    string
	}{
		{"ok", ok(), "Iteration 2/5 completed in 45.2s"},
		{"ok, out of turns", loop.Outcome{Result: loop.OK, Exit: exited(0), Error: agentError(loop.ErrMaxTurns, "")}, "Iteration 2/5 completed in 45.2s, cut short by max turns"},
		{"ok, redline", loop.Outcome{Result: loop.OK, Exit: &loop.Exit{Cause: loop.OnRedline}}, "Iteration 2/5 completed in 45.2s, cut short by the redline"},
		{"failed, exit status only", loop.Outcome{Result: loop.Failed, Exit: exited(1)}, "WARNING: The agent failed (exit 1), consecutive failures: 1/3 (after 45.2s)"},
		{"failed, the agent repeats the exit status", exit1(), "WARNING: The agent failed (exit 1), consecutive failures: 1/3 (after 45.2s)"},
		{"failed, killed", loop.Outcome{Result: loop.Failed, Exit: &loop.Exit{Signal: "KILL", Cause: loop.Signaled}, Error: agentError(loop.ErrAgent, "ended by signal KILL")}, "WARNING: The agent failed (signal KILL), consecutive failures: 1/3 (after 45.2s)"},
		{"failed, the agent says why", loop.Outcome{Result: loop.Failed, Exit: exited(0), Error: agentError(loop.ErrAgent, "no final\nevent")}, "WARNING: The agent failed (exit 0), consecutive failures: 1/3 (after 45.2s)"},
		{"failed, the agent gives a kind", loop.Outcome{Result: loop.Failed, Exit: exited(2), Error: agentError(loop.ErrRefusal, "")}, "WARNING: The agent failed (exit 2), consecutive failures: 1/3 (after 45.2s)"},
		{"failed, never started", loop.Outcome{Result: loop.Failed, Worker: loop.Worker{Agent: "claude"}, Error: agentError(loop.ErrMissing, "claude: not found")}, "WARNING: The agent failed (not started), consecutive failures: 1/3"},
		{"failed, no status", loop.Outcome{Result: loop.Failed, Exit: &loop.Exit{Cause: loop.Exited}}, "WARNING: The agent failed (no exit status), consecutive failures: 1/3 (after 45.2s)"},
		{"failed by gates", loop.Outcome{Result: loop.Failed, Exit: exited(0), Gates: []loop.Gate{{Name: "test"}}}, "Iteration 2/5 completed in 45.2s"},
		{"failed by gates, out of turns", loop.Outcome{Result: loop.Failed, Exit: exited(0), Error: agentError(loop.ErrMaxTurns, ""), Gates: []loop.Gate{{Name: "test"}}}, "Iteration 2/5 completed in 45.2s, cut short by max turns"},
		{"failed by its own claim", loop.Outcome{Result: loop.Failed, Exit: exited(0), Claim: &loop.Claim{Kind: loop.ClaimDone, Why: "2 tasks are open"}}, "Iteration 2/5 completed in 45.2s"},
		{"failed by something else", loop.Outcome{Result: loop.Failed, Exit: exited(0)}, "WARNING: Iteration failed, consecutive failures: 1/3 (after 45.2s)"},
		{"timed out", loop.Outcome{Result: loop.TimedOut}, "WARNING: Iteration 2/5 timed out after 45.2s, consecutive failures: 1/3"},
		{"idle", loop.Outcome{Result: loop.Idle}, "WARNING: Iteration 2/5 was silent for too long and ended after 45.2s, consecutive failures: 1/3"},
		{"skipped by a hook", loop.Outcome{Result: loop.Skipped, Hook: &loop.Hook{Point: "next_iteration", Exit: 1}}, "Iteration 2/5 skipped (next_iteration hook requested)"},
		{"skipped by a person", loop.Outcome{Result: loop.Skipped}, "Iteration 2/5 skipped (skip requested)"},
		{"interrupted by a person", loop.Outcome{Result: loop.Interrupted, Exit: &loop.Exit{Cause: loop.OnRequest}}, "Iteration 2/5 interrupted after 45.2s; it does not count"},
		{"interrupted before it began", loop.Outcome{Result: loop.Interrupted}, "Iteration 2/5 interrupted after 45.2s; it does not count"},
		{"interrupted by the budget", loop.Outcome{Result: loop.Interrupted, Exit: &loop.Exit{Cause: loop.OnBudget}}, "Iteration 2/5 interrupted after 45.2s by the budget; it does not count"},
		{"interrupted by the time", loop.Outcome{Result: loop.Interrupted, Exit: &loop.Exit{Cause: loop.OnMaxTime}}, "Iteration 2/5 interrupted after 45.2s by the time limit; it does not count"},
		{"limited until tomorrow", loop.Outcome{Result: loop.Limited, Limit: &loop.Limit{Kind: "weekly", Until: now.Add(20 * time.Hour)}}, "Iteration 2/5 held up: usage limit (weekly) until 2026-11-04 06:00:00; it does not count"},
		{"limited without a time", loop.Outcome{Result: loop.Limited, Limit: &loop.Limit{Kind: "five_hour"}}, "Iteration 2/5 held up: usage limit (five_hour); it does not count"},
		{"limited without a kind", loop.Outcome{Result: loop.Limited, Error: agentError(loop.ErrRateLimit, "")}, "Iteration 2/5 held up: usage limit: rate limit; it does not count"},
		{"signed out in the middle", loop.Outcome{Result: loop.Failed, Worker: loop.Worker{Agent: "claude"}, Exit: exited(1), Error: agentError(loop.ErrAuth, "OAuth token expired")}, "Iteration 2/5 held up: claude is not signed in: OAuth token expired; it does not count"},
		{"out of money", loop.Outcome{Result: loop.Failed, Worker: loop.Worker{Agent: "claude"}, Exit: exited(1), Error: agentError(loop.ErrBilling, "")}, "Iteration 2/5 held up: claude has no credit left: billing; it does not count"},
		{"a stand-in that is not there", loop.Outcome{Result: loop.Failed, Worker: loop.Worker{Agent: "codex"}, Error: agentError(loop.ErrMissing, "codex: not found")}, "Iteration 2/5 held up: codex cannot work: codex: not found; it does not count"},
		{"unavailable", loop.Outcome{Result: loop.Unavailable, Error: agentError(loop.ErrOverloaded, "529")}, "Iteration 2/5 held up: the provider is unavailable: 529; it does not count"},
		{"lost", loop.Outcome{Result: loop.Lost}, "Iteration 2/5 lost: the runner died while it ran; it does not count"},
		{"lost with who looks after the agent", loop.Outcome{Result: loop.Lost, Error: &loop.AgentError{Kind: loop.ErrKeeper}}, "Iteration 2/5 lost: the process that looks after the agent was ended while it ran; it does not count"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.outcome.Duration = loop.Millis(45200 * time.Millisecond)
			p := &loop.IterationFinished{Outcome: tt.outcome, State: loop.State{Streaks: loop.Streaks{Failures: 1}}}
			if got := closing(ours, "Iteration 2/5", p, before, loop.Limits{Failures: 3}, now).Text; got != tt.want {
				t.Errorf("line\n got %s\nwant %s", got, tt.want)
			}
		})
	}
}

// What the agent said is told unless it is nothing but how its process ended.
func TestTheAgentsComplaint(t *testing.T) {
	killed := &loop.Exit{Signal: "KILL", Cause: loop.Signaled}
	for _, tt := range []struct {
		name string
		exit *loop.Exit
		err  *loop.AgentError
		want string
	}{
		{"none", exited(1), nil, ""},
		{"nobody told", killed, &loop.AgentError{Kind: loop.ErrAgent, Message: "ended by signal KILL", ByExit: true}, ""},
		{"nobody told, in other words", killed, &loop.AgentError{Kind: loop.ErrAgent, Message: "gone", ByExit: true}, ""},
		{"it says so itself", killed, &loop.AgentError{Kind: loop.ErrAgent, Message: "ended by signal KILL"}, "ended by signal KILL"},
		{"it repeats the status", exited(1), &loop.AgentError{Kind: loop.ErrAgent, Message: "exit 1"}, ""},
		{"the status, and why", exited(1), &loop.AgentError{Kind: loop.ErrAgent, Message: "exit 1: no money"}, "no money"},
		{"a kind alone", exited(1), &loop.AgentError{Kind: loop.ErrRateLimit}, "rate limit"},
		{"no kind of its own, and nothing said", exited(1), &loop.AgentError{Kind: loop.ErrAgent}, ""},
	} {
		if got := complaint(&loop.Outcome{Result: loop.Failed, Exit: tt.exit, Error: tt.err}); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestWithoutAThresholdThereIsNoSlash(t *testing.T) {
	p := &loop.IterationFinished{Outcome: exit1(), State: loop.State{Streaks: loop.Streaks{Failures: 4}}}
	want := "WARNING: The agent failed (exit 1), consecutive failures: 4 (after 0.0s)"
	if got := closing(ours, "Iteration 4", p, loop.State{}, loop.Limits{}, time.Now()).Text; got != want {
		t.Errorf("line %q, want %q", got, want)
	}
}

func TestWhoGoesOnMeanwhileIsNamed(t *testing.T) {
	now := time.Date(2026, 11, 3, 10, 0, 0, 0, time.Local)
	p := &loop.IterationFinished{
		Outcome: loop.Outcome{Result: loop.Limited, Worker: loop.Worker{Agent: "claude"}, Limit: &loop.Limit{Kind: "five_hour", Until: now.Add(time.Hour)}},
		Verdict: loop.Verdict{Action: loop.Continue, Rule: "fallback", Agent: "codex"},
	}
	want := "Iteration 2/5 held up: usage limit (five_hour) until 11:00:00; it does not count, and codex goes on meanwhile"
	if got := closing(ours, "Iteration 2/5", p, loop.State{}, loop.Limits{}, now).Text; got != want {
		t.Errorf("line %q, want %q", got, want)
	}
}

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
	asRooda := loop.CountPolicy{GatesAreFailures: true}
	tests := []struct {
		name     string
		best     *loop.Best
		counting loop.CountPolicy
		outcome  loop.Outcome
		want     []string
	}{
		{"all is well", nil, loop.CountPolicy{}, counted(ok(), 12, 0), nil},
		{"one gate failed", nil, loop.CountPolicy{}, failedBy(failing("test", "3 of 12 tests")), []string{"WARNING: Gates failed: test (3 of 12 tests), red iterations: 1/5"}},
		{"it does not say why", nil, loop.CountPolicy{}, failedBy(loop.Gate{Name: "test"}), []string{"WARNING: Gates failed: test, red iterations: 1/5"}},
		{"several failed; one had been red all along", nil, loop.CountPolicy{}, failedBy(failing("test", "exit 1"), known("lint", "exit 2"), passing("vet", 0), failing("e2e", "timed out after 10m")), []string{"WARNING: Gates failed: test (exit 1); e2e (timed out after 10m), red iterations: 1/5"}},
		{"gates count as failures", nil, asRooda, failedBy(failing("test", "exit 1")), []string{"WARNING: Gates failed: test (exit 1), consecutive failures: 1/3, red iterations: 1/5"}},
		{"red and better than the best does not count", &loop.Best{Passed: 5, Failed: 35}, loop.CountPolicy{}, counted(failedBy(failing("test", "30 of 40 tests")), 10, 30), []string{"WARNING: Gates failed: test (30 of 40 tests), 5 fewer fail than ever before, red iterations: 0/5"}},
		{"more tests is better too", &loop.Best{Passed: 5, Failed: 3}, loop.CountPolicy{}, counted(failedBy(failing("test", "3 of 12 tests")), 9, 3), []string{"WARNING: Gates failed: test (3 of 12 tests), 4 more pass than ever before, red iterations: 0/5"}},
		{"a claim that a plan refused", nil, loop.CountPolicy{}, refused, []string{"WARNING: Claim of done was untrue, red iterations: 1/5"}},
		{"a claim without the evidence for it", nil, loop.CountPolicy{}, lacking, []string{"WARNING: Claim of done lacks evidence, red iterations: 1/5"}},
		{"a claim that is proven although a pinned file was changed", nil, loop.CountPolicy{}, pinned, []string{"Claim proven, and to be confirmed (1 in a row so far)", "WARNING: Pinned files were changed, and judged as they were when the run began: a_test.go, b_test.go"}},
		{"a claim behind which there is less", nil, loop.CountPolicy{}, kept, []string{"Claim taken (nothing broke), and to be confirmed (1 in a row so far)"}},
		{"red as before the run", &loop.Best{Passed: 5, Failed: 35}, loop.CountPolicy{}, counted(stillRed, 5, 35), []string{"Gates still red: test (35 of 40 tests), consecutive test failures: 1/4"}},
		{"red as before the run, but better", &loop.Best{Passed: 5, Failed: 35}, loop.CountPolicy{}, counted(better, 10, 30), []string{"Gates still red: test (30 of 40 tests), 5 fewer fail than ever before"}},
		{"the agent's own tests failed", &loop.Best{Passed: 12}, loop.CountPolicy{}, counted(ok(), 9, 3), []string{"WARNING: Tests failed: 3 of 12 tests, consecutive test failures: 1/4"}},
		{"the agent's own tests failed, for the first time", nil, loop.CountPolicy{}, counted(ok(), 9, 3), nil},
	}
	limits := loop.Limits{Failures: 3, RedGates: 5, TestFailures: 4}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := loop.State{Evidence: loop.Evidence{Best: tt.best}, Counting: tt.counting}
			p := &loop.IterationFinished{Outcome: tt.outcome, State: before.Add(tt.outcome)}
			var got []string
			for _, f := range judged(ours, before, p, limits) {
				got = append(got, f.Text)
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
	o.Duration = loop.Millis(time.Second)
	got := judged(ours, before, &loop.IterationFinished{Outcome: o, State: before.Add(o)}, loop.Limits{})[0].Text
	if want := "WARNING: Gates failed: test (exit 1), red iterations: 1"; got != want {
		t.Errorf("line %q, want %q", got, want)
	}
}

func exited(code int) *loop.Exit { return &loop.Exit{Code: &code, Cause: loop.Exited} }

func ok() loop.Outcome { return loop.Outcome{Result: loop.OK, Exit: exited(0)} }

func exit1() loop.Outcome {
	return loop.Outcome{Result: loop.Failed, Exit: exited(1), Error: &loop.AgentError{Kind: loop.ErrAgent, Message: "exit 1"}}
}

// Gates as they come out, of 0.9 seconds each.
func passing(name string, tests int) loop.Gate {
	return loop.Gate{Name: name, OK: true, Tests: tests, Where: loop.InWorkspace, Duration: loop.Millis(900 * time.Millisecond)}
}

func failing(name, why string) loop.Gate {
	return loop.Gate{Name: name, Why: why, Where: loop.InWorkspace, Duration: loop.Millis(900 * time.Millisecond)}
}

// known is a gate that was red before the first iteration and is no worse.
func known(name, why string) loop.Gate {
	g := failing(name, why)
	g.Known = true
	return g
}

func failedBy(gates ...loop.Gate) loop.Outcome {
	return loop.Outcome{Result: loop.Failed, Exit: exited(0), Gates: gates}
}

func provenBy(gates ...loop.Gate) loop.Outcome {
	o := ok()
	o.Gates, o.Claim = gates, &loop.Claim{Kind: loop.ClaimDone, Text: "DONE", By: loop.ByPromise, Proven: true}
	o.Changes = &loop.Changes{Created: 2, Commits: 1}
	return o
}
