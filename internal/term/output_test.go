package term

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/view"
)

const second = time.Second

func TestPlainTellsAStoryLineByLine(t *testing.T) {
	three := loop.Limits{Iterations: 3, Failures: 3}
	tests := []struct {
		name  string
		story *story
		want  string
	}{
		{
			"a run up to its limit",
			begin(10, 0).tell(build(three)).
				iteration(45200*time.Millisecond, 3, ok()).
				iteration(85*second, 3, exit1()).
				iteration(5800*time.Millisecond, 3, ok()).
				tell(finished(loop.Exhausted, loop.ByIterations, "reached the limit of 3 iterations before done")),
			`
[10:00:00] Starting build-7 (max 3 iterations)
[10:00:00] Iteration 1/3 starting...
[10:00:45] Iteration 1/3 completed in 45.2s
[10:00:45] Iteration 2/3 starting...
[10:02:10] WARNING: The agent failed (exit 1), consecutive failures: 1/3 (after 1m25s)
[10:02:10] Iteration 3/3 starting...
[10:02:16] Iteration 3/3 completed in 5.8s
[10:02:16] Reached max iterations: 3 (total: 2m16s)
`,
		},
		{
			"failures: the iteration's own end comes before the run's",
			begin(10, 0).tell(build(loop.Limits{Failures: 3})).
				iteration(30*second, 0, exit1()).iteration(30*second, 0, exit1()).iteration(35*second, 0, exit1()).
				tell(finished(loop.Aborted, loop.ByFailures, "3 consecutive failures")),
			`
[10:00:00] Starting build-7 (unlimited iterations)
[10:00:00] Iteration 1 starting...
[10:00:30] WARNING: The agent failed (exit 1), consecutive failures: 1/3 (after 30.0s)
[10:00:30] Iteration 2 starting...
[10:01:00] WARNING: The agent failed (exit 1), consecutive failures: 2/3 (after 30.0s)
[10:01:00] Iteration 3 starting...
[10:01:35] WARNING: The agent failed (exit 1), consecutive failures: 3/3 (after 35.0s)
[10:01:35] ERROR: Aborting after 3 consecutive failures (3 iterations completed, total: 1m35s)
`,
		},
		{
			"claims, waits, warnings and wishes",
			begin(10, 0).tell(build(loop.Limits{Iterations: 5})).
				in(1, 1, &loop.IterationStarted{Max: 5}, &loop.AgentText{Text: "not a fact"}, &loop.ClaimHeard{Text: "DONE"}).after(second).
				in(1, 1, &loop.ClaimRefused{Text: "DONE", Why: "gate test failed\n(3 of 12 tests)"}).
				in(1, 1, &loop.IterationFinished{Outcome: loop.Outcome{Result: loop.Limited, Limit: &loop.Limit{Kind: "five_hour", Until: time.Date(2026, 11, 3, 10, 0, 20, 0, time.Local)}}}).
				tell(&loop.RunWaiting{Why: "usage limit (five_hour)", For: loop.Millis(20 * second), Until: time.Date(2026, 11, 3, 10, 0, 21, 0, time.Local)}).
				tell(&loop.Warning{Text: "two ways to be billed", Hint: "unset ANTHROPIC_API_KEY"}, &loop.Warning{Text: "the disk is \x1b[31mfull"}).
				after(20*second).
				in(1, 2, &loop.IterationStarted{Max: 5}).
				tell(&loop.CommandReceived{Command: "stop", Signal: "INT", Effect: "stops after this iteration"}).
				in(1, 2, &loop.IterationFinished{Outcome: ok()}).
				tell(&loop.CommandReceived{Command: "skip", Effect: "nothing to skip"}).
				tell(&loop.RunRule{Verdict: loop.Verdict{Action: loop.Stop}}).
				tell(finished(loop.Stopped, loop.BySignal, "stopped after the iteration by SIGINT")),
			`
[10:00:00] Starting build-7 (max 5 iterations)
[10:00:00] Iteration 1/5 starting...
[10:00:01] Claim refused: gate test failed (3 of 12 tests)
[10:00:01] Iteration 1/5 held up: usage limit (five_hour) until 10:00:20; it does not count
[10:00:01] Waiting 20s: usage limit (five_hour) (until 10:00:21)
[10:00:01] WARNING: two ways to be billed (hint: unset ANTHROPIC_API_KEY)
[10:00:01] WARNING: the disk is full
[10:00:21] Iteration 1/5 starting... (attempt 2)
[10:00:21] Received SIGINT: stops after this iteration
[10:00:21] Iteration 1/5 completed in 0.0s
[10:00:21] Received skip: nothing to skip
[10:00:21] Interrupted. State saved. Resume with: refrain resume build-7
`,
		},
		{
			"what the gates said before the first iteration",
			begin(10, 0).tell(build(three)).
				tell(&loop.GateStarted{Name: "test"}, &loop.GateFinished{Gate: passing("test", 12)}).
				tell(&loop.RunBaseline{Proof: loop.InWorkspace, Why: "test: Cannot find module 'x'", Gates: []loop.BaselineGate{
					{Gate: passing("test", 12), Clean: &loop.Gate{Why: "Cannot find\nmodule 'x'"}},
					{Gate: failing("unit", "3 of 12 tests"), Clean: &loop.Gate{Why: "3 of 12 tests"}},
					{Gate: passing("lint", 0)},
				}}).
				tell(&loop.RunBaseline{Proof: loop.InClean}, &loop.RunBaseline{}),
			`
[10:00:00] Starting build-7 (max 3 iterations)
[10:00:00] Running the gates before the first iteration...
[10:00:00] Baseline: test passed (12 tests, 0.9s); clean checkout: failed (Cannot find module 'x')
[10:00:00] Baseline: unit failed (3 of 12 tests)
[10:00:00] Baseline: lint passed (0.9s)
[10:00:00] Claims are proven in the work tree
[10:00:00] Claims are proven in a clean checkout
`,
		},
		{
			"an agent that breaks tests, claims all the same, is undone and gets it right",
			begin(10, 0).tell(build(loop.Limits{Iterations: 3, RedGates: 5}), baselineOf(passing("test", 12), nil)).
				in(1, 1, &loop.IterationStarted{Max: 3}).after(45200*time.Millisecond).
				in(1, 1, &loop.TestsSeen{Tests: loop.Tests{Total: 3, Passed: 3}}).
				in(1, 1, &loop.GateStarted{Name: "test"}, &loop.GateFinished{Gate: failing("test", "3 of 12 tests")}).
				in(1, 1, &loop.ClaimRefused{Text: "DONE", Why: "gate test failed (3 of 12 tests)"}).
				in(1, 1, &loop.CheckpointRestored{Iteration: new(0), Why: "gate test failed (3 of 12 tests), and was better before"}).
				in(1, 1, &loop.IterationFinished{Outcome: loop.Outcome{
					Result: loop.Failed, Exit: exited(0), Duration: loop.Millis(45200 * time.Millisecond),
					Gates: []loop.Gate{failing("test", "3 of 12 tests"), failing("lint", "exit 1"), passing("vet", 0)},
					Tests: &loop.Tests{Total: 12, Passed: 9, Failed: 3, NewlyFailing: []string{"TestA", "TestB", "TestC", "TestD", "TestE"}},
				}}).
				in(2, 1, &loop.IterationStarted{Max: 3}, &loop.CommitMade{Commit: "a1b2c3d4e5f6", Subject: "loop: iteration 2\n\nRefrain-Run: build-7"}).
				in(2, 1, &loop.CheckpointRestored{Iteration: new(1), Why: "tests got worse"}).
				in(2, 1, &loop.IterationFinished{Outcome: loop.Outcome{
					Result: loop.OK, Exit: exited(0), Gates: []loop.Gate{passing("test", 12)},
					Tests: &loop.Tests{Total: 12, Passed: 12, NewlyFixed: []string{"TestA", "TestB"}, Flaky: []string{"TestF\x1b[2J"}},
					Proof: &loop.Proof{Level: loop.LevelProven, Tests: &loop.ProofTests{Held: 12, Fixed: []string{"TestA"}}},
				}}).
				tell(&loop.RunFinished{State: loop.Done, Reason: loop.ByPromise, Proven: true}),
			`
[10:00:00] Starting build-7 (max 3 iterations)
[10:00:00] Baseline: test passed (12 tests, 0.9s)
[10:00:00] Claims are proven in a clean checkout
[10:00:00] Iteration 1/3 starting...
[10:00:45] Claim refused: gate test failed (3 of 12 tests)
[10:00:45] Rolled back to before the first iteration: gate test failed (3 of 12 tests), and was better before
[10:00:45] Iteration 1/3 completed in 45.2s
[10:00:45] WARNING: Gates failed: test (3 of 12 tests); lint (exit 1), red iterations: 1/5
[10:00:45] Newly failing: TestA, TestB, TestC and 2 more
[10:00:45] Iteration 2/3 starting...
[10:00:45] Committed a1b2c3d: loop: iteration 2
[10:00:45] Rolled back to iteration 1: tests got worse
[10:00:45] Iteration 2/3 completed in 0.0s
[10:00:45] Fixed: TestA
[10:00:45] No longer failing: TestB
[10:00:45] Flaky: TestF
[10:00:45] Done: promise "DONE" found (proven) after 2 iterations (total: 45s)
`,
		},
		{
			"tests that an agent changed, and says so",
			begin(10, 0).tell(build(loop.Limits{Iterations: 3})).
				in(1, 1, &loop.IterationStarted{Max: 3}, &loop.TestExplained{Name: "TestAdd", Why: "sums\nround\x1b[2J now"}).
				in(1, 1, &loop.ClaimRefused{Text: "DONE", Why: "TestSub is gone, and nobody says why", Lacks: "tests"}, &loop.IterationFinished{Outcome: ok()}).
				tell(&loop.RunFinished{State: loop.Done, Reason: loop.ByPromise, Proof: &loop.Proof{Level: loop.LevelTestsChanged, Tests: &loop.ProofTests{Changed: []loop.TestChange{{Name: "TestAdd"}}}}}),
			`
[10:00:00] Starting build-7 (max 3 iterations)
[10:00:00] Iteration 1/3 starting...
[10:00:00] Test changed: TestAdd: sums round now
[10:00:00] Claim refused: TestSub is gone, and nobody says why
[10:00:00] Iteration 1/3 completed in 0.0s
[10:00:00] Done: promise "DONE" found (tests changed: TestAdd) after 1 iteration (total: 0s)
`,
		},
		{
			"waits, pauses, reboots, notes and wishes of people",
			begin(10, 0).tell(build(loop.Limits{Iterations: 5})).
				iteration(second, 5, ok()).
				tell(&loop.RunRebootStarted{Why: "the context is 87% full (context.redline is 85)"}, &loop.RunRebootFinished{Reboots: 2}).
				tell(&loop.RunWaiting{Rule: "provider", Agent: "claude", Why: "the provider is unavailable (overloaded)", For: loop.Millis(30 * second), Until: time.Date(2026, 11, 3, 10, 0, 31, 0, time.Local)}).
				tell(&loop.RunWaiting{Rule: "provider", Agent: "claude", Why: "the provider is unavailable (overloaded)", For: loop.Millis(10 * second), Until: time.Date(2026, 11, 3, 10, 0, 31, 0, time.Local)}).
				tell(&loop.CommandReceived{Command: "pause", Effect: "paused"}, &loop.RunPaused{}).
				tell(&loop.CommandReceived{Command: "pause", Effect: "the run is paused already", Refused: true}).
				tell(&loop.NoteAdded{Text: "mind\nthe \x1b[31mgap " + strings.Repeat("x", 300)}, &loop.CommandReceived{Command: "note", Text: "mind", Effect: "the next agent is told"}).
				tell(&loop.CommandReceived{Command: "note", Effect: "the note is empty", Refused: true}).
				tell(&loop.CommandReceived{Command: "raise", Key: "budget.cost_usd", Value: "10", Effect: "budget.cost_usd is 10 now", Limits: &loop.Limits{Iterations: 5, CostUSD: 10}}).
				tell(&loop.CommandReceived{Command: "resume", Effect: "going on"}, &loop.RunUnpaused{}).
				tell(&loop.RunPaused{}, &loop.CommandReceived{Command: "stop", Effect: "stopping now"}, &loop.RunUnpaused{}).
				tell(finished(loop.Stopped, loop.ByRequest, "")),
			`
[10:00:00] Starting build-7 (max 5 iterations)
[10:00:00] Iteration 1/5 starting...
[10:00:01] Iteration 1/5 completed in 1.0s
[10:00:01] Rebooting: the context is 87% full (context.redline is 85)
[10:00:01] Fresh session (reboot 2)
[10:00:01] Waiting 30s: the provider is unavailable (overloaded) (until 10:00:31)
[10:00:01] Received pause: paused
[10:00:01] Paused. Go on with: refrain resume build-7
[10:00:01] Refused pause: the run is paused already
[10:00:01] Note added: mind the gap ` + strings.Repeat("x", 186) + `…
[10:00:01] Refused note: the note is empty
[10:00:01] Raised: budget.cost_usd is 10 now
[10:00:01] Received resume: going on
[10:00:01] Going on
[10:00:01] Paused. Go on with: refrain resume build-7
[10:00:01] Received stop: stopping now
[10:00:01] Interrupted. State saved. Resume with: refrain resume build-7
`,
		},
		{
			"an end in the middle of an iteration still ends it",
			begin(10, 0).tell(build(three)).in(1, 1, &loop.IterationStarted{Max: 3}).
				tell(finished(loop.CouldNotRun, loop.ByError, "the work tree is gone")),
			`
[10:00:00] Starting build-7 (max 3 iterations)
[10:00:00] Iteration 1/3 starting...
[10:00:00] WARNING: Iteration 1/3 ended without an outcome
[10:00:00] ERROR: Could not run (error): the work tree is gone (0 iterations completed, total: 0s)
`,
		},
		{
			"no end at all still ends it",
			begin(10, 0).tell(build(loop.Limits{Iterations: 1})).in(1, 1, &loop.IterationStarted{Max: 1}),
			`
[10:00:00] Starting build-7 (max 1 iteration)
[10:00:00] Iteration 1/1 starting...
[10:00:00] WARNING: Iteration 1/1 ended without an outcome
`,
		},
		{
			"what could not be saved is said, and not called saved",
			begin(10, 0).tell(build(loop.Limits{})).tell(&loop.RunFinished{State: loop.Stopped, Reason: loop.ByRequest, Unsaved: []string{"the journal: disk full", "state.json: disk full"}}),
			`
[10:00:00] Starting build-7 (unlimited iterations)
[10:00:00] Interrupted. Not everything could be saved. Resume with: refrain resume build-7
[10:00:00] WARNING: Could not save: the journal: disk full
[10:00:00] WARNING: Could not save: state.json: disk full
`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var b strings.Builder
			tt.story.show(Plain(&b, view.New()))
			if diff := cmp.Diff(strings.TrimPrefix(tt.want, "\n"), b.String()); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPlainResumesFromThePast(t *testing.T) {
	past := begin(10, 0).tell(build(loop.Limits{Iterations: 5}))
	for range 5 {
		past.iteration(54*second, 5, ok())
	}
	past.tell(finished(loop.Exhausted, loop.ByIterations, ""))

	tests := []struct {
		name    string
		resumed *loop.RunResumed
		want    string
	}{
		{
			"with a higher limit",
			&loop.RunResumed{From: loop.Exhausted, Limits: loop.Limits{Iterations: 10}, Changed: []loop.Change{{Key: "loop.max_iterations", Old: "5", New: "10"}}},
			`
[11:10:00] Resuming build-7 from iteration 6 (max 10)
[11:10:00] Before: 5 iterations completed in 4m30s
[11:10:00] Setting changed: loop.max_iterations from 5 to 10
`,
		},
		{
			"without a limit", &loop.RunResumed{From: loop.Exhausted},
			`
[11:10:00] Resuming build-7 from iteration 6 (unlimited)
[11:10:00] Before: 5 iterations completed in 4m30s
`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var b strings.Builder
			begin(11, 10).tell(tt.resumed).show(Plain(&b, past.run()))
			if diff := cmp.Diff(strings.TrimPrefix(tt.want, "\n"), b.String()); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
		})
	}
}

func TestQuietTellsOnlyOfTroubleAndTheEnd(t *testing.T) {
	var b strings.Builder
	begin(10, 0).tell(build(loop.Limits{Iterations: 2, Failures: 3})).
		iteration(second, 2, exit1()).
		in(2, 1, &loop.ClaimRefused{Why: "it was quoted"}).
		tell(&loop.Warning{Text: "low disk space"}).
		iteration(second, 2, ok()).
		tell(finished(loop.Done, loop.ByIterations, "")).
		show(Quiet(&b, view.New()))
	want := `[10:00:01] WARNING: The agent failed (exit 1), consecutive failures: 1/3 (after 1.0s)
[10:00:01] WARNING: low disk space
[10:00:02] Reached max iterations: 2 (total: 2s)
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

func TestJSONIsOneEventPerLine(t *testing.T) {
	s := begin(10, 0).tell(build(loop.Limits{Iterations: 1})).
		in(1, 1, &loop.IterationStarted{Max: 1}, &loop.AgentText{Text: "two\nlines"}).
		tell(finished(loop.Done, loop.ByPromise, "promise found"))
	var b strings.Builder
	s.show(JSON(&b))
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(lines) != len(s.events) {
		t.Fatalf("%d lines for %d events:\n%s", len(lines), len(s.events), b.String())
	}
	for i, line := range lines {
		got, err := journal.Decode([]byte(line))
		if err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		if want := s.events[i]; got.Seq != want.Seq || got.Type() != want.Type() {
			t.Errorf("line %d is event %d, %s; want %d, %s", i+1, got.Seq, got.Type(), want.Seq, want.Type())
		}
	}
}

func TestTranscriptIsTheAgentsWordsAlone(t *testing.T) {
	var b strings.Builder
	out := Transcript(&b, Options{})
	for _, p := range []loop.Payload{
		&loop.IterationStarted{},
		&loop.AgentText{Text: "Looking.\x1b[31m"},
		&loop.AgentTool{Name: "Bash", Input: "go test ./..."},
		&loop.AgentExited{},
	} {
		out.Observe(loop.Event{Iter: 1, Attempt: 1, Payload: p})
	}
	out.Close()
	for _, want := range []string{"Looking.", "Bash", "go test ./..."} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("transcript %q lacks %q", b.String(), want)
		}
	}
	if strings.Contains(b.String(), "\x1b") || strings.Contains(b.String(), "Iteration") {
		t.Errorf("transcript %q holds an escape or the runner's words", b.String())
	}
}
