package view

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/refrain-loop/refrain/internal/loop"
)

var noon = time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)

// record writes events as a runner would: with times, numbers and the sum so far.
type record struct {
	events []loop.Event
	sum    loop.State
	now    time.Time
}

func (r *record) add(iter, attempt int, p loop.Payload) {
	e := loop.Event{Seq: int64(len(r.events) + 1), Time: r.now, Run: "loop_1", Iter: iter, Attempt: attempt, Payload: p}
	r.sum = r.sum.Sum(e)
	if f, ok := p.(*loop.IterationFinished); ok {
		f.State = r.sum
	}
	r.events = append(r.events, e)
}

func fold(events ...loop.Event) *Run {
	run := New()
	for _, e := range events {
		run.Apply(e)
	}
	return run
}

// A run of any shape, with crashes and resumes.
func drawRecord(t *rapid.T) *record {
	r := &record{now: noon}
	limits := loop.Limits{Iterations: rapid.IntRange(0, 9).Draw(t, "max")}
	r.add(0, 0, &loop.RunStarted{
		Name: "build-7", Procedure: "build", PID: 10, Limits: limits, Agent: "claude", Branch: "loop/7", Prompt: "build it",
		Counting: loop.CountPolicy{Agents: []string{"claude", "codex"}, Keep: rapid.Bool().Draw(t, "keep")},
		Sandbox:  &loop.Sandbox{Mode: "namespaces"},
	})
	results := []loop.Result{loop.OK, loop.Failed, loop.TimedOut, loop.Skipped, loop.Limited, loop.Interrupted, loop.Lost}
	for range rapid.IntRange(0, 30).Draw(t, "events") {
		r.now = r.now.Add(time.Duration(rapid.IntRange(0, 90_000).Draw(t, "ms")) * time.Millisecond)
		iter, attempt := r.sum.Next(), r.sum.Attempts+1
		switch rapid.SampledFrom([]string{
			"start", "phase", "gate", "judge", "finish", "refuse", "wait", "end", "resume", "agent", "pause", "unpause", "wish", "reboot", "fresh", "raise", "baseline", "fence",
		}).Draw(t, "event") {
		case "start":
			r.add(iter, attempt, &loop.IterationStarted{Max: limits.Iterations})
		case "phase":
			r.add(iter, attempt, &loop.IterationPhase{Phase: loop.Gates})
		case "gate":
			r.add(iter, attempt, &loop.GateStarted{Name: "test", Where: loop.InClean})
		case "judge":
			name := rapid.SampledFrom([]string{"test", "lint"}).Draw(t, "gate")
			r.add(iter, attempt, &loop.GateFinished{Gate: loop.Gate{Name: name, OK: rapid.Bool().Draw(t, "green")}})
		case "refuse":
			r.add(iter, attempt, &loop.ClaimRefused{Text: "DONE", Why: "it was quoted"})
		case "finish":
			result := rapid.SampledFrom(results).Draw(t, "result")
			r.add(iter, attempt, &loop.IterationFinished{
				Outcome: loop.Outcome{
					Result: result, Duration: loop.Millis(time.Second), Usage: &loop.Usage{Input: 7, CostUSD: 0.5},
					Worker: loop.Worker{Agent: rapid.SampledFrom([]string{"", "claude", "codex"}).Draw(t, "who"), Session: "s-1"}, Exit: &loop.Exit{Cause: loop.Exited},
				},
				Verdict: loop.Verdict{Action: loop.Continue},
			})
		case "wait":
			agent := rapid.SampledFrom([]string{"", "claude"}).Draw(t, "whose provider")
			r.add(0, 0, &loop.RunWaiting{Why: "back-off", Agent: agent, Until: r.now.Add(time.Minute)})
		case "agent":
			r.add(iter, attempt, &loop.AgentStarted{Agent: "codex"})
		case "wish":
			r.add(0, 0, &loop.CommandReceived{Command: rapid.SampledFrom([]string{"pause", "resume"}).Draw(t, "wish"), Refused: rapid.Bool().Draw(t, "refused")})
		case "pause":
			r.add(0, 0, &loop.RunPaused{})
		case "unpause":
			r.add(0, 0, &loop.RunUnpaused{})
		case "reboot":
			r.add(0, 0, &loop.RunRebootStarted{Why: "the context is full"})
		case "fresh":
			r.add(0, 0, &loop.RunRebootFinished{Reboots: 1})
		case "raise":
			limits.Iterations++
			r.add(0, 0, &loop.CommandReceived{Command: "raise", Limits: &loop.Limits{Iterations: limits.Iterations}})
		case "baseline":
			r.add(0, 0, &loop.RunBaseline{Proof: loop.InClean, SetUp: true})
		case "fence":
			r.add(iter, attempt, &loop.SandboxRefused{What: loop.RefusedHost, Name: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "host")})
		case "end":
			r.add(0, 0, &loop.RunFinished{State: loop.Aborted, Reason: loop.ByFailures, Why: "3 consecutive failures", Elapsed: r.sum.Live, Totals: r.sum.Totals})
		case "resume":
			limits.Iterations = rapid.IntRange(0, 9).Draw(t, "new max")
			r.add(0, 0, &loop.RunResumed{
				From: loop.Aborted, PID: 20, Limits: limits, Agent: "codex",
				Counting: loop.CountPolicy{Agents: []string{"codex"}, Keep: rapid.Bool().Draw(t, "keep now")},
				Sandbox:  &loop.Sandbox{Mode: "none"},
			})
		}
	}
	return r
}

