package whatif

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/policy"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/steer"
	"github.com/refrain-loop/refrain/internal/story"
)

// ok is a minute of work.
var ok = act{result: "ok", takes: time.Minute, writes: true, told: []loop.Usage{{Input: 100, CostUSD: 0.5}, {Input: 200, CostUSD: 1}}}

var failed = act{result: "failed", takes: time.Minute}

func again(a act, n int) []act {
	var list []act
	for range n {
		list = append(list, a)
	}
	return list
}

// Where a run would have ended, and what that would have saved.
func TestWhatif(t *testing.T) {
	limited := act{result: "limited", takes: time.Minute, reset: time.Hour}
	tests := []struct {
		what     string
		acts     []act
		orders   []order
		had      string // the settings of the record
		supposed string
		want     Result
	}{
		{
			"earlier, after an iteration", append(again(ok, 3), again(failed, 3)...), nil,
			"stop.failures=3", "stop.failures=1",
			Result{Stops: true, Iteration: 4, Place: "run-1/4", Rule: "failures", Supposed: Tally{State: loop.Aborted, Reason: loop.ByFailures, Iterations: 4}, Saved: Savings{Iterations: 2, Elapsed: loop.Millis(2*time.Minute + 12*time.Second)}},
		},
		{
			"in the middle of one, when the money is spent", again(ok, 6), nil,
			"loop.max_iterations=5", "budget.cost_usd=2.5",
			Result{Stops: true, Iteration: 3, Within: true, Place: "run-1/3", Rule: "cost", Supposed: Tally{State: loop.Exhausted, Reason: loop.ByCost, Iterations: 2, CostUSD: 2.5}, Saved: Savings{Iterations: 3, Elapsed: loop.Millis(2*time.Minute + 40*time.Second), CostUSD: 2.5, Tokens: 500}},
		},
		{
			"in the middle of one, when the time is over", again(ok, 6), nil,
			"loop.max_iterations=5", "loop.max_time=150s",
			Result{Stops: true, Iteration: 3, Within: true, Place: "run-1/3", Rule: "time", Supposed: Tally{State: loop.Exhausted, Reason: loop.ByTime, Iterations: 2, CostUSD: 2.5}, Saved: Savings{Iterations: 3, Elapsed: loop.Millis(150 * time.Second), CostUSD: 2.5, Tokens: 500}},
		},
		{
			"a wait for a limit that nobody is to wait for", append([]act{limited}, again(ok, 2)...), nil,
			"loop.max_iterations=2", "limits.max_wait=30m",
			Result{Stops: true, Place: "run-1/1", Rule: "wait_too_long", Supposed: Tally{State: loop.Aborted, Reason: loop.ByWaitTooLong}, Saved: Savings{Iterations: 2, Elapsed: loop.Millis(61*time.Minute + 2*time.Second), CostUSD: 2, Tokens: 400}},
		},
		{
			"no earlier, but later in the day", again(ok, 3), nil,
			"loop.max_iterations=3", "loop.iteration_delay=10m",
			Result{SameEnd: true, Iteration: 3, Place: "run-1/3", Supposed: Tally{State: loop.Exhausted, Reason: loop.ByIterations, Iterations: 3}, Saved: Savings{Elapsed: loop.Millis(-20 * time.Minute)}},
		},
		{
			"no earlier, and sooner", again(ok, 3), nil,
			"loop.max_iterations=3 loop.iteration_delay=10m", "loop.iteration_delay=0s",
			Result{SameEnd: true, Iteration: 3, Place: "run-1/3", Supposed: Tally{State: loop.Exhausted, Reason: loop.ByIterations, Iterations: 3}, Saved: Savings{Elapsed: loop.Millis(20 * time.Minute)}},
		},
		{
			"where it did, by another rule", again(failed, 3), nil,
			"stop.failures=3", "stop.failures=0 loop.max_iterations=3",
			Result{Stops: true, SameEnd: true, Iteration: 3, Place: "run-1/3", Rule: "iterations", Supposed: Tally{State: loop.Exhausted, Reason: loop.ByIterations, Iterations: 3}},
		},
		{
			"beyond the record", again(failed, 3), nil,
			"stop.failures=3", "stop.failures=4",
			Result{GoesOn: true, SameEnd: true, Iteration: 3, Place: "run-1/3", Supposed: Tally{Iterations: 3}},
		},
		{
			"beyond the record, when the attempt was cut short for its money", again(ok, 3), nil,
			"budget.cost_usd=1.2", "budget.cost_usd=9",
			Result{GoesOn: true, SameEnd: true, Iteration: 1, Place: "run-1/2", Supposed: Tally{Iterations: 1, CostUSD: 1.5}},
		},
		{
			"as it did, when the attempt was cut short for its money", again(ok, 3), nil,
			"budget.cost_usd=1.2", "stop.failures=1",
			Result{SameEnd: true, Iteration: 1, Place: "run-1/2", Supposed: Tally{State: loop.Exhausted, Reason: loop.ByCost, Iterations: 1}},
		},
		{
			"as it did, when the attempt was cut short for its time", again(ok, 3), nil,
			"loop.max_time=90s", "stop.failures=1",
			Result{SameEnd: true, Iteration: 1, Place: "run-1/2", Supposed: Tally{State: loop.Exhausted, Reason: loop.ByTime, Iterations: 1}},
		},
		{
			"earlier in the same attempt, with less time", again(ok, 3), nil,
			"loop.max_time=90s", "loop.max_time=70s",
			Result{Stops: true, Iteration: 2, Within: true, Place: "run-1/2", Rule: "time", Supposed: Tally{State: loop.Exhausted, Reason: loop.ByTime, Iterations: 1}, Saved: Savings{Elapsed: loop.Millis(20 * time.Second), CostUSD: 0.5, Tokens: 100}},
		},
		{
			"beyond the record, with more time", again(ok, 3), nil,
			"loop.max_time=90s", "loop.max_time=2h",
			Result{GoesOn: true, SameEnd: true, Iteration: 1, Place: "run-1/2", Supposed: Tally{Iterations: 1}},
		},
		{
			"as it did, when its time was over in a wait", again(ok, 3), nil,
			"loop.iteration_delay=1h loop.max_time=30m", "stop.failures=1",
			Result{SameEnd: true, Iteration: 1, Place: "run-1/1", Supposed: Tally{State: loop.Exhausted, Reason: loop.ByTime, Iterations: 1}},
		},
		{
			"earlier in the same wait, with less time", again(ok, 3), nil,
			"loop.iteration_delay=1h loop.max_time=30m", "loop.max_time=20m",
			Result{Stops: true, Iteration: 1, Place: "run-1/1", Rule: "time", Supposed: Tally{State: loop.Exhausted, Reason: loop.ByTime, Iterations: 1}, Saved: Savings{Elapsed: loop.Millis(10 * time.Minute)}},
		},
		{
			"beyond the record, when its time was over in a wait", again(ok, 3), nil,
			"loop.iteration_delay=1h loop.max_time=30m", "loop.max_time=2h",
			Result{GoesOn: true, SameEnd: true, Iteration: 1, Place: "run-1/1", Supposed: Tally{Iterations: 1}, Saved: Savings{Elapsed: loop.Millis(-31 * time.Minute)}},
		},
		{
			"a person stops it after an attempt that met a limit",
			[]act{limited},
			[]order{{30 * time.Second, steer.Command{Name: "stop"}}},
			"", "loop.max_time=10h",
			Result{SameEnd: true, Place: "run-1/1", Supposed: Tally{State: loop.Stopped, Reason: loop.ByRequest}},
		},
		{
			"a person stops it in a wait that would not have been", again(ok, 3),
			[]order{{15 * time.Minute, steer.Command{Name: "stop"}}},
			"loop.iteration_delay=1h", "loop.iteration_delay=10s",
			Result{SameEnd: true, Iteration: 1, Place: "run-1/1", Supposed: Tally{State: loop.Stopped, Reason: loop.ByRequest, Iterations: 1}, Saved: Savings{Elapsed: loop.Millis(14*time.Minute - 10*time.Second)}},
		},
		{
			"a person cuts a wait short", append([]act{limited}, again(ok, 2)...),
			[]order{{10 * time.Minute, steer.Command{Name: "resume"}}},
			"loop.max_iterations=2", "loop.iteration_delay=1m",
			Result{SameEnd: true, Iteration: 2, Place: "run-1/2", Supposed: Tally{State: loop.Exhausted, Reason: loop.ByIterations, Iterations: 2}, Saved: Savings{Elapsed: loop.Millis(-time.Minute)}},
		},
		{
			"a budget that a person raised is what it is supposed to be", again(ok, 6),
			[]order{{30 * time.Second, steer.Command{Name: "raise", Key: "budget.cost_usd", Value: "5"}}},
			"budget.cost_usd=1.5", "budget.cost_usd=2",
			Result{Stops: true, Iteration: 2, Within: true, Place: "run-1/2", Rule: "cost", Supposed: Tally{State: loop.Exhausted, Reason: loop.ByCost, Iterations: 1, CostUSD: 2}, Saved: Savings{Iterations: 3, Elapsed: loop.Millis(3 * time.Minute), CostUSD: 3, Tokens: 600}},
		},
		{
			"a budget that a person raised, when another setting is supposed", again(ok, 6),
			[]order{{30 * time.Second, steer.Command{Name: "raise", Key: "budget.cost_usd", Value: "5"}}},
			"budget.cost_usd=1.5", "loop.max_iterations=3",
			Result{Stops: true, Iteration: 3, Place: "run-1/3", Rule: "iterations", Supposed: Tally{State: loop.Exhausted, Reason: loop.ByIterations, Iterations: 3, CostUSD: 3}, Saved: Savings{Iterations: 1, Elapsed: loop.Millis(100 * time.Second), CostUSD: 2, Tokens: 400}},
		},
		{
			"a pause of a person's is no shorter", again(ok, 3),
			[]order{{30 * time.Second, steer.Command{Name: "pause"}}, {time.Hour, steer.Command{Name: "resume"}}},
			"loop.max_iterations=3", "loop.max_time=10m",
			Result{Stops: true, Iteration: 1, Place: "run-1/1", Rule: "time", Supposed: Tally{State: loop.Exhausted, Reason: loop.ByTime, Iterations: 1, CostUSD: 1}, Saved: Savings{Iterations: 2, Elapsed: loop.Millis(52 * time.Minute), CostUSD: 2, Tokens: 400}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			dir := t.TempDir()
			p := &play{acts: tt.acts, orders: tt.orders, margin: 2 * time.Second}
			p.run(t, dir, sets(t, "loop.max_iterations=0 stop.no_progress=0 stop.failures=0 loop.backoff=4s done.promise=DONE "+tt.had))
			got := whatif(t, dir, sets(t, tt.supposed))
			if len(got.Notes) > 0 {
				t.Errorf("notes = %q, want none", got.Notes)
			}
			if told := brief(*got); told != brief(tt.want) {
				t.Errorf("got  %+v\nwant %+v\nof   %+v", told, brief(tt.want), *got)
			}
		})
	}
}

