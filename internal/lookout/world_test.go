package lookout

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/carry"
	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

func TestMain(m *testing.M) {
	for name, value := range map[string]string{
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_NAME": "Test", "GIT_AUTHOR_EMAIL": "test@example.com", "GIT_COMMITTER_NAME": "Test", "GIT_COMMITTER_EMAIL": "test@example.com",
	} {
		os.Setenv(name, value)
	}
	os.Exit(m.Run())
}

// world is a remote, a fleet with some runs, and a worker whose clone is at "worker".
type world struct {
	t   *testing.T
	dir string
	*fakeFleet
	*Lookout
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), fakeFleet: &fakeFleet{rows: map[string]fleet.Row{}}}
	w.git(w.dir, "init", "-q", "--bare", "-b", "main", "hub.git")
	w.git(w.dir, "clone", "-q", "hub.git", "worker")
	w.write("README", "hello\n")
	w.git(w.at("worker"), "add", ".")
	w.git(w.at("worker"), "commit", "-qm", "start")
	w.git(w.at("worker"), "push", "-q", "origin", "HEAD:main")
	g, err := carry.OpenGlimpses(t.Context(), w.at("glimpses"))
	if err != nil {
		t.Fatal(err)
	}
	w.Lookout = New(w.fakeFleet, counted{g, w.fakeFleet})
	return w
}

// counted notes how often somebody looks at a remote.
type counted struct {
	*carry.Glimpses
	in *fakeFleet
}

func (c counted) See(ctx context.Context, s carry.Sight) (*carry.Glimpse, error) {
	c.in.mu.Lock()
	c.in.looks++
	c.in.mu.Unlock()
	return c.Glimpses.See(ctx, s)
}

func (w *world) at(name string) string { return filepath.Join(w.dir, name) }

