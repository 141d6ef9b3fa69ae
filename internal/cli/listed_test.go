package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

// everyState makes a run in each state that one can be in, and gives the names of those
// that are over and as they should be.
func everyState(t *testing.T, w *world) (over []string) {
	t.Helper()
	w.must(w.program, "run", "--", "true")
	store := w.store()
	noon := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	made := func(end loop.Payload) (dir string) {
		run, err := store.Create(journal.Meta{Procedure: "build", StartedAt: noon})
		if err != nil {
			t.Fatal(err)
		}
		defer run.Close()
		name := run.Meta().Name
		var state loop.State
		write := func(iter int, p loop.Payload) {
			noon = noon.Add(time.Second)
			e := loop.Event{Time: noon, Iter: iter, Payload: p}
			if iter > 0 {
				e.Attempt = 1
			}
			state = state.Sum(e)
			if f, ok := p.(*loop.IterationFinished); ok {
				f.State = state
			}
			run.Append(e)
		}
		write(0, &loop.RunStarted{Name: name, Procedure: "build", Agent: "sh", Limits: loop.Limits{Iterations: 9}})
		write(1, &loop.IterationStarted{Max: 9})
		write(1, &loop.IterationFinished{Outcome: loop.Outcome{
			Result: loop.OK, Duration: loop.Millis(1234 * time.Millisecond), Usage: &loop.Usage{Input: 1200, CostUSD: 0.25},
			Work: loop.Work{Changes: &loop.Changes{Modified: 2, LinesAdded: 5}, Net: &loop.Changes{Modified: 1, LinesAdded: 4, Commits: 1}},
		}})
		if end != nil {
			write(0, end)
			over = append(over, name)
		}
		return run.Dir()
	}
	ends := func(s loop.Status, proof *loop.Proof) *loop.RunFinished {
		return &loop.RunFinished{State: s, Reason: loop.ByRequest, Why: "for a\treason\nof two lines", Proof: proof, Elapsed: loop.Millis(time.Minute)}
	}
	made(ends(loop.Done, nil))
	made(ends(loop.Done, &loop.Proof{Level: loop.LevelProven, Why: "it is"}))
	made(ends(loop.Done, &loop.Proof{Level: loop.LevelTestsChanged}))
	for _, s := range []loop.Status{loop.Exhausted, loop.Aborted, loop.Stopped, loop.CouldNotRun} {
		made(ends(s, nil))
	}
	made(&loop.RunParked{Why: "it is late"})
	for _, c := range []journal.Carried{{Away: true, There: true}, {Away: true}, {Half: true}, {}} {
		c.Remote, c.Ref, c.Name, c.Since = "origin", "refs/x", "build-1", noon
		if err := c.Write(made(&loop.RunParked{Why: "it was carried"})); err != nil {
			t.Fatal(err)
		}
	}
	damaged := made(&loop.RunParked{})
	if err := os.WriteFile(filepath.Join(damaged, "carried.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	made(nil) // crashed
	live := made(nil)
	lock, err := store.Lock(journal.Holder{PID: os.Getpid(), Run: filepath.Base(live)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lock.Unlock() })
	sound := len(over)
	change := func(file, from, to string) {
		path := filepath.Join(made(ends(loop.Stopped, nil)), file)
		b, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(b, []byte(from)) {
			t.Fatalf("%s: %v, without %s", path, err, from)
		}
		if err := os.WriteFile(path, bytes.Replace(b, []byte(from), []byte(to), 1), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	change("journal.jsonl", `"stopped"`, `"done"`)
	change("run.json", `"procedure": "build"`, `"procedure": "built"`)
	change("run.json", `"format": 1`, `"format": 99`)
	change("run.json", `{`, `x`)
	if err := os.Remove(filepath.Join(made(ends(loop.Stopped, nil)), "journal.head")); err != nil {
		t.Fatal(err)
	}
	return slices.Insert(over[:sound:sound], 0, "run-1")
}

// shows is what a command prints, on both streams.
func (w *world) shows(args ...string) string {
	w.Helper()
	out, err := w.command(w.program, args...).CombinedOutput()
	if err != nil {
		w.Fatalf("%q: %v\n%s", args, err, out)
	}
	return string(out)
}

// listLater has the index of the world made as a list does that comes an hour later, when
// all files are settled. It gives the runs that were known before.
func (w *world) listLater() (knew []string) {
	w.Helper()
	store := w.store()
	l := listed{store: store, now: time.Now(), index: journal.OpenIndex(store, Version, time.Now().Add(time.Hour))}
	list, _, err := l.list()
	if err != nil {
		w.Fatal(err)
	}
	for _, b := range list {
		if b.Entry == nil {
			knew = append(knew, b.Name)
		}
		if _, err := l.row(b); err != nil {
			w.Fatal(err)
		}
	}
	l.done()
	slices.Sort(knew)
	return knew
}

var everyList = [][]string{{"ls"}, {"ls", "--long"}, {"ls", "--all"}, {"ls", "--machine"}, {"ls", "--machine", "--long"}, {"ls", "--json"}, {"ls", "--machine", "--json"}}

func TestAListFromTheIndexIsThatOfReading(t *testing.T) {
	w := newWorld(t)
	over := everyState(t, w)
	slices.Sort(over)
	index := filepath.Join(w.store().Dir, "runs.index")
	for _, args := range everyList {
		same := false
		var read, from string
		for range 5 { // the time of a live run goes on meanwhile
			_ = os.Remove(index)
			read = w.shows(args...)
			w.listLater()
			if knew := w.listLater(); !slices.Equal(knew, over) {
				t.Fatalf("known are %v, want %v", knew, over)
			}
			if from = w.shows(args...); untimed(from) == untimed(read) {
				same = true
				break
			}
		}
		if !same {
			t.Errorf("%q shows from the index:\n%s\nwant:\n%s", args, from, read)
		}
	}
}

// untimed leaves out how long a live run has been so, to the millisecond.
func untimed(out string) string {
	var kept []string
	for line := range strings.Lines(out) {
		if !strings.Contains(line, `"elapsed_ms"`) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

func TestAListShowsWhatWasDoneToRunsSinceTheIndex(t *testing.T) {
	for _, file := range []string{"journal.jsonl", "journal.head", "run.json", "carried.json", "iterations/0000/guarded.json"} {
		t.Run(file, func(t *testing.T) {
			w := newWorld(t)
			w.must(w.program, "run", "--", "true")
			w.listLater()
			path := filepath.Join(w.store().Dir, "runs", "run-1", file)
			b, err := os.ReadFile(path)
			switch {
			case file == "carried.json":
				err = journal.Carried{Remote: "origin", Name: "run-1", Away: true, There: true}.Write(filepath.Dir(path))
			case err == nil:
				b[len(b)/2] ^= 1
				err = os.WriteFile(path, b, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			from := w.shows("ls")
			if err := os.Remove(filepath.Join(w.store().Dir, "runs.index")); err != nil {
				t.Fatal(err)
			}
			if read := w.shows("ls"); from != read {
				t.Errorf("the list is\n%s\nwant\n%s", from, read)
			}
			if file == "carried.json" && !strings.Contains(from, "carried") {
				t.Errorf("the list says nothing of where it is:\n%s", from)
			}
		})
	}
}