// answer is what a test looks at.
type answer struct {
	stops, goesOn, within, sameEnd bool
	iteration, iterations          int
	place, rule                    string
	state                          loop.Status
	reason                         loop.Reason
	saved                          Savings
}

func brief(w Result) answer {
	return answer{
		w.Stops, w.GoesOn, w.Within, w.SameEnd, w.Iteration, w.Supposed.Iterations, w.Place, w.Rule,
		w.Supposed.State, w.Supposed.Reason, w.Saved,
	}
}

// A run that ended and was resumed is one run: an end that it had and a person
// looked at is no end of the supposed settings.
func TestWhatifOfAResumedRun(t *testing.T) {
	dir := t.TempDir()
	p := &play{acts: again(ok, 7), margin: time.Second}
	base := "stop.no_progress=0 done.promise=DONE loop.max_iterations="
	p.run(t, dir, sets(t, base+"3"))
	p.resume(t, dir, 5*time.Hour, sets(t, base+"6 loop.iteration_delay=1m"))
	tests := []struct {
		what, supposed string
		want           answer
	}{
		{"before the first end", "loop.max_iterations=2", answer{stops: true, iteration: 2, iterations: 2, place: "run-1/2", rule: "iterations", state: loop.Exhausted, reason: loop.ByIterations, saved: Savings{4, loop.Millis(6 * time.Minute), 4, 800}}},
		{"at the first end: a resume would not have begun", "loop.max_iterations=3", answer{stops: true, iteration: 3, iterations: 3, place: "run-1/3", rule: "iterations", state: loop.Exhausted, reason: loop.ByIterations, saved: Savings{3, loop.Millis(5 * time.Minute), 3, 600}}},
		{"after the resume", "loop.max_iterations=4", answer{stops: true, iteration: 4, iterations: 4, place: "run-1/4", rule: "iterations", state: loop.Exhausted, reason: loop.ByIterations, saved: Savings{2, loop.Millis(4 * time.Minute), 2, 400}}},
		{"not earlier than it did", "stop.failures=1", answer{sameEnd: true, iteration: 6, iterations: 6, place: "run-1/6", state: loop.Exhausted, reason: loop.ByIterations}},
		{"with the delay of the second part in the first too", "loop.iteration_delay=2m", answer{sameEnd: true, iteration: 6, iterations: 6, place: "run-1/6", state: loop.Exhausted, reason: loop.ByIterations, saved: Savings{Elapsed: loop.Millis(-6 * time.Minute)}}},
		{"beyond", "loop.max_iterations=9", answer{goesOn: true, sameEnd: true, iteration: 6, iterations: 6, place: "run-1/6"}},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			w := whatif(t, dir, sets(t, tt.supposed))
			if got := brief(*w); got != tt.want || len(w.Notes) > 0 {
				t.Errorf("got  %+v\nwant %+v\nof   %+v", got, tt.want, *w)
			}
		})
	}
}

