package carry

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

// runner is a worker with a run that is alive.
type runner struct {
	*world
	machine string
	id      string
	held    *Held
	run     *journal.Run
	kept    *checkpoint.Store
	iter    int
}

// take has a worker take a run on a machine, as a leg.
func (w *world) take(machine, id string, leg int) (*Held, error) {
	store := w.machine(machine)
	return Place{Store: store}.Take(w.t.Context(), Want{
		ID: id, Remote: "origin", Branch: "work", Bid: Bid{Worker: machine, Leg: leg},
		Lay: func(context.Context) (string, error) { return w.at(machine), nil },
	})
}

// begin has one begin a run.
func (w *world) begin(machine string) *runner {
	w.t.Helper()
	r := &runner{world: w, machine: machine, id: journal.NewID()}
	var err error
	if r.held, err = w.take(machine, r.id, 1); err != nil {
		w.t.Fatal(err)
	}
	if r.held.Card().Begun() {
		w.t.Fatal("somebody has begun it")
	}
	store := r.held.Store()
	if r.run, err = store.Create(journal.Meta{ID: r.id, Procedure: "build", Version: "test", StartedAt: time.Now(), Flags: []byte("{}"), Config: []byte("{}")}); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { r.run.Close() })
	tree, err := git.Open(w.t.Context(), w.at(machine), nil)
	if err == nil {
		r.kept, err = checkpoint.OpenStore(w.t.Context(), tree, history.Checkpoints(r.run.Dir()), history.Pool(store))
	}
	if err != nil {
		w.t.Fatal(err)
	}
	r.add(0, &loop.RunStarted{Name: r.run.Meta().Name, Dir: r.run.Dir(), Procedure: "build", Agent: "test"})
	return r
}

func (r *runner) add(iter int, list ...loop.Payload) {
	for _, p := range list {
		r.run.Append(loop.Event{Time: time.Now().UTC().Truncate(time.Millisecond), Iter: iter, Attempt: min(iter, 1), Payload: p})
	}
}