// short keeps what a reader finds without reading the whole journal.
func short(events []loop.Event) []loop.Event {
	finished, resumed := 0, 0
	for i, e := range events {
		switch e.Payload.(type) {
		case *loop.IterationFinished:
			finished = i
		case *loop.RunResumed:
			resumed = i
		}
	}
	var kept []loop.Event
	for i, e := range events {
		if i == 0 || i == resumed || i >= finished {
			kept = append(kept, e)
		}
	}
	return kept
}

func TestTheEndOfAJournalGivesTheSameStatusAsAllOfIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRecord(t)
		whole, tail := fold(r.events...), fold(short(r.events)...)
		now := r.now.Add(time.Second)
		if diff := cmp.Diff(whole.Status(now), tail.Status(now)); diff != "" {
			t.Fatalf("all events (-) and the last ones (+) differ:\n%s", diff)
		}
		if a, b := whole.Refused(), tail.Refused(); !slices.Equal(a, b) {
			t.Fatalf("refused claims: all events %q, the last ones %q", a, b)
		}
		if diff := cmp.Diff(whole.Gates, tail.Gates); diff != "" {
			t.Fatalf("gates: all events (-) and the last ones (+) differ:\n%s", diff)
		}
		if diff := cmp.Diff(whole.Gate, tail.Gate); diff != "" {
			t.Fatalf("gate under way: all events (-) and the last ones (+) differ:\n%s", diff)
		}
	})
}

func TestTheSumIsTheRunnersOwn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRecord(t)
		if diff := cmp.Diff(r.sum, fold(r.events...).Sum); diff != "" {
			t.Fatalf("runner (-) and view (+) differ:\n%s", diff)
		}
	})
}

func TestUsageOfTheAttemptUnderWay(t *testing.T) {
	r := &record{now: noon}
	r.add(0, 0, &loop.RunStarted{Name: "build-7"})
	r.add(1, 1, &loop.IterationStarted{})
	r.add(1, 1, &loop.AgentSession{Model: "large"})
	r.add(1, 1, &loop.AgentUsage{Usage: loop.Usage{Input: 10, CostUSD: 0.25, ContextPercent: 12}})
	r.add(1, 1, &loop.AgentUsage{Usage: loop.Usage{Input: 30, CostUSD: 0.5, ContextPercent: 31}})
	run := fold(r.events...)
	if run.Tokens() != 30 || run.Cost() != 0.5 || run.ContextPercent() != 31 || run.Model != "large" {
		t.Errorf("under way: %d tokens, $%v, context %d%%, model %q; want 30, 0.5, 31, large", run.Tokens(), run.Cost(), run.ContextPercent(), run.Model)
	}

	r.add(1, 1, &loop.IterationFinished{Outcome: loop.Outcome{Result: loop.OK, Usage: &loop.Usage{Input: 40, CostUSD: 0.75}}})
	run = fold(r.events...)
	if run.Tokens() != 40 || run.Cost() != 0.75 || run.ContextPercent() != 0 {
		t.Errorf("at its end: %d tokens, $%v, context %d%%; want 40, 0.75, 0", run.Tokens(), run.Cost(), run.ContextPercent())
	}
}