// A resume that was not to wait for a limit does not wait under other settings.
func TestWhatifHurriesAsRecorded(t *testing.T) {
	dir := t.TempDir()
	p := &play{
		acts: append([]act{{result: "limited", takes: time.Minute, reset: 5 * time.Hour}}, again(ok, 3)...), margin: time.Second,
		orders: []order{{10 * time.Minute, steer.Command{Name: "stop"}}},
	}
	base := sets(t, "stop.no_progress=0 done.promise=DONE loop.max_iterations=2")
	p.run(t, dir, base)
	p.orders, p.hurry = nil, true
	p.resume(t, dir, time.Hour, base)
	w := whatif(t, dir, sets(t, "loop.iteration_delay=1m"))
	want := answer{sameEnd: true, iteration: 2, iterations: 2, place: "run-1/2", state: loop.Exhausted, reason: loop.ByIterations, saved: Savings{Elapsed: loop.Millis(-time.Minute)}}
	if got := brief(*w); got != want || len(w.Notes) > 0 {
		t.Errorf("got  %+v\nwant %+v\nof   %+v", got, want, *w)
	}
}

// A run of a version before a setting has no value of it. That is told, but not
// where the setting is off when nobody sets it.
func TestWhatifSaysWhichSettingsWereNotStored(t *testing.T) {
	store, name := newRun(t, []loop.Payload{
		&loop.RunStarted{Name: "run-1", Agent: "cat"}, &loop.RunRule{Verdict: loop.Verdict{Action: loop.Stop, Rule: "error", State: loop.CouldNotRun, Reason: loop.ByError}},
		&loop.RunFinished{State: loop.CouldNotRun, Reason: loop.ByError},
	})
	entry, err := store.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	entry.Config = []byte("{}")
	w, err := Suppose(store, entry, sets(t, "loop.max_time=1h"))
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, note := range w.Notes {
		if key, ok := strings.CutSuffix(note, " was not stored with the run: it is taken to be what it is when nobody sets it"); ok {
			told = append(told, key)
		}
	}
	off := []string{"stop.max_files", "stop.cost_without_progress", "stop.gates_are_failures", "stop.limit_first", "budget.cost_usd", "budget.tokens", "loop.max_time", "loop.iteration_delay", "stop.no_progress", "stop.repeats"} // the last two for a command
	for _, key := range Redecidable() {
		if want := !slices.Contains(off, key); slices.Contains(told, key) != want {
			t.Errorf("%s is told: %v, want %v", key, !want, want)
		}
	}
}

