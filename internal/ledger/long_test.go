package ledger

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

// longNight writes a run as agents leave them, with a hundred events in each iteration:
// what they say and do, results of tools, gates, refused claims, limits that are waited
// for, and the state that grows with it.
func longNight(t testing.TB, tree string, iterations int) (journal.Store, *journal.Run) {
	t.Helper()
	store, r := emptyRun(t, tree)
	const often, held = 50, 2 * time.Hour // a limit, and how long it holds
	at := time.Now().Add(-time.Duration(iterations)*61*time.Second - time.Duration(iterations/often)*held)
	var state loop.State
	var events []loop.Event
	add := func(iteration int, p loop.Payload) {
		at = at.Add(600 * time.Millisecond)
		e := loop.Event{Time: at, Payload: p}
		if e.Iter = iteration; iteration > 0 {
			e.Attempt = 1
		}
		if f, ok := p.(*loop.IterationFinished); ok {
			f.State = state.Sum(e)
		}
		state = state.Sum(e)
		events = append(events, e)
	}
	add(0, &loop.RunStarted{Name: r.Meta().Name, Procedure: "build", Agent: "claude", Model: "opus", Prompt: "Read every file twice", Promise: "DONE", Limits: loop.Limits{Iterations: iterations, Redline: 60}})
	add(0, &loop.CheckpointMade{Checkpoint: fmt.Sprintf("%040x", 0)})
	for i := 1; i <= iterations; i++ {
		longAttempt(func(p loop.Payload) { add(i, p) }, i, iterations)
		if i%often == 0 {
			add(0, &loop.RunWaiting{Why: "usage limit (five_hour)", Until: at.Add(held)})
			at = at.Add(held)
		}
		r.AppendAll(events)
		events = events[:0]
	}
	add(0, &loop.RunFinished{State: loop.Exhausted, Reason: "iterations", Why: fmt.Sprintf("all %d iterations are used", iterations), Totals: state.Totals})
	r.AppendAll(events)
	return store, r
}

// longAttempt is one of them.
func longAttempt(add func(loop.Payload), i, iterations int) {
	add(&loop.IterationStarted{Max: iterations})
	add(&loop.AgentStarted{Agent: "claude"})
	for n := range 31 {
		id := fmt.Sprint("call-", n)
		add(&loop.AgentText{Text: fmt.Sprintf("Step %d of iteration %d: **reading** `file%d.go`, then\n\n- what calls it\n- what it calls\n", n, i, n)})
		add(&loop.AgentTool{ID: id, Name: "Bash", Input: fmt.Sprintf("go test ./internal/part%d", n), Shell: true})
		add(&loop.AgentToolResult{ID: id, Output: strings.Repeat(fmt.Sprintf("ok  \tshop/internal/part%d\t0.0%ds\n", n, n), 8)})
	}
	add(&loop.AgentUsage{Usage: loop.Usage{CostUSD: 0.25, ContextPercent: 10 + i%60}})
	add(&loop.AgentExited{})
	add(&loop.CheckpointMade{Checkpoint: fmt.Sprintf("%040x", i)})
	gate := loop.Gate{Name: "test", OK: i%3 == 0, Why: "red", Tests: 120}
	add(&loop.GateFinished{Gate: gate})
	o := loop.Outcome{
		Result: loop.OK, Usage: &loop.Usage{CostUSD: 0.25, ContextPercent: 10 + i%60}, Tests: &loop.Tests{Passed: 100 + i%20, Failed: 20 - i%20}, Gates: []loop.Gate{gate},
		Duration: loop.Millis(time.Duration(20+i%45) * time.Second), Said: loop.Said{Summary: fmt.Sprintf("read file%d.go, and changed what calls it", i)},
	}
	o.Changes = &loop.Changes{Modified: 2, LinesAdded: i % 90, LinesRemoved: i % 40}
	if i%40 == 0 {
		o.Result = loop.Failed
	}
	if i%2 == 1 {
		add(&loop.ClaimRefused{Kind: "done", Text: "DONE", Why: "gate test is red: 3 of 120 tests failed"})
		o.Claim = &loop.Claim{Kind: "done", Text: "DONE", Why: "gate test is red: 3 of 120 tests failed"}
	}
	add(&loop.IterationFinished{Outcome: o, Verdict: loop.Verdict{Action: loop.Continue}})
}

// Where the browser's benchmarks, a module of their own, want a long run to look at, it
// is written into the records of the work tree that they name. A short one can be
// written anyway.
func TestALongRunForTheBrowser(t *testing.T) {
	tree, iterations := os.Getenv("REFRAIN_LONG_RUN"), 10000
	if tree == "" {
		tree, iterations = t.TempDir(), 20
		t.Setenv("XDG_STATE_HOME", t.TempDir())
	}
	store, r := longNight(t, tree, iterations)
	l := Open(store, r.Meta().Name)
	p, err := l.Page(t.Context(), Query{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	if end := p.Lines[0]; end.Type != "run.finished" || end.Seq < int64(iterations)*100 {
		t.Errorf("the run ends with %s", end.Raw)
	}
	if err := l.Read(func(b *Book) {
		if len(b.Attempts) != iterations || b.Attempts[iterations-1].Total != 0.25*float64(iterations) {
			t.Errorf("%d attempts, the last is %+v", len(b.Attempts), b.Attempts[len(b.Attempts)-1])
		}
	}); err != nil {
		t.Fatal(err)
	}
}
