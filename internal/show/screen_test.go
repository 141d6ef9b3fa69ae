package show

import (
	"maps"
	"path/filepath"
	"testing"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

func TestHistoryHasAllOfTheLatestIterationsOnly(t *testing.T) {
	dir := t.TempDir()
	store := journal.Store{Dir: filepath.Join(dir, "state"), Tree: filepath.Join(dir, "tree")}
	run, err := store.Create(journal.Meta{Procedure: "build"})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	const iterations = 3 * recent
	run.Append(loop.Event{Payload: &loop.RunStarted{Name: "build-1"}})
	for i := range iterations {
		for _, p := range []loop.Payload{&loop.IterationStarted{}, &loop.AgentText{Text: "hello"}, &loop.IterationFinished{}} {
			run.Append(loop.Event{Iter: i + 1, Attempt: 1, Payload: p})
		}
	}
	run.Append(loop.Event{Payload: &loop.RunFinished{State: loop.Done}})

	seen := map[loop.Type]int{}
	var at int64
	for e, err := range Past(t.Context(), store, "build-1") {
		if err != nil {
			t.Fatal(err)
		}
		if e.Seq <= at {
			t.Errorf("event %d comes after %d", e.Seq, at)
		}
		at = e.Seq
		seen[e.Type()]++
	}
	want := map[loop.Type]int{"run.started": 1, "iteration.started": iterations, "iteration.finished": iterations, "agent.text": recent - 1, "run.finished": 1}
	if !maps.Equal(seen, want) {
		t.Errorf("saw %v, want %v", seen, want)
	}
	for n := range 70 { // a reader may have enough at any time
		for range Past(t.Context(), store, "build-1") {
			if n--; n < 0 {
				break
			}
		}
	}
}