// Some ends are no rule's: they stay what they were.
func TestWhatifLeavesEndsThatNoRuleFound(t *testing.T) {
	for _, tt := range []struct {
		what   string
		end    loop.Verdict
		goesOn bool
	}{
		{"the runner could not go on", loop.Verdict{Rule: "error", State: loop.CouldNotRun, Reason: loop.ByError}, false},
		{"a hook ended it", loop.Verdict{Rule: "hook", State: loop.Aborted, Reason: loop.ByHook}, false},
		{"the plan was finished before", loop.Verdict{Rule: "plan", State: loop.Done, Reason: loop.ByPlan}, false},
		{"a signal of which only the end tells", loop.Verdict{Rule: "signal", State: loop.Stopped, Reason: loop.BySignal, Why: "stopped while nothing ran by SIGINT", Signal: "INT"}, false},
		{"a rule that was stricter", loop.Verdict{Rule: "time", State: loop.Exhausted, Reason: loop.ByTime}, true},
	} {
		t.Run(tt.what, func(t *testing.T) {
			tt.end.Action = loop.Stop
			store, name := newRun(t, []loop.Payload{
				&loop.RunStarted{Name: "run-1", Agent: "cat"}, &loop.RunRule{Verdict: tt.end},
				&loop.RunFinished{State: tt.end.State, Reason: tt.end.Reason, Why: tt.end.Why, Elapsed: loop.Millis(time.Second)},
			})
			entry, err := store.Load(name)
			if err != nil {
				t.Fatal(err)
			}
			w, err := Suppose(store, entry, sets(t, "loop.max_time=1h"))
			if err != nil {
				t.Fatal(err)
			}
			if w.Stops || w.GoesOn != tt.goesOn || !tt.goesOn && w.Supposed != w.Recorded {
				t.Errorf("got %+v, want it to end as it did, or to go on: %v", *w, tt.goesOn)
			}
		})
	}
}