func TestARunIsWhatItsLastEventMadeOfIt(t *testing.T) {
	r := &record{now: noon}
	for _, step := range []struct {
		payload loop.Payload
		want    loop.Status
	}{
		{&loop.RunStarted{Name: "build-7"}, loop.Running},
		{&loop.RunWaiting{Why: "usage limit", Agent: "claude", Until: noon.Add(time.Hour)}, loop.Waiting},
		{&loop.RunPaused{}, loop.Paused},
		{&loop.NoteAdded{Text: "mind the gap"}, loop.Paused},
		{&loop.RunUnpaused{}, loop.Running},
		{&loop.RunRebootStarted{Why: "the context is full"}, loop.Rebooting},
		{&loop.RunRebootFinished{Reboots: 1}, loop.Running},
		{&loop.RunWaiting{Why: "usage limit", Until: noon.Add(time.Hour)}, loop.Waiting},
		{&loop.RunRebootStarted{Why: "a person asked for it"}, loop.Waiting},
		{&loop.RunRebootFinished{Reboots: 2}, loop.Waiting},
		{&loop.IterationStarted{}, loop.Running},
		{&loop.RunFinished{State: loop.Stopped}, loop.Stopped},
		{&loop.RunResumed{From: loop.Stopped}, loop.Running},
	} {
		r.add(0, 0, step.payload)
		run := fold(r.events...)
		if run.State != step.want || (run.Wait != nil) != (step.want == loop.Waiting) {
			t.Errorf("after %s: %s (wait %v), want %s", step.payload.Type(), run.State, run.Wait, step.want)
		}
	}
}

func TestARaisedLimitHoldsAtOnce(t *testing.T) {
	r := &record{now: noon}
	r.add(0, 0, &loop.RunStarted{Name: "build-7", Limits: loop.Limits{CostUSD: 5}})
	r.add(0, 0, &loop.CommandReceived{Command: "raise", Limits: &loop.Limits{CostUSD: 10}})
	r.add(0, 0, &loop.CommandReceived{Command: "pause", Refused: true})
	if got := fold(r.events...).Limits.CostUSD; got != 10 {
		t.Errorf("the limit is $%v, want $10", got)
	}
}

func TestTheWaitUnderWayCounts(t *testing.T) {
	r := &record{now: noon}
	r.add(0, 0, &loop.RunStarted{Name: "build-7"})
	r.add(0, 0, &loop.RunWaiting{Why: "usage limit", Agent: "claude"})
	r.now = noon.Add(time.Hour)
	r.add(0, 0, &loop.NoteAdded{Text: "hello"})
	if got := fold(r.events...).Waited(noon.Add(90 * time.Minute)); got != 90*time.Minute {
		t.Errorf("waited %v, want 1h30m", got)
	}
	r.add(1, 1, &loop.IterationStarted{})
	if got := fold(r.events...).Waited(noon.Add(90 * time.Minute)); got != time.Hour {
		t.Errorf("after it waited %v, want 1h", got)
	}
}

func TestARunThatDiedStopsItsClock(t *testing.T) {
	r := &record{now: noon}
	r.add(0, 0, &loop.RunStarted{Name: "build-7", PID: 10})
	r.now = noon.Add(time.Minute)
	r.add(1, 1, &loop.IterationStarted{})
	run := fold(r.events...)
	run.Died()
	got := run.Status(noon.Add(time.Hour))
	if got.State != loop.Crashed || got.PID != 0 || got.Phase != "" || got.Elapsed != loop.Millis(time.Minute) {
		t.Errorf("status = %+v, want crashed after 1m without pid and phase", got)
	}
}

func TestARunThatEndedDidNotDie(t *testing.T) {
	r := &record{now: noon}
	r.add(0, 0, &loop.RunStarted{Name: "build-7"})
	r.add(0, 0, &loop.RunFinished{State: loop.Done})
	run := fold(r.events...)
	run.Died()
	if run.State != loop.Done {
		t.Errorf("state = %s, want done", run.State)
	}
}

