package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// longState is the state of a run that has been going for a while.
func longState() loop.State {
	var s loop.State
	for i := range 20 {
		s.Summaries = append(s.Summaries, loop.Summary{Iteration: i, Text: strings.Repeat("what was done, and why. ", 12)})
	}
	return s
}

// BenchmarkList1000 lists runs with a configuration of usual size and the
// state of a long run.
func BenchmarkList1000(b *testing.B) {
	s := newStore(b)
	config := map[string]any{}
	for i := range 80 {
		config[fmt.Sprintf("section.key_%d", i)] = map[string]string{"value": "something", "layer": "file", "from": "refrain.toml:12"}
	}
	raw, err := json.Marshal(config)
	if err != nil {
		b.Fatal(err)
	}
	for i := range 1000 {
		r, err := s.Create(Meta{Procedure: "build", StartedAt: noon.Add(time.Duration(i) * time.Minute), Config: raw})
		if err != nil {
			b.Fatal(err)
		}
		startOf(r)
		finish(r, longState(), 1)
		r.Append(at(9, 0, 0, &loop.RunFinished{State: loop.Done, Reason: loop.ByPromise}))
		r.Close()
	}
	for b.Loop() {
		list, bad, err := s.List()
		if err != nil || len(bad) != 0 || len(list) != 1000 {
			b.Fatalf("List = %d, %v, %v", len(list), bad, err)
		}
	}
}

func BenchmarkLast100Of100000(b *testing.B) {
	s := newStore(b)
	r := create(b, s)
	startOf(r)
	finish(r, loop.State{}, 50)
	r.Close()
	path := filepath.Join(s.dir("build-1"), journalName)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		b.Fatal(err)
	}
	_, iterations, _ := bytes.Cut([]byte(readFile(b, path)), []byte("\n"))
	for range 100_000/50 - 1 {
		if _, err := f.Write(iterations); err != nil {
			b.Fatal(err)
		}
	}
	f.Close()
	for b.Loop() {
		events, err := s.Iterations("build-1", 100)
		if err != nil || len(events) != 100 {
			b.Fatalf("Iterations = %d, %v", len(events), err)
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	kinds := []struct {
		name  string
		event loop.Event
	}{
		{"agent text", at(0, 1, 1, &loop.AgentText{Text: strings.Repeat("some text ", 40)})},
		{"journal", at(0, 1, 1, &loop.IterationPhase{Phase: loop.Gates})},
		{"journal, synced", at(0, 1, 1, &loop.IterationStarted{})},
	}
	for _, k := range kinds {
		b.Run(k.name, func(b *testing.B) {
			r := create(b, newStore(b))
			for b.Loop() {
				r.Append(k.event)
			}
		})
	}
}