// A runner that died leaves an attempt without an end, which the next one writes.
func TestWhatifOfARunThatDied(t *testing.T) {
	dir := t.TempDir()
	p := &play{acts: again(ok, 6), margin: time.Second}
	base := sets(t, "stop.no_progress=0 done.promise=DONE loop.max_iterations=4")
	p.run(t, dir, base)
	path := filepath.Join(dir, ".refrain/runs/run-1/journal.jsonl")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(whole), "\n")
	for i, line := range lines {
		if strings.Contains(line, `"iter":2,`) && strings.Contains(line, `"type":"agent.started"`) {
			lines = lines[:i+1]
			break
		}
	}
	story.WriteFile(t, path, strings.Join(lines, ""))
	alone := whatif(t, dir, sets(t, "loop.max_time=30m"))
	if got, want := brief(*alone), (answer{sameEnd: true, iteration: 1, iterations: 1, place: "run-1/2", state: loop.Crashed}); got != want {
		t.Errorf("of the part alone: %+v, want %+v", got, want)
	}
	p.ran = 1
	p.resume(t, dir, time.Hour, base)
	for _, tt := range []struct {
		supposed string
		want     answer
	}{
		{"stop.failures=1", answer{sameEnd: true, iteration: 4, iterations: 4, place: "run-1/4", state: loop.Exhausted, reason: loop.ByIterations}},
		{"budget.cost_usd=1.5", answer{stops: true, within: true, iteration: 2, iterations: 1, place: "run-1/2", rule: "cost", state: loop.Exhausted, reason: loop.ByCost, saved: Savings{3, loop.Millis(160 * time.Second), 2.5, 500}}},
	} {
		w := whatif(t, dir, sets(t, tt.supposed))
		if got := brief(*w); got != tt.want || len(w.Notes) > 0 {
			t.Errorf("%s: got %+v\nwant %+v\nof %+v", tt.supposed, got, tt.want, *w)
		}
	}
}

// What an agent used up while it worked may have been dropped with its
// transcript.
func TestWhatifSaysWhatIsNoLongerKept(t *testing.T) {
	dir := t.TempDir()
	p := &play{acts: again(ok, 4), margin: time.Second}
	p.run(t, dir, sets(t, "stop.no_progress=0 loop.max_iterations=4 done.promise=DONE"))
	if err := os.Remove(filepath.Join(dir, ".refrain/runs/run-1/iterations/0002/events.jsonl")); err != nil {
		t.Fatal(err)
	}
	w := whatif(t, dir, sets(t, "budget.cost_usd=1.5"))
	if w.Within || w.Iteration != 2 || w.Rule != "cost" || len(w.Notes) != 1 || !strings.Contains(w.Notes[0], "iteration 2") {
		t.Errorf("got %+v, want the end after iteration 2, and a note", *w)
	}
}