func (r *runner) checkpoint() string {
	r.t.Helper()
	c, err := r.kept.Checkpoint(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	return c.ID
}

// work is an iteration up to where its agent is gone.
func (r *runner) work() {
	r.iter++
	r.add(r.iter, &loop.IterationStarted{})
	a := r.run.Begin(r.iter, 1)
	fmt.Fprintln(a.Stdout(), "the agent speaks in", r.iter)
	a.Close()
	r.write(r.machine, "work", strconv.Itoa(r.iter)+"\n")
}

func (r *runner) keep(m Moment) error { return r.held.Keep(r.t.Context(), m) }

func (r *runner) mustKeep(m Moment) {
	r.t.Helper()
	if err := r.keep(m); err != nil {
		r.t.Fatal(err)
	}
}

// programs counts the gits that we have started, and not those that these have.
func programs(t *testing.T, do func()) int {
	t.Helper()
	dir := t.TempDir()
	os.Setenv("GIT_TRACE2_EVENT", dir)
	defer os.Unsetenv("GIT_TRACE2_EVENT")
	do()
	n := 0
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		f, err := os.Open(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		line, _ := bufio.NewReader(f).ReadBytes('\n')
		f.Close()
		var first struct{ Sid string }
		if err := json.Unmarshal(line, &first); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(first.Sid, "/") {
			n++
		}
	}
	return n
}

// However often a run is kept, that costs the same, and what is on the remote is as large
// as the run.
func TestKeptManyTimes(t *testing.T) {
	w := newWorld(t)
	r := w.begin("first")
	r.checkpoint()
	r.mustKeep(Moment{Checkpoint: r.checkpoint(), State: loop.Running})
	for range mostSmall + 10 {
		r.work()
		here := r.checkpoint()
		r.add(r.iter, &loop.CheckpointMade{Checkpoint: here})
		n := 0
		if r.iter%2 == 1 {
			n = programs(t, func() { r.mustKeep(Moment{Checkpoint: here, State: loop.Running, Branch: true}) })
		} else {
			r.mustKeep(Moment{Checkpoint: here, State: loop.Running, Branch: true})
		}
		if n > 7 { // look, make, push; and list, name, size and read what is new for secrets
			t.Errorf("iteration %d cost %d gits", r.iter, n)
		}
	}
	r.add(r.iter, &loop.NoteAdded{Text: "nothing has changed but this"})
	if n := programs(t, func() { r.mustKeep(Moment{Checkpoint: r.checkpoint(), State: loop.Running}) }); n > 3+1 {
		t.Errorf("with the same files it cost %d gits", n)
	}
	r.add(0, &loop.RunParked{Why: "enough"})
	r.mustKeep(Moment{State: loop.Parked, Branch: true, Free: true})
	ref := Prefix + r.id
	hub := w.at("hub.git")
	if n, _ := strconv.Atoi(w.git(hub, "rev-list", "--count", "--grep=leg", ref)); n > mostSmall+5 {
		t.Errorf("there are %d states", n)
	}
	if n := len(r.held.Card().Chunks); n > mostSmall {
		t.Errorf("its journal is in %d pieces", n)
	}
	w.git(hub, "fsck", "--strict")
	if _, err := w.fetch("second", r.id, false); err != nil {
		t.Fatal(err)
	}
	e, err := w.machine("second").Load("build-1")
	if err != nil || e.Parked == nil || e.Tampered != "" || e.Unchecked != "" {
		t.Errorf("it arrived as %+v, %v", e.Parked, err)
	}
	for i := 1; i <= r.iter; i++ {
		if b, err := os.ReadFile(filepath.Join(e.Dir, "iterations", fmt.Sprintf("%04d", i), "stdout")); err != nil || string(b) != fmt.Sprintf("the agent speaks in %d\n", i) {
			t.Errorf("%q, %v", b, err)
		}
	}
	if got := w.read("second", "work"); got != strconv.Itoa(r.iter)+"\n" {
		t.Errorf("work is %q", got)
	}
	l, err := journal.Border{Store: w.machine("second")}.Pack("build-1")
	if err != nil {
		t.Fatal(err)
	}
	mine, err := journal.Border{Store: w.machine("first")}.Pack("build-1")
	if err != nil || !bytes.Equal(l.Journal, mine.Journal) {
		t.Errorf("its journal is another one: %v", err)
	}
}

// Who has a later leg has the run, and the one before can do nothing about it.
func TestALaterLegHasTheRun(t *testing.T) {
	w := newWorld(t)
	r := w.begin("first")
	r.mustKeep(Moment{Checkpoint: r.checkpoint(), State: loop.Running})
	var taken *TakenError
	for _, leg := range []int{0, 1} {
		if _, err := w.take("second", r.id, leg); !errors.As(err, &taken) || !taken.By.Fleet || taken.By.Worker != "first" {
			t.Errorf("leg %d: %v", leg, err)
		}
	}
	if _, err := w.fetch("third", r.id, false); !errors.As(err, &taken) {
		t.Errorf("a person: %v", err)
	}
	next, err := w.take("second", r.id, 5)
	if err != nil || next.Card().Leg != 5 {
		t.Fatal(err)
	}
	at := w.git(w.at("hub.git"), "rev-parse", Prefix+r.id)
	r.work()
	if err := r.keep(Moment{Checkpoint: r.checkpoint(), State: loop.Running, Branch: true}); !errors.As(err, &taken) || taken.By.Leg != 5 {
		t.Errorf("the first one keeps it: %v", err)
	}
	if now := w.git(w.at("hub.git"), "rev-parse", Prefix+r.id); now != at {
		t.Error("it was moved all the same")
	}
}

// A run that a worker has claimed, and died, is begun by the next one. Nobody else takes
// in what is not there yet.
func TestClaimedAndNotBegun(t *testing.T) {
	w := newWorld(t)
	id := journal.NewID()
	if _, err := w.take("first", id, 1); err != nil {
		t.Fatal(err)
	}
	var unwilling *UnwillingError
	if _, err := w.fetch("third", id, true); !errors.As(err, &unwilling) {
		t.Errorf("a person fetches it: %v", err)
	}
	list, err := Place{Store: w.machine("third")}.List(t.Context(), "origin")
	if err != nil || len(list) != 1 || list[0].Wrong == "" || list[0].Run != id {
		t.Errorf("on the remote there is %+v, %v", list, err)
	}
	next, err := w.take("second", id, 2)
	if err != nil || next.Card().Begun() || next.Card().Leg != 2 {
		t.Errorf("%v", err)
	}
}

// A push whose answer is lost is asked about before anything else.
func TestAKeepWhoseAnswerIsLost(t *testing.T) {
	for _, arrives := range []bool{true, false} {
		t.Run(fmt.Sprintf("it has arrived: %v", arrives), func(t *testing.T) {
			w := newWorld(t)
			r := w.begin("first")
			r.mustKeep(Moment{Checkpoint: r.checkpoint(), State: loop.Running})
			name := "post-receive"
			if !arrives {
				name = "pre-receive"
			}
			hook := filepath.Join(w.at("hub.git"), "hooks", name)
			script := "#!/bin/sh\nmv '" + w.at("hub.git") + "' '" + w.at("away.git") + "'\nkill -9 $PPID\n"
			if err := errors.Join(os.MkdirAll(filepath.Dir(hook), 0o700), os.WriteFile(hook, []byte(script), 0o700)); err != nil {
				t.Fatal(err)
			}
			r.work()
			r.held.Patience(1)
			before := r.held.At()
			var unsure *UnsureError
			if err := r.keep(Moment{Checkpoint: r.checkpoint(), State: loop.Running}); !errors.As(err, &unsure) || r.held.At() != before {
				t.Fatalf("nobody is unsure: %v", err)
			}
			if err := r.keep(Moment{Checkpoint: r.checkpoint(), State: loop.Running}); err == nil {
				t.Fatal("it was kept where nobody is")
			}
			if err := errors.Join(os.Rename(w.at("away.git"), w.at("hub.git")), os.Remove(filepath.Join(w.at("hub.git"), "hooks", name))); err != nil {
				t.Fatal(err)
			}
			r.add(0, &loop.RunParked{Why: "enough"})
			r.mustKeep(Moment{State: loop.Parked, Free: true})
			if _, err := w.fetch("second", r.id, false); err != nil {
				t.Error(err)
			}
			if got := w.read("second", "work"); got != "1\n" {
				t.Errorf("work is %q", got)
			}
		})
	}
}

// Where not even a state could be made, the next one has all that is new.
func TestAStateThatCouldNotBeMade(t *testing.T) {
	w := newWorld(t)
	r := w.begin("first")
	r.mustKeep(Moment{Checkpoint: r.checkpoint(), State: loop.Running})
	r.work()
	making := r.held.making
	r.held.making = filepath.Join(making, "not there")
	if err := r.keep(Moment{Checkpoint: r.checkpoint(), State: loop.Running}); err == nil {
		t.Fatal("a state was made in a folder that is not there")
	}
	r.held.making = making
	r.add(0, &loop.RunParked{Why: "enough"})
	r.mustKeep(Moment{State: loop.Parked, Free: true})
	if _, err := w.fetch("second", r.id, false); err != nil {
		t.Fatal(err)
	}
	l, err := journal.Border{Store: w.machine("second")}.Pack("build-1")
	if err != nil {
		t.Fatal(err)
	}
	mine, err := journal.Border{Store: w.machine("first")}.Pack("build-1")
	if err != nil || !bytes.Equal(l.Journal, mine.Journal) {
		t.Errorf("its journal is another one: %v", err)
	}
}

// What looks like a secret keeps a run from being kept, whenever it comes.
func TestASecretThatComesLater(t *testing.T) {
	w := newWorld(t)
	r := w.begin("first")
	r.mustKeep(Moment{Checkpoint: r.checkpoint(), State: loop.Running})
	at := r.held.At()
	r.work()
	w.write("first", "prod.env", "KEY=x\n")
	var secret *SecretError
	for range 2 {
		if err := r.keep(Moment{Checkpoint: r.checkpoint(), State: loop.Running}); !errors.As(err, &secret) || r.held.At() != at {
			t.Fatalf("it has left: %v", err)
		}
	}
}

// Commits that others have put on the branch stay; those that the run has taken in are no
// obstacle.
func TestABranchThatOthersMove(t *testing.T) {
	w := newWorld(t)
	r := w.begin("first")
	commit := func() {
		r.work()
		w.git(w.at("first"), "add", "-A")
		w.git(w.at("first"), "commit", "-qm", "work")
	}
	keep := func() error {
		return r.keep(Moment{Checkpoint: r.checkpoint(), State: loop.Running, Branch: true})
	}
	commit()
	if err := keep(); err != nil {
		t.Fatal(err)
	}
	w.machine("second")
	w.git(w.at("second"), "fetch", "-q", "origin")
	w.git(w.at("second"), "checkout", "-q", "-b", "work", "origin/work")
	w.git(w.at("second"), "commit", "-q", "--allow-empty", "-m", "theirs")
	w.git(w.at("second"), "push", "-q", "origin", "work")
	commit()
	at := r.held.At()
	var other *BranchError
	if err := keep(); !errors.As(err, &other) || other.Branch != "work" || r.held.At() != at || w.git(w.at("hub.git"), "rev-parse", Prefix+r.id) != at {
		t.Fatalf("%v", err)
	}
	w.git(w.at("first"), "fetch", "-q", "origin")
	w.git(w.at("first"), "merge", "-q", "--no-edit", "origin/work")
	if err := keep(); err != nil {
		t.Fatal(err)
	}
	// It is its own to write over.
	w.git(w.at("first"), "commit", "-q", "--amend", "-m", "amended")
	if err := keep(); err != nil {
		t.Fatal(err)
	}
	if got := w.git(w.at("hub.git"), "rev-parse", "work"); got != w.git(w.at("first"), "rev-parse", "HEAD") || r.held.Card().Published != got {
		t.Errorf("the branch is at %s", got)
	}
}