func (w *world) git(dir string, args ...string) string {
	w.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (w *world) write(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.at("worker"), name), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// store is the records of a machine: the worker's, or those of somebody who fetches.
func (w *world) store(machine string) journal.Store {
	w.t.Helper()
	if _, err := os.Stat(w.at(machine)); err != nil {
		w.git(w.dir, "clone", "-q", "hub.git", machine)
	}
	store, err := journal.OpenIn(w.at(machine+"-state"), w.at(machine))
	if err == nil {
		store, err = store.Claim()
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return store
}

// leg is one leg of a run, as a worker leaves it: parked or ended, and on the remote.
func (w *world) leg(name string, end loop.Payload) fleet.Row {
	w.t.Helper()
	ctx := w.t.Context()
	store := w.store("worker")
	row, known := w.rows[name]
	var run *journal.Run
	var state loop.State
	var err error
	if known {
		if _, err = (carry.Place{Store: store}).Fetch(ctx, row.ID, "origin", true); err != nil {
			w.t.Fatal(err)
		}
		var past journal.Past
		run, past, err = store.Resume(w.called(store, row.ID))
		state = past.State
	} else {
		run, err = store.Create(journal.Meta{Procedure: "build", Tree: store.Tree, StartedAt: time.Now()})
	}
	if err != nil {
		w.t.Fatal(err)
	}
	tree, err := git.Open(ctx, store.Tree, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	kept, err := checkpoint.OpenStore(ctx, tree, history.Checkpoints(run.Dir()), history.Pool(store))
	if err != nil {
		w.t.Fatal(err)
	}
	take := func() string {
		c, err := kept.Checkpoint(ctx)
		if err != nil {
			w.t.Fatal(err)
		}
		return c.ID
	}
	iter := state.Next()
	add := func(iter int, list ...loop.Payload) {
		for _, p := range list {
			e := loop.Event{Time: time.Now().UTC().Truncate(time.Millisecond), Iter: iter, Attempt: min(iter, 1), Payload: p}
			if f, ok := p.(*loop.IterationFinished); ok {
				f.State = state.Sum(e)
			}
			state = state.Sum(run.Append(e))
		}
	}
	if known {
		add(0, &loop.RunResumed{Limits: loop.Limits{Iterations: 10}, PID: 77})
	} else {
		add(0, &loop.RunStarted{Name: run.Meta().Name, Dir: run.Dir(), Procedure: "build", Agent: "test", Limits: loop.Limits{Iterations: 10}, PID: 77, Prompt: "do it"})
	}
	base := take()
	add(iter, &loop.IterationStarted{Max: 10}, &loop.CheckpointMade{Checkpoint: base})
	a := run.Begin(iter, 1)
	a.WritePrompt("do it")
	fmt.Fprintf(a.Stdout(), "the agent speaks in %d\n", iter)
	add(iter, &loop.AgentText{Text: fmt.Sprintf("the agent speaks in %d", iter)})
	w.write("work", fmt.Sprintf("%d\n", iter))
	left := take()
	add(iter, &loop.AgentExited{Exit: loop.Exit{Code: new(int), Cause: loop.Exited}}, &loop.CheckpointMade{Checkpoint: left})
	a.Close()
	came := loop.Outcome{Result: loop.OK}
	came.Checkpoint = left
	add(iter, &loop.IterationFinished{Outcome: came, Verdict: loop.Verdict{Action: loop.Continue}})
	add(0, end)
	if err := run.Close(); err != nil {
		w.t.Fatal(err)
	}
	moved, err := carry.Place{Store: store}.Push(ctx, run.Meta().Name, "origin")
	if err != nil {
		w.t.Fatal(err)
	}
	row = fleet.Row{
		Run: name, ID: run.Meta().ID, State: loop.Parked, Iterations: iter, Leg: moved.Leg, Worker: "w1", Queue: "default",
		StartedAt: run.Meta().StartedAt, Place: fleet.Place{Remote: w.at("hub.git"), Branch: "refrain/" + name, At: moved.At},
	}
	if f, ok := end.(*loop.RunFinished); ok {
		row.State, row.Reason, row.EndedAt = f.State, f.Reason, time.Now()
	}
	w.say(row)
	return row
}

// called is what a run is called in records.
func (w *world) called(store journal.Store, id string) string {
	w.t.Helper()
	list, _, err := store.List()
	if err != nil {
		w.t.Fatal(err)
	}
	i := slices.IndexFunc(list, func(e journal.Entry) bool { return e.ID == id })
	if i < 0 {
		w.t.Fatalf("%s is not in the records", id)
	}
	return list[i].Name
}

// fakeFleet says of runs what it was told, and takes every order but to skip.
type fakeFleet struct {
	fleet.Service // what nobody who looks asks for

	mu     sync.Mutex
	rows   map[string]fleet.Row
	orders []fleet.Order
	looks  int // at remotes
	down   error
}

func (f *fakeFleet) say(row fleet.Row) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rows[row.Run] = row
}

func (f *fakeFleet) Find(_ context.Context, word string) (fleet.Row, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, row := range f.rows {
		if f.down == nil && (row.Run == word || row.ID == word) {
			return row, nil
		}
	}
	return fleet.Row{}, errors.Join(f.down, &fleet.UnknownError{What: "there is no run " + word, Do: "list them"})
}

func (f *fakeFleet) List(_ context.Context, filter fleet.Filter) ([]fleet.Row, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.down != nil {
		return nil, f.down
	}
	var list []fleet.Row
	for _, row := range f.rows {
		if filter.Over || !Over(row) {
			list = append(list, row)
		}
	}
	slices.SortFunc(list, func(a, b fleet.Row) int { return b.StartedAt.Compare(a.StartedAt) })
	if filter.Most > 0 {
		list = list[:min(filter.Most, len(list))]
	}
	return list, nil
}

func (f *fakeFleet) Order(_ context.Context, _ string, o fleet.Order) (fleet.Answer, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.orders = append(f.orders, o)
	if o.Command == "skip" {
		return fleet.Answer{State: loop.Parked, Why: "no agent is running"}, nil
	}
	return fleet.Answer{OK: true, Effect: "heard: " + o.Command, State: loop.Running}, nil
}