func TestWhatifOfARunThatDoesNotAddUpSaysSo(t *testing.T) {
	fail := func() *loop.IterationFinished {
		return &loop.IterationFinished{Outcome: loop.Outcome{Result: loop.Failed, Worker: loop.Worker{Agent: "cat"}}, Verdict: loop.Verdict{Action: loop.Continue}}
	}
	store, name := newRun(t, []loop.Payload{
		&loop.RunStarted{Name: "run-1", Agent: "cat"},
		&loop.IterationStarted{}, fail(), &loop.IterationStarted{}, fail(), &loop.IterationStarted{}, fail(), &loop.IterationStarted{}, fail(),
	})
	entry, err := store.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	w, err := Suppose(store, entry, sets(t, "loop.max_time=1h"))
	if err != nil || len(w.Notes) != 1 || !strings.Contains(w.Notes[0], "with its own settings") {
		t.Errorf("got %+v, %v, want a note that three failures had ended it", w, err)
	}
}

// A limit that another run had met is seen by the wait for it.
func TestWhatifKnowsOfLimitsThatOthersMet(t *testing.T) {
	until := time.Date(2026, 11, 15, 12, 0, 2, 0, time.UTC).Add(time.Hour)
	store, name := newRun(t, []loop.Payload{
		&loop.RunStarted{Name: "run-1", Agent: "cat", Counting: loop.CountPolicy{Agents: []string{"cat"}}},
		&loop.RunWaiting{Rule: "limit", Agent: "cat", Why: "usage limit (five_hour), noted by build-7", Until: until, Limit: "five_hour", NotedBy: "build-7"},
		&loop.Warning{Text: "it is late"},
	})
	run, past, err := store.Resume(name)
	if err != nil {
		t.Fatal(err)
	}
	state := past.State.Sum(run.Append(loop.Event{Time: until, Iter: 1, Attempt: 1, Payload: &loop.IterationStarted{}}))
	finished := &loop.IterationFinished{Outcome: loop.Outcome{Result: loop.OK, Worker: loop.Worker{Agent: "cat"}}, Verdict: loop.Verdict{Action: loop.Continue}}
	end := loop.Event{Time: until.Add(time.Minute), Iter: 1, Attempt: 1, Payload: finished}
	finished.State = state.Sum(end)
	run.Append(end)
	run.Close()
	entry, err := store.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		supposed string
		waits    bool
	}{
		{"limits.max_wait=2h", true},
		{"limits.max_wait=30m", false}, // what others say ends nothing: it tries at once
		{"loop.max_time=20m", false},
	} {
		w, err := Suppose(store, entry, sets(t, tt.supposed))
		if err != nil {
			t.Fatal(err)
		}
		if w.Stops || w.Notes != nil || (w.Saved == Savings{}) != tt.waits {
			t.Errorf("%s: got %+v, want it to wait %v", tt.supposed, *w, tt.waits)
		}
	}
}