func TestGatesAreTheLastWordOfEach(t *testing.T) {
	test := func(ok bool) loop.Gate { return loop.Gate{Name: "test", OK: ok} }
	lint := loop.Gate{Name: "lint", OK: true}
	r := &record{now: noon}
	steps := []struct {
		when    string
		payload loop.Payload
		now     string
		want    []loop.Gate
	}{
		{"a gate began", &loop.GateStarted{Name: "test"}, "test", nil},
		{"it ended", &loop.GateFinished{Gate: test(false)}, "", []loop.Gate{test(false)}},
		{"the baseline is known", &loop.RunBaseline{Proof: loop.InClean, Gates: []loop.BaselineGate{{Gate: test(false)}, {Gate: lint}}}, "", []loop.Gate{test(false), lint}},
		{"the first iteration began", &loop.IterationStarted{}, "", []loop.Gate{test(false), lint}},
		{"a gate runs again", &loop.GateStarted{Name: "test"}, "test", []loop.Gate{test(false), lint}},
		{"and says otherwise", &loop.GateFinished{Gate: test(true)}, "", []loop.Gate{lint, test(true)}},
		{"the runner died in the next one, and another goes on", &loop.GateStarted{Name: "lint"}, "lint", []loop.Gate{lint, test(true)}},
		{"which begins anew", &loop.RunResumed{From: loop.Crashed}, "", []loop.Gate{lint, test(true)}},
		{"the iteration ended", &loop.IterationFinished{Outcome: loop.Outcome{Result: loop.OK, Gates: []loop.Gate{test(true)}}}, "", []loop.Gate{test(true)}},
	}
	for _, step := range steps {
		r.add(1, 1, step.payload)
		run := fold(r.events...)
		now := ""
		if run.Gate != nil {
			now = run.Gate.Name
		}
		if diff := cmp.Diff(step.want, run.Gates); diff != "" || now != step.now {
			t.Errorf("when %s: running %q, want %q; gates (-want +got):\n%s", step.when, now, step.now, diff)
		}
	}
	if proof := fold(r.events...).Sum.Proof; proof != loop.InClean {
		t.Errorf("claims are judged in %q, want the clean checkout", proof)
	}
}

func TestWhatARunChangedIsNotTheSumOfItsIterations(t *testing.T) {
	sum := loop.Totals{Files: 5, LinesAdded: 21, LinesRemoved: 16, Commits: 5}
	net := &loop.Changes{Modified: 1, LinesAdded: 7, LinesRemoved: 2}
	early := &loop.Changes{Created: 2, Deleted: 1}
	finished := Run{Sum: loop.State{Totals: sum, Tree: loop.Tree{Net: early}}}
	finished.Apply(loop.Event{Payload: &loop.RunFinished{State: loop.Done, Net: net}})
	rolledBack := finished
	rolledBack.Apply(loop.Event{Payload: &loop.CheckpointRestored{Net: early}})
	for _, tt := range []struct {
		name string
		run  Run
		want Figures
	}{
		{"now", Run{Sum: loop.State{Totals: sum, Tree: loop.Tree{Net: early}}}, Figures{Files: 3, Commits: 5}},
		{"at its end", finished, Figures{1, 7, 2, 5}},
		{"put back by a person after that", rolledBack, Figures{Files: 3, Commits: 5}},
		{"all was taken back", Run{Sum: loop.State{Totals: sum, Tree: loop.Tree{Net: &loop.Changes{}}}}, Figures{Commits: 5}},
		{"where only the sum is known", Run{Sum: loop.State{Totals: sum}, Finished: &loop.RunFinished{}}, Figures{5, 21, 16, 5}},
	} {
		if got := tt.run.Changed(); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// A wish to pause is there until the run is paused, or somebody takes it back.
func TestAPauseThatIsWishedFor(t *testing.T) {
	run := New()
	for i, step := range []struct {
		payload loop.Payload
		want    bool
	}{
		{&loop.RunStarted{Name: "build-1"}, false},
		{&loop.RunAsked{Question: "go on?"}, false},
		{&loop.CommandReceived{Command: "pause", Refused: true}, false},
		{&loop.CommandReceived{Command: "pause"}, true},
		{&loop.CommandReceived{Command: "resume"}, false},
		{&loop.CommandReceived{Command: "pause"}, true},
		{&loop.RunAnswered{}, true},
		{&loop.RunPaused{}, false},
	} {
		run.Apply(loop.Event{Seq: int64(i + 1), Payload: step.payload})
		if run.Pausing != step.want {
			t.Errorf("after %s: pausing is %v", step.payload.Type(), run.Pausing)
		}
	}
}

// What is done with a run that is over does not move its end.
func TestTheEndOfARunStays(t *testing.T) {
	run, start := New(), time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	for i, p := range []loop.Payload{&loop.RunStarted{Name: "build-1"}, &loop.RunFinished{State: loop.Stopped}, &loop.CheckpointRestored{}} {
		run.Apply(loop.Event{Seq: int64(i + 1), Time: start.Add(time.Duration(i) * time.Hour), Payload: p})
	}
	if want := start.Add(time.Hour); !run.EndedAt().Equal(want) {
		t.Errorf("it ended at %s, want %s", run.EndedAt(), want)
	}
}
