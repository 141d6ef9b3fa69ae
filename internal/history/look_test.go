package history

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/view"
)

// What is shown of a run is read from its first event and its end. It must be
// what a reader of every event would show, wherever the run stands.
func TestLookIsAsGoodAsReadingEverything(t *testing.T) {
	zero := 0
	ok := loop.Outcome{Result: loop.OK, Exit: &loop.Exit{Code: &zero, Cause: loop.Exited}, Usage: &loop.Usage{Input: 100, CostUSD: 0.5}}
	events := func() []loop.Payload {
		return []loop.Payload{
			&loop.RunStarted{Name: "run-1", Procedure: "run", Agent: "cat", Promise: "DONE", Limits: loop.Limits{Iterations: 5}, PID: 7},
			&loop.IterationStarted{Max: 5},
			&loop.IterationFinished{Outcome: ok},
			&loop.RunWaiting{Why: "pause", Until: time.Date(2026, 11, 15, 13, 0, 0, 0, time.UTC)},
			&loop.IterationStarted{Max: 5},
			&loop.IterationPhase{Phase: loop.Executing},
			&loop.ClaimRefused{Kind: loop.ClaimDone, Text: "DONE", Why: "not alone"},
			&loop.IterationFinished{Outcome: loop.Outcome{Result: loop.Failed, Error: &loop.AgentError{Kind: loop.ErrAgent}}},
			&loop.RunFinished{State: loop.Stopped, Reason: loop.BySignal, Why: "stopped"},
			&loop.RunResumed{From: loop.Stopped, Limits: loop.Limits{Iterations: 9}, PID: 7},
			&loop.IterationStarted{Max: 9},
			&loop.IterationFinished{Outcome: ok},
			&loop.RunFinished{State: loop.Done, Reason: loop.ByPromise, Why: "promise found"},
		}
	}
	now := time.Date(2026, 11, 15, 12, 30, 0, 0, time.UTC)
	for n := 1; n <= len(events()); n++ {
		store, name := newRun(t, events()[:n])
		entry, err := store.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		looked, read := Look(entry), view.New()
		for e, err := range store.Events(name, 0) {
			if err != nil {
				t.Fatal(err)
			}
			read.Apply(e)
		}
		read.Dir = entry.Dir // which no event here tells
		if diff := cmp.Diff(read.Status(now), looked.Status(now)); diff != "" {
			t.Errorf("after %d events, ending with %s (-read +looked):\n%s", n, events()[n-1].Type(), diff)
		}
	}
}

// newRun makes a run with these events, one second apart.
func newRun(t *testing.T, events []loop.Payload) (journal.Store, string) {
	t.Helper()
	dir := t.TempDir()
	store := journal.Store{Dir: filepath.Join(dir, ".refrain"), Tree: dir}
	run, err := store.Create(journal.Meta{Procedure: "run", Flags: []byte("{}"), Config: []byte("{}")})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	var state loop.State
	at, iter := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC), 0
	for i, p := range events {
		if _, ok := p.(*loop.IterationStarted); ok {
			iter++
		}
		e := loop.Event{Time: at.Add(time.Duration(i) * time.Second), Iter: iter, Attempt: 1, Payload: p}
		if p, ok := p.(*loop.IterationFinished); ok {
			p.State = state.Sum(e)
		}
		state = state.Sum(run.Append(e))
	}
	return store, run.Meta().Name
}