// A run may break off anywhere, also while it waits for people. The record up to
// there is decided again as it was, and comes to an end.
func TestWhatifOfARunThatBreaksOff(t *testing.T) {
	finished := func(v loop.Verdict) *loop.IterationFinished {
		return &loop.IterationFinished{Outcome: loop.Outcome{Result: loop.OK, Worker: loop.Worker{Agent: "cat"}}, Verdict: v}
	}
	claimed := func(v loop.Verdict) *loop.IterationFinished {
		f := finished(v)
		f.Outcome.Claim = &loop.Claim{Kind: loop.ClaimDone, By: loop.ByPromise}
		return f
	}
	goesOn := loop.Verdict{Action: loop.Continue}
	command := func(name, text string) *loop.CommandReceived { return &loop.CommandReceived{Command: name, Text: text} }
	question := &loop.RunAsked{Question: "attended: run iteration 2?", Choices: []string{"continue", "skip", "reboot", "stop"}, Default: "continue"}
	stopped := loop.Verdict{Action: loop.Stop, Rule: "asked", State: loop.Stopped, Reason: loop.ByRequest, Why: "stopped by request before the next iteration"}
	done := loop.Verdict{Action: loop.Stop, Rule: "promise", State: loop.Done, Reason: loop.ByPromise}
	for _, tt := range []struct {
		what   string
		events []loop.Payload // after the first iteration
		from   int            // which of them may be the last
	}{
		{"a question", []loop.Payload{question, command("approve", ""), &loop.RunAnswered{Answer: "continue", By: "a person"}, &loop.IterationStarted{}, finished(goesOn)}, 0},
		{"a question that stops it", []loop.Payload{question, command("approve", "stop"), &loop.RunAnswered{Answer: "stop", By: "a person"}, &loop.RunRule{Verdict: stopped}}, 4},
		{"a pause", []loop.Payload{command("pause", ""), &loop.RunPaused{}, &loop.Warning{Text: "it is late"}, command("resume", ""), &loop.RunUnpaused{}, &loop.IterationStarted{}, finished(goesOn)}, 0},
		{"a pause in a question", []loop.Payload{question, command("pause", ""), command("approve", ""), &loop.RunAnswered{Answer: "continue", By: "a person"}, &loop.RunPaused{}, command("resume", ""), &loop.RunUnpaused{}, &loop.IterationStarted{}, finished(goesOn)}, 0},
		{"a pause that nobody is known to have ended", []loop.Payload{command("pause", ""), &loop.RunPaused{}, &loop.RunUnpaused{}, &loop.IterationStarted{}, finished(goesOn)}, 0},
		{"a question that nobody is known to have answered", []loop.Payload{question, &loop.RunAnswered{Answer: "continue", By: "a person"}, &loop.IterationStarted{}, finished(goesOn)}, 0},
		{"an end that was not written down", []loop.Payload{&loop.IterationStarted{}, claimed(done)}, 0},
	} {
		for n := tt.from; n <= len(tt.events); n++ {
			store, name := newRun(t, append([]loop.Payload{&loop.RunStarted{Name: "run-1", Agent: "cat"}, &loop.IterationStarted{}, finished(goesOn)}, tt.events[:n]...))
			entry, err := store.Load(name)
			if err != nil {
				t.Fatal(err)
			}
			w, err := Suppose(store, entry, sets(t, "loop.max_time=1h"))
			if err != nil || w.Stops || w.GoesOn || w.Notes != nil || w.Saved != (Savings{}) {
				t.Errorf("%s, %d events: got %+v, %v, want it as it was", tt.what, n, w, err)
			}
		}
	}
}

func TestWhatifRefusesWhatARecordDoesNotTell(t *testing.T) {
	dir := t.TempDir()
	p := &play{acts: again(ok, 1), margin: time.Second}
	p.run(t, dir, sets(t, "stop.repeats=0"))
	store := journal.Store{Dir: filepath.Join(dir, ".refrain"), Tree: dir}
	entry, err := store.Load("run-1")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ supposed, about string }{
		{"", "no other setting"},
		{"agent=claude", "agent cannot be tried"},
		{"limits.fallback=codex", "limits.fallback cannot be tried"},
		{"stop.patterns=oops", "stop.patterns cannot be tried"},
		{"session.mode=keep", "session.mode cannot be tried"},
		{"gate.test=x", "gate.test cannot be tried"},
		{"stop.repeats=3", "it was 0"},
		{"stop.failurs=3", "unknown key"},
		{"stop.failures=some", "must be a whole number"},
		{"loop.backoff=2h", "longer than loop.max_backoff"},
		{"done.confirmations=2", "no gate"},
	} {
		_, err := Suppose(store, entry, sets(t, tt.supposed))
		var asked *request.UsageError
		var settings *config.Errors
		if !errors.As(err, &asked) && !errors.As(err, &settings) || !strings.Contains(err.Error(), tt.about) {
			t.Errorf("%q: error = %v, want one about %q", tt.supposed, err, tt.about)
		}
	}
}

// Every setting that can be supposed is one of the rules', so that supposing it
// may change something.
func TestRedecidableSettingsDecide(t *testing.T) {
	for _, key := range Redecidable() {
		if !decides(key) {
			t.Errorf("%s can be supposed, and is not taken from the record", key)
		}
	}
	for _, key := range policy.Raisable {
		if !decides(key) {
			t.Errorf("%s can be raised, and is not taken from the record", key)
		}
	}
}
