package carry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

// asChild has the test binary be a process that pushes or fetches, to be killed.
const asChild = "CARRY_TEST_CHILD"

func TestMain(m *testing.M) {
	for name, value := range map[string]string{
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_NAME": "Test", "GIT_AUTHOR_EMAIL": "test@example.com", "GIT_COMMITTER_NAME": "Test", "GIT_COMMITTER_EMAIL": "test@example.com",
	} {
		os.Setenv(name, value)
	}
	if what := os.Getenv(asChild); what != "" {
		if err := child(strings.Split(what, "\n")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func child(args []string) error {
	store, err := journal.OpenIn(args[1], args[2])
	if err == nil {
		store, err = store.Claim()
	}
	if err != nil {
		return err
	}
	p := Place{Store: store}
	if args[0] == "push" {
		_, err = p.Push(context.Background(), args[3], "origin")
	} else {
		_, err = p.Fetch(context.Background(), args[3], "origin", false)
	}
	return err
}

// world is a remote and some machines, each with a clone and a state folder.
type world struct {
	t   *testing.T
	dir string
}

func newWorld(t *testing.T) *world { return newWorldOf(t, "sha1") }

// newWorldOf is one whose objects git names in this way.
func newWorldOf(t *testing.T, format string) *world {
	w := &world{t, t.TempDir()}
	w.git(w.dir, "init", "-q", "--bare", "-b", "main", "--object-format="+format, "hub.git")
	w.git(w.dir, "init", "-q", "-b", "main", "--object-format="+format, "first")
	w.git(w.at("first"), "remote", "add", "origin", w.at("hub.git"))
	w.write("first", "README", "hello\n")
	w.git(w.at("first"), "add", ".")
	w.git(w.at("first"), "commit", "-qm", "start")
	w.git(w.at("first"), "push", "-q", "origin", "HEAD:main")
	return w
}

func (w *world) at(machine string) string { return filepath.Join(w.dir, machine) }

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

func (w *world) write(machine, name, text string) {
	w.t.Helper()
	path := filepath.Join(w.at(machine), name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) read(machine, name string) string {
	b, err := os.ReadFile(filepath.Join(w.at(machine), name))
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// machine is a clone and its records.
func (w *world) machine(name string) journal.Store {
	w.t.Helper()
	if _, err := os.Stat(w.at(name)); err != nil {
		w.git(w.dir, "clone", "-q", "hub.git", name)
	}
	store, err := journal.OpenIn(w.at(name+"-state"), w.at(name))
	if err == nil {
		store, err = store.Claim()
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return store
}

// park makes a run on a machine that is parked after an iteration.
func (w *world) park(machine string) (name string) {
	w.t.Helper()
	store := w.machine(machine)
	run, err := store.Create(journal.Meta{Procedure: "build", Version: "test", StartedAt: time.Now(), Flags: []byte("{}"), Config: []byte("{}")})
	if err != nil {
		w.t.Fatal(err)
	}
	defer run.Close()
	tree, err := git.Open(w.t.Context(), w.at(machine), nil)
	if err != nil {
		w.t.Fatal(err)
	}
	kept, err := checkpoint.OpenStore(w.t.Context(), tree, history.Checkpoints(run.Dir()), history.Pool(store))
	if err != nil {
		w.t.Fatal(err)
	}
	take := func() string {
		c, err := kept.Checkpoint(w.t.Context())
		if err != nil {
			w.t.Fatal(err)
		}
		return c.ID
	}
	var state loop.State
	add := func(iter int, list ...loop.Payload) {
		for _, p := range list {
			e := loop.Event{Time: time.Now().UTC().Truncate(time.Millisecond), Iter: iter, Attempt: min(iter, 1), Payload: p}
			if f, ok := p.(*loop.IterationFinished); ok {
				f.State = state.Sum(e)
			}
			state = state.Sum(run.Append(e))
		}
	}
	add(0, &loop.RunStarted{Name: run.Meta().Name, Dir: run.Dir(), Procedure: "build", Agent: "test"})
	add(1, &loop.IterationStarted{}, &loop.CheckpointMade{Checkpoint: take()})
	a := run.Begin(1, 1)
	fmt.Fprintln(a.Stdout(), "the agent speaks")
	a.WritePrompt("do it")
	w.write(machine, "work", "one\n")
	add(1, &loop.AgentExited{Exit: loop.Exit{Code: new(int), Cause: loop.Exited}}, &loop.CheckpointMade{Checkpoint: take()})
	a.Close()
	add(1, &loop.IterationFinished{Outcome: loop.Outcome{Result: loop.OK}, Verdict: loop.Verdict{Action: loop.Continue}})
	add(0, &loop.RunParked{Why: "a person asked for it"})
	return run.Meta().Name
}

func (w *world) push(machine, run string) (*Moved, error) {
	return Place{Store: w.machine(machine)}.Push(w.t.Context(), run, "origin")
}

func (w *world) fetch(machine, run string, force bool) (*Moved, error) {
	return Place{Store: w.machine(machine)}.Fetch(w.t.Context(), run, "origin", force)
}

func (w *world) must(m *Moved, err error) *Moved {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
	return m
}

// whole looks whether a run is on a machine as it left.
func (w *world) whole(machine, run string) {
	w.t.Helper()
	e, err := w.machine(machine).Load(run)
	if err != nil {
		w.t.Fatal(err)
	}
	if e.Tampered != "" || e.Unchecked != "" || e.Unsealed || e.Parked == nil || e.State.Totals.Iterations != 1 {
		w.t.Errorf("the run on %s: tampered %q, unchecked %q, parked %v, %+v", machine, e.Tampered, e.Unchecked, e.Parked, e.State.Totals)
	}
	if got := w.read(machine, "work"); got != "one\n" {
		w.t.Errorf("work on %s is %q", machine, got)
	}
	if b, err := os.ReadFile(filepath.Join(e.Dir, "iterations", "0001", "stdout")); err != nil || string(b) != "the agent speaks\n" {
		w.t.Errorf("the transcript is %q, %v", b, err)
	}
	if _, err := w.kept(machine, e.Dir).Load(w.t.Context(), e.State.FirstCheckpoint); err != nil {
		w.t.Error(err)
	}
}

func TestThereAndBack(t *testing.T) {
	w := newWorld(t)
	run := w.park("first")
	w.must(w.push("first", run))
	e, _ := w.machine("first").Load(run)
	if note, err := e.Carried(); err != nil || note.Branch != "main" {
		t.Errorf("the note after the push: %+v, %v", note, err)
	}
	var away *journal.AwayError
	if err := e.Here(); !errors.As(err, &away) {
		t.Errorf("after the push: %v", err)
	}
	got := w.must(w.fetch("second", run, false))
	if got.Leg != 2 || got.Run != run {
		t.Errorf("fetched %+v", got)
	}
	w.whole("second", run)
	w.must(w.push("second", run))
	w.must(w.fetch("first", run, false))
	w.whole("first", run)
	if e, _ = w.machine("first").Load(run); e.Here() != nil {
		t.Error(e.Here())
	}
}

// Git has two ways to name objects, and a run travels by either.
func TestThereAndBackBySHA256(t *testing.T) {
	w := newWorldOf(t, "sha256")
	run := w.park("first")
	w.must(w.push("first", run))
	w.must(w.fetch("second", run, false))
	w.whole("second", run)
	w.must(w.push("second", run))
	w.must(w.fetch("first", run, false))
	w.whole("first", run)
}

// A remote that names objects otherwise takes no run, and says why.
func TestARemoteThatNamesObjectsOtherwise(t *testing.T) {
	w := newWorld(t)
	run := w.park("first")
	w.git(w.dir, "init", "-q", "--bare", "--object-format=sha256", "other.git")
	_, err := Place{Store: w.machine("first")}.Push(t.Context(), run, w.at("other.git"))
	var otherwise *FormatError
	if !errors.As(err, &otherwise) {
		t.Errorf("%v", err)
	}
	if e, _ := w.machine("first").Load(run); e.Here() != nil {
		t.Errorf("it is not here any more: %v", e.Here())
	}
}

func TestTakenBackAtOnce(t *testing.T) {
	w := newWorld(t)
	run := w.park("first")
	w.must(w.push("first", run))
	w.must(w.fetch("first", run, false))
	w.whole("first", run)
}

// Where another run has its name, it has one of its own, and is the same run when it
// comes back.
func TestANameThatIsTaken(t *testing.T) {
	w := newWorld(t)
	run := w.park("first")
	w.must(w.push("first", run))
	w.machine("second")
	other := w.park("second")
	w.git(w.at("second"), "clean", "-qfd")
	got := w.must(w.fetch("second", w.id("first", run), false))
	if other != run || got.Run == run {
		t.Fatalf("it is called %s, the other %s", got.Run, other)
	}
	e, err := w.machine("second").Load(got.Run)
	if err != nil || e.Name != got.Run || e.First.Payload.(*loop.RunStarted).Name != got.Run {
		t.Errorf("%v: %s, its events say %s", err, e.Name, e.First.Payload.(*loop.RunStarted).Name)
	}
	w.must(w.push("second", got.Run))
	if back := w.must(w.fetch("first", run, false)); back.Run != run {
		t.Errorf("it came back as %s", back.Run)
	}
	w.whole("first", run)
}

func (w *world) id(machine, run string) string {
	e, err := w.machine(machine).Load(run)
	if err != nil {
		w.t.Fatal(err)
	}
	return e.ID
}

// What is free on one remote is not free on another, too.
func TestNotOnTwoRemotes(t *testing.T) {
	w := newWorld(t)
	run := w.park("first")
	w.must(w.push("first", run))
	w.git(w.dir, "init", "-q", "--bare", "other.git")
	_, err := Place{Store: w.machine("first")}.Push(t.Context(), run, w.at("other.git"))
	var away *journal.AwayError
	if !errors.As(err, &away) {
		t.Errorf("it is on both: %v", err)
	}
	if got := w.git(w.at("other.git"), "for-each-ref"); got != "" {
		t.Errorf("there is %s", got)
	}
}

// A push whose answer is lost may have come through: so the run does not go on here.
func TestAPushWhoseAnswerIsLost(t *testing.T) {
	w := newWorld(t)
	run := w.park("first")
	hook := filepath.Join(w.at("hub.git"), "hooks", "post-receive")
	script := "#!/bin/sh\nmv '" + w.at("hub.git") + "' '" + w.at("away.git") + "'\nkill -9 $PPID\n"
	if err := errors.Join(os.MkdirAll(filepath.Dir(hook), 0o700), os.WriteFile(hook, []byte(script), 0o700)); err != nil {
		t.Fatal(err)
	}
	_, err := w.push("first", run)
	var unsure *UnsureError
	if !errors.As(err, &unsure) {
		t.Errorf("it is not said that it may have arrived: %v", err)
	}
	e, _ := w.machine("first").Load(run)
	var away *journal.AwayError
	if !errors.As(e.Here(), &away) {
		t.Errorf("it goes on here: %v", e.Here())
	}
	if err := errors.Join(os.Rename(w.at("away.git"), w.at("hub.git")), os.Remove(hook)); err != nil {
		t.Fatal(err)
	}
	var already *UnwillingError
	if _, err := w.push("first", run); !errors.As(err, &already) {
		t.Errorf("pushed again: %v", err)
	}
	w.must(w.fetch("second", run, false))
	w.whole("second", run)
}

// kept is the checkpoints of a run on a machine.
func (w *world) kept(machine, dir string) *checkpoint.Store {
	w.t.Helper()
	tree, err := git.Open(w.t.Context(), w.at(machine), nil)
	if err != nil {
		w.t.Fatal(err)
	}
	kept, err := checkpoint.OpenStore(w.t.Context(), tree, history.Checkpoints(dir), "")
	if err != nil {
		w.t.Fatal(err)
	}
	return kept
}

// A fetch that is done again after it was cut short still has what was in the way.
func TestWhatWasInTheWayIsKept(t *testing.T) {
	w := newWorld(t)
	run := w.park("first")
	w.must(w.push("first", run))
	w.machine("second")
	w.write("second", ".git/info/exclude", "work\n")
	w.write("second", "work", "mine\n")
	moved := w.must(w.fetch("second", run, false))
	e, err := w.machine("second").Load(run)
	if err != nil {
		t.Fatal(err)
	}
	note, err := e.Carried()
	if err != nil {
		t.Fatal(err)
	}
	note.Half = true // as it is until the work tree is there
	if err := note.Write(e.Dir); err != nil {
		t.Fatal(err)
	}
	w.must(w.fetch("second", run, false))
	kept := w.kept("second", e.Dir)
	before, err := kept.Load(t.Context(), moved.Before)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := kept.Restore(t.Context(), before); err != nil || w.read("second", "work") != "mine\n" {
		t.Errorf("%v: what was in the way is %q", err, w.read("second", "work"))
	}
}

// A checkpoint that was made here while the run was away is in no other place.
func TestACheckpointMadeMeanwhileIsKept(t *testing.T) {
	w := newWorld(t)
	run := w.park("first")
	w.must(w.push("first", run))
	e, err := w.machine("first").Load(run)
	if err != nil {
		t.Fatal(err)
	}
	w.write("first", "mine", "mine\n")
	made, err := w.kept("first", e.Dir).Checkpoint(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(w.at("first"), "mine")); err != nil {
		t.Fatal(err)
	}
	w.must(w.fetch("second", run, false))
	w.must(w.push("second", run))
	w.must(w.fetch("first", run, false))
	w.whole("first", run)
	aside, _ := filepath.Glob(e.Dir + ".*")
	if len(aside) != 1 {
		t.Fatalf("set aside: %v", aside)
	}
	if _, err := w.kept("first", aside[0]).Load(t.Context(), made.ID); err != nil {
		t.Error(err)
	}
}

// What of a run's folder does not travel stays here when the run comes back.
func TestWhatDoesNotTravelIsStillHereAfterwards(t *testing.T) {
	w := newWorld(t)
	run := w.park("first")
	e, err := w.machine("first").Load(run)
	if err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(e.Dir, "put-back", "20261115T120000.000", "config")
	if err := errors.Join(os.MkdirAll(filepath.Dir(own), 0o700), os.WriteFile(own, []byte("[user]\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	w.must(w.push("first", run))
	w.must(w.fetch("second", run, false))
	w.must(w.push("second", run))
	w.must(w.fetch("first", run, false))
	w.whole("first", run)
	if _, err := os.Stat(own); err != nil {
		t.Error(err)
	}
}

// A run that somebody has fetched, and whose ref was deleted then, has left all the same.
func TestARunWhoseRefWasDeletedHasLeft(t *testing.T) {
	w := newWorld(t)
	run := w.park("first")
	id := w.must(w.push("first", run)).ID
	w.must(w.fetch("second", run, false))
	w.git(w.at("hub.git"), "update-ref", "-d", Prefix+id)
	var unwilling *UnwillingError
	if moved, err := w.fetch("first", run, false); !errors.As(err, &unwilling) {
		t.Errorf("fetched %+v, %v", moved, err)
	}
	var taken *TakenError
	if moved, err := w.push("first", run); !errors.As(err, &taken) {
		t.Errorf("pushed %+v, %v", moved, err)
	}
	if e, _ := w.machine("first").Load(run); e.Here() == nil {
		t.Error("it goes on in two places")
	}
	if moved := w.must(w.fetch("first", run, true)); !moved.Kept {
		t.Errorf("by force: %+v", moved)
	}
	if e, _ := w.machine("first").Load(run); e.Here() != nil {
		t.Error(e.Here())
	}
}

// Commits that only HEAD is at would be found by nobody.
func TestCommitsOfNoBranchAreNotLeft(t *testing.T) {
	w := newWorld(t)
	run := w.park("first")
	w.must(w.push("first", run))
	w.machine("second")
	w.git(w.at("second"), "checkout", "-q", "--detach")
	w.git(w.at("second"), "commit", "-q", "--allow-empty", "-m", "mine")
	head := w.git(w.at("second"), "rev-parse", "HEAD")
	_, err := w.fetch("second", run, false)
	var refused *git.RefusedError
	if !errors.As(err, &refused) || w.git(w.at("second"), "rev-parse", "HEAD") != head {
		t.Errorf("%v", err)
	}
	w.git(w.at("second"), "branch", "mine")
	w.must(w.fetch("second", run, false))
}

// A run does not put its files in the place of another project. Where there is nothing
// yet, or not all of the history, it comes.
func TestOnlyIntoItsOwnRepository(t *testing.T) {
	w := newWorld(t)
	w.git(w.at("first"), "commit", "-q", "--allow-empty", "-m", "more")
	run := w.park("first")
	w.must(w.push("first", run))
	w.git(w.dir, "init", "-q", "-b", "main", "other")
	w.git(w.at("other"), "remote", "add", "origin", w.at("hub.git"))
	w.write("other", "mine", "x\n")
	w.git(w.at("other"), "add", ".")
	w.git(w.at("other"), "commit", "-qm", "mine")
	_, err := w.fetch("other", run, false)
	var unwilling *UnwillingError
	if !errors.As(err, &unwilling) || w.read("other", "mine") != "x\n" {
		t.Errorf("%v", err)
	}
	w.git(w.dir, "init", "-q", "-b", "main", "empty")
	w.git(w.at("empty"), "remote", "add", "origin", w.at("hub.git"))
	w.must(w.fetch("empty", run, false))
	w.whole("empty", run)
	w.must(w.push("empty", run))
	w.git(w.at("first"), "commit", "-q", "--allow-empty", "-m", "after the run")
	w.git(w.at("first"), "push", "-q", "origin", "HEAD:later")
	w.git(w.dir, "clone", "-q", "--depth=1", "-b", "later", "file://"+w.at("hub.git"), "shallow")
	w.must(w.fetch("shallow", run, false))
	w.whole("shallow", run)
	w.write("shallow", "more", "x\n")
	w.git(w.at("shallow"), "add", "more")
	w.git(w.at("shallow"), "commit", "-qm", "in the shallow clone")
	w.must(w.push("shallow", run))
	w.must(w.fetch("second", run, false))
	w.whole("second", run)
	w.git(w.at("second"), "fsck")
}

// A secret is known by each of its names.
func TestASecretOfTwoNames(t *testing.T) {
	w := newWorld(t)
	w.write("first", "a", "x\n")
	w.write("first", "b/.env", "x\n")
	run := w.park("first")
	_, err := w.push("first", run)
	var secret *SecretError
	if !errors.As(err, &secret) {
		t.Errorf("it has left: %v", err)
	}
}

// What a person puts into the work tree after the run keeps it from leaving only as long
// as it is there: what was refused is in none of its checkpoints.
func TestASecretThatIsTakenAway(t *testing.T) {
	w := newWorld(t)
	run := w.park("first")
	w.write("first", "prod.env", "TOKEN=x\n")
	_, err := w.push("first", run)
	var secret *SecretError
	if !errors.As(err, &secret) || secret.Kept {
		t.Fatalf("%v: %+v", err, secret)
	}
	if err := os.Remove(filepath.Join(w.at("first"), "prod.env")); err != nil {
		t.Fatal(err)
	}
	w.must(w.push("first", run))
	w.must(w.fetch("second", run, false))
	w.whole("second", run)
}

// One that a checkpoint of the run has is there for good, and a person is told so.
func TestASecretThatTheRunHasKept(t *testing.T) {
	w := newWorld(t)
	w.write("first", "prod.env", "TOKEN=x\n")
	run := w.park("first")
	if err := os.Remove(filepath.Join(w.at("first"), "prod.env")); err != nil {
		t.Fatal(err)
	}
	_, err := w.push("first", run)
	var secret *SecretError
	if !errors.As(err, &secret) || !secret.Kept {
		t.Errorf("%v: %+v", err, secret)
	}
}

// What was in the way of a fetch that was refused is no part of the run.
func TestWhatRefusedAFetchIsNotKept(t *testing.T) {
	w := newWorld(t)
	run := w.park("first")
	w.must(w.push("first", run))
	w.write("first", "prod.env", "TOKEN=x\n")
	_, err := w.fetch("first", run, false)
	var dirty *DirtyError
	if !errors.As(err, &dirty) {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(w.at("first"), "prod.env")); err != nil {
		t.Fatal(err)
	}
	if m := w.must(w.fetch("first", run, false)); m.Aside != "" {
		t.Errorf("it was set aside: %s", m.Aside)
	}
	w.must(w.push("first", run))
}

// What no checkpoint holds does not travel: that is told, and not counted as gone along.
func TestWhatStaysIsTold(t *testing.T) {
	w := newWorld(t)
	run := w.park("first")
	w.git(w.at("first"), "init", "-q", "inner")
	w.write("first", "inner/file", "x\n")
	if err := os.Truncate(w.at("first")+"/work", 0); err != nil {
		t.Fatal(err)
	}
	large, err := os.Create(filepath.Join(w.at("first"), "large"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(large.Truncate(65<<20), large.Close()); err != nil {
		t.Fatal(err)
	}
	m := w.must(w.push("first", run))
	var stays []string
	for _, s := range m.Stays {
		stays = append(stays, s.Path)
	}
	if got := strings.Join(stays, " "); got != "large inner" || m.Since != 1 {
		t.Errorf("%q stay, %d went along", got, m.Since)
	}
	if m := w.must(w.fetch("second", run, false)); len(m.Stays) != 2 {
		t.Errorf("where it arrives, %v is missing", m.Stays)
	}
}

// A run that is alive in another work tree is not taken from under its runner.
func TestOneThatIsAliveElsewhere(t *testing.T) {
	w := newWorld(t)
	run := w.park("first")
	w.must(w.push("first", run))
	w.must(w.fetch("first", run, false))
	store := w.machine("first")
	live, _, err := store.Resume(run)
	if err != nil {
		t.Fatal(err)
	}
	defer live.Close()
	live.Append(loop.Event{Time: time.Now().UTC(), Payload: &loop.RunResumed{}})
	lock, err := store.Lock(journal.Self(run, ""))
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Unlock()
	w.must(w.fetch("third", run, true))
	w.git(w.at("first"), "worktree", "add", "-q", "--detach", w.at("linked"))
	beside, err := journal.OpenIn(w.at("first-state"), w.at("linked"))
	if err == nil {
		beside, err = beside.Claim()
	}
	if err != nil {
		t.Fatal(err)
	}
	_, err = Place{Store: beside}.Fetch(t.Context(), run, "origin", true)
	var unwilling *UnwillingError
	if !errors.As(err, &unwilling) {
		t.Errorf("fetched: %v", err)
	}
	if e, err := store.Load(run); err != nil || store.Status(e) != loop.Running {
		t.Errorf("%v: it is no longer there, or no longer alive", err)
	}
}

func TestOfTwoAtOnceOneWins(t *testing.T) {
	w := newWorld(t)
	run := w.park("first")
	w.must(w.push("first", run))
	machines := []string{"second", "third", "fourth"}
	for _, m := range machines {
		w.machine(m)
	}
	race := func(do func(m string) error) (won []string) {
		errs := make([]error, len(machines))
		var wg sync.WaitGroup
		for i, m := range machines {
			wg.Go(func() { errs[i] = do(m) })
		}
		wg.Wait()
		for i, err := range errs {
			var taken *TakenError
			switch {
			case err == nil:
				won = append(won, machines[i])
			case !errors.As(err, &taken):
				t.Errorf("%s: %v", machines[i], err)
			}
		}
		return won
	}
	won := race(func(m string) error {
		_, err := w.fetch(m, run, false)
		return err
	})
	if len(won) != 1 {
		t.Fatalf("%v have it", won)
	}
	w.whole(won[0], run)
	// Two who both believe that it is theirs: one has been overtaken by force.
	for _, m := range machines {
		if m != won[0] {
			w.must(w.fetch(m, run, true))
			break
		}
	}
	machines = machines[:0]
	for _, m := range []string{"second", "third", "fourth"} {
		if list, _, _ := w.machine(m).List(); len(list) == 1 {
			machines = append(machines, m)
		}
	}
	if won := race(func(m string) error {
		_, err := w.push(m, run)
		return err
	}); len(machines) != 2 || len(won) != 1 {
		t.Errorf("of %v, %v pushed", machines, won)
	}
}

// What is cut short anywhere can be done again, and nothing is lost or there twice.
func TestKilledAtAnyMoment(t *testing.T) {
	rounds := 6
	if n, err := strconv.Atoi(os.Getenv("CARRY_ROUNDS")); err == nil {
		rounds = n
	}
	seed := uint64(time.Now().UnixNano())
	if n, err := strconv.ParseUint(os.Getenv("CARRY_SEED"), 10, 64); err == nil {
		seed = n
	}
	t.Logf("CARRY_SEED=%d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	w := newWorld(t)
	run := w.park("first")
	w.machine("second")
	attempt := func(what, machine string) (killed bool, said string) {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), asChild+"="+strings.Join([]string{what, w.at(machine + "-state"), w.at(machine), run}, "\n"))
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		select {
		case err := <-ended:
			if err != nil {
				return true, out.String()
			}
			return false, out.String()
		case <-time.After(time.Duration(random.IntN(700)) * time.Millisecond):
			_ = cmd.Process.Kill()
			<-ended
			return true, "killed"
		}
	}
	from, to := "first", "second"
	for range rounds {
		for _, leg := range []struct{ what, machine string }{{"push", from}, {"fetch", to}} {
			killed, said := attempt(leg.what, leg.machine)
			if !killed {
				continue
			}
			if e, err := w.machine(leg.machine).Load(run); leg.what == "fetch" && err == nil && e.Here() == nil {
				note, _ := e.Carried() // it had come to its end, but for saying so
				if note == nil || note.Half || note.Away {
					t.Errorf("after a fetch that was killed it may go on here: %+v", note)
				}
				continue
			}
			var err error
			if leg.what == "push" {
				_, err = w.push(leg.machine, run)
			} else {
				_, err = w.fetch(leg.machine, run, false)
			}
			var done *UnwillingError
			if err != nil && !(errors.As(err, &done) && strings.Contains(done.What, "already")) {
				t.Fatalf("%s on %s again: %v (before: %s)", leg.what, leg.machine, err, said)
			}
		}
		w.whole(to, run)
		from, to = to, from
	}
}

// What a git that has hold of a ref here keeps from coming in is not called foreign.
func TestAnotherGitAtWorkIsSaid(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	run := w.park("first")
	w.must(w.push("first", run))
	store := w.machine("second")
	lock := filepath.Join(store.Dir, "carry", filepath.FromSlash(Prefix), w.id("first", run)+".lock")
	if err := errors.Join(os.MkdirAll(filepath.Dir(lock), 0o700), os.WriteFile(lock, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	_, err := w.fetch("second", run, false)
	if busy := (*BusyError)(nil); !errors.As(err, &busy) || !strings.Contains(err.Error(), filepath.Dir(filepath.Dir(lock))) {
		t.Errorf("a fetch into a ref that is locked says %v", err)
	}
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	w.must(w.fetch("second", run, false))
	w.whole("second", run)
}

// forge puts another state in the ref of a run.
func (w *world) forge(id string, change func(dir string, card *Card)) {
	w.t.Helper()
	dir := w.t.TempDir()
	ref := Prefix + id
	w.git(dir, "clone", "-q", w.at("hub.git"), "x")
	dir = filepath.Join(dir, "x")
	w.git(dir, "fetch", "-q", "origin", ref)
	at := w.git(dir, "rev-parse", "FETCH_HEAD")
	w.git(dir, "checkout", "-q", "--detach", at)
	b, err := os.ReadFile(filepath.Join(dir, cardName))
	if err != nil {
		w.t.Fatal(err)
	}
	var card Card
	if err := json.Unmarshal(b, &card); err != nil {
		w.t.Fatal(err)
	}
	change(dir, &card)
	if b, err = json.Marshal(card); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, cardName), b, 0o600); err != nil {
		w.t.Fatal(err)
	}
	w.git(dir, "add", "-A", "-f", ".")
	w.git(dir, "commit", "-q", "--allow-empty", "-m", "forged")
	w.git(dir, "push", "-q", "--force", "origin", "HEAD:"+ref)
}

func TestAForeignRefIsNotTakenIn(t *testing.T) {
	put := func(name, text string) func(string, *Card) {
		return func(dir string, _ *Card) {
			path := filepath.Join(dir, name)
			_ = os.MkdirAll(filepath.Dir(path), 0o700)
			_ = os.WriteFile(path, []byte(text), 0o600)
		}
	}
	edit := func(name, old, anew string) func(string, *Card) {
		return func(dir string, _ *Card) {
			path := filepath.Join(dir, name)
			b, _ := os.ReadFile(path)
			_ = os.WriteFile(path, bytes.Replace(b, []byte(old), []byte(anew), 1), 0o600)
		}
	}
	chunk := journalDir + "/00000001"
	for name, change := range map[string]func(dir string, card *Card){
		"a link": func(dir string, _ *Card) {
			_ = os.Symlink("/etc/passwd", filepath.Join(dir, "iterations", "0001", "evil"))
		},
		"a program": func(dir string, _ *Card) {
			_ = os.WriteFile(filepath.Join(dir, "iterations", "0001", "evil"), nil, 0o700)
			_ = os.Chmod(filepath.Join(dir, "iterations", "0001", "evil"), 0o755)
		},
		"a file at the top":        put("seal.key", "x"),
		"a hidden file":            put("iterations/0001/.hidden", "x"),
		"a file that is deep":      put("iterations/1/2/3/4/5/6/7", "x"),
		"a file of the store":      put("objects/config", "x"),
		"a large file":             put("iterations/0001/large", strings.Repeat("x", mostNewest+1)),
		"a large run.json":         put("run.json", strings.Repeat("x", mostMeta+1)),
		"another journal":          edit(chunk, `"result":"ok"`, `"result":"failed"`),
		"a journal that is longer": edit(chunk, `{"seq":`, `{"seq":0}`+"\n"+`{"seq":`),
		"another run.json":         edit("run.json", `"id": "loop_`, `"id": "loop_0`),
		"no run.json":              func(dir string, _ *Card) { _ = os.Remove(filepath.Join(dir, "run.json")) },
		"another run":              func(_ string, c *Card) { c.Run = "loop_00000000-0000-4000-8000-000000000000" },
		"an option for a commit":   func(_ string, c *Card) { c.Head = "--output=evil" },
		"a commit of nobody's":     func(_ string, c *Card) { c.Checkpoint = strings.Repeat("1", 40) },
		"a tree as a checkpoint":   func(_ string, c *Card) { c.Checkpoint = c.Head },
		"a branch that is none":    func(_ string, c *Card) { c.Branch = "../../evil" },
		"an option for a branch":   func(_ string, c *Card) { c.Branch = "--evil" },
		"a folder outside":         func(_ string, c *Card) { c.Prefix = "../" },
		"a newer format":           func(_ string, c *Card) { c.Format = 99 },
		"a name that is none":      func(_ string, c *Card) { c.Name = "\x1b[2Jbuild-1; sh" },
		"a piece that is too long": func(_ string, c *Card) { c.Chunks = []int{mostChunk + 1} },
		"pieces without end":       func(_ string, c *Card) { c.Chunks = []int{-1} },
		"forged words, sum and all": func(dir string, c *Card) {
			path := filepath.Join(dir, filepath.FromSlash(chunk))
			b, _ := os.ReadFile(path)
			b = append(b, "no event\n"...)
			_ = os.WriteFile(path, b, 0o600)
			c.Chunks, c.Sum = []int{len(b)}, sumOf(b)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			run := w.park("first")
			moved := w.must(w.push("first", run))
			w.forge(moved.ID, change)
			store := w.machine("second")
			_, err := w.fetch("second", moved.ID, true)
			var plain interface{ Hint() string }
			if err == nil || !errors.As(err, &plain) {
				t.Fatalf("it was taken in, or nobody says what to do: %v", err)
			}
			if list, bad, _ := store.List(); len(list)+len(bad) > 0 {
				t.Errorf("there is a run now: %v %v", list, bad)
			}
			if got := w.git(w.at("second"), "status", "--porcelain"); got != "" {
				t.Errorf("the work tree has changed: %s", got)
			}
		})
	}
}

// A checkpoint whose message speaks of a path outside of the work tree is no help to
// anybody.
func TestACheckpointThatStrays(t *testing.T) {
	w := newWorld(t)
	run := w.park("first")
	moved := w.must(w.push("first", run))
	dir := w.at("forge")
	w.git(w.dir, "clone", "-q", "hub.git", "forge")
	ref := Prefix + moved.ID
	w.git(dir, "fetch", "-q", "origin", ref)
	at := w.git(dir, "rev-parse", "FETCH_HEAD")
	var card Card
	if err := json.Unmarshal([]byte(w.git(dir, "show", at+":"+cardName)), &card); err != nil {
		t.Fatal(err)
	}
	message := `{"modes":[{"path":"Li4vLi4vdmljdGlt","mode":511}]}` // ../../victim
	card.Checkpoint = w.git(dir, "commit-tree", card.Checkpoint+"^{tree}", "-p", card.Checkpoint, "-m", message)
	b, _ := json.Marshal(card)
	w.git(dir, "checkout", "-q", "--detach", at)
	w.write("forge", cardName, string(b))
	w.git(dir, "add", cardName)
	tree := w.git(dir, "write-tree")
	w.git(dir, "push", "-q", "--force", "origin", w.git(dir, "commit-tree", tree, "-p", at, "-p", card.Checkpoint, "-m", "forged")+":"+ref)
	_, err := w.fetch("second", moved.ID, true)
	var foreign *ForeignError
	if !errors.As(err, &foreign) || !strings.Contains(err.Error(), "not a path in the work tree") {
		t.Errorf("%v", err)
	}
}

// A card of some gigabytes is not read into memory, be it to be listed or to be fetched.
func TestACardThatIsTooLarge(t *testing.T) {
	w := newWorld(t)
	run := w.park("first")
	moved := w.must(w.push("first", run))
	ref := Prefix + moved.ID
	hub := w.at("hub.git")
	w.write("forge", cardName, strings.Repeat(" ", mostMeta)+"{}")
	blob := w.git(hub, "hash-object", "-w", filepath.Join(w.at("forge"), cardName))
	tree := w.gitIn(hub, "100644 blob "+blob+"\t"+cardName+"\n", "mktree")
	w.git(hub, "update-ref", ref, w.git(hub, "commit-tree", "-m", "x", tree))
	list, err := Place{Store: w.machine("second")}.List(t.Context(), "origin")
	if err != nil || len(list) != 1 || !strings.Contains(list[0].Wrong, "too large") {
		t.Errorf("%+v, %v", list, err)
	}
	var foreign *ForeignError
	if _, err := w.fetch("second", moved.ID, true); !errors.As(err, &foreign) || !strings.Contains(err.Error(), "too large") {
		t.Errorf("%v", err)
	}
}

func TestAListThatIsTooLong(t *testing.T) {
	stopped := false
	b := &bounded{most: 10, enough: func(error) { stopped = true }}
	for range 3 {
		if n, err := b.Write([]byte("12345678")); n != 8 || err != nil {
			t.Fatal(n, err)
		}
	}
	if !b.over || !stopped || b.Len() != 8 {
		t.Errorf("%d bytes were taken in; it was stopped: %v", b.Len(), stopped)
	}
}

func TestWhatMayTravel(t *testing.T) {
	for name, want := range map[string]bool{
		"card.json": true, "run.json": true, "journal/00000001": true, "beside/known.json": true,
		"iterations/0001/stdout.log": true, "iterations/0001-2/gates/test.clean.log": true,
		"": false, "/card.json": false, "../card.json": false, "journal/../card.json": false, "journal/1": false, "journal/0000000x": false,
		"iterations/0001": false, "iterations/0001/..": false, "iterations/0001/a\\b": false, "iterations/0001/C:": false, "iterations/0001/a\x00": false,
		"iterations/.git/config": false, "objects/HEAD": false, "carried.json": false, "journal.jsonl": false, "beside/a/b": false,
	} {
		if travels(name) != want {
			t.Errorf("travels(%q) = %v", name, !want)
		}
	}
	for name, want := range map[string]bool{
		".env": true, "a/.env.local": true, "prod.env": true, ".envrc": true, "env.go": false, ".env.example": false, "id_rsa": true, "id_rsa.pub": false, "x/server.PEM": true, "key.go": false, "environment": false,
	} {
		if named(name) != want {
			t.Errorf("named(%q) = %v", name, !want)
		}
	}
}

func FuzzCard(f *testing.F) {
	const id = "loop_00000000-0000-4000-8000-000000000000"
	f.Add([]byte(`{"format":1,"run":"` + id + `","name":"build-1","leg":1,"head":"` + strings.Repeat("1", 40) + `"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := readCard(b, id)
		if err == nil && (c.Run != id || strings.HasPrefix(c.Head, "-") || strings.HasPrefix(c.Checkpoint, "-")) {
			t.Errorf("%s is a card: %+v", b, c)
		}
	})
}

// What leaves can arrive: nobody pushes what no fetch takes in.
func TestWhatLeavesCanArrive(t *testing.T) {
	var c Card
	journal := make([]byte, mostChunk+mostPiece+1)
	s, err := follow(nil, journal)
	if err != nil {
		t.Fatal(err)
	}
	s.note(&c)
	total := 0
	for _, n := range c.Chunks {
		if total += n; n < 1 || n > mostChunk {
			t.Errorf("a piece of %d bytes would not be taken in", n)
		}
	}
	if total != len(journal) {
		t.Errorf("%d of %d bytes travel", total, len(journal))
	}
	for _, tt := range []struct {
		files int
		total int64
		fits  bool
	}{{mostFiles, mostTotal, true}, {mostFiles + 1, 1, false}, {1, mostTotal + 1, false}} {
		if err := fits(tt.files, tt.total); (err == nil) != tt.fits {
			t.Errorf("%d files, %d bytes: %v", tt.files, tt.total, err)
		}
	}
}
