//go:build unix

package desk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/carry"
	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/loop"
)

// hook has the remote run a script at pushes.
func (w *world) hook(name, script string) {
	w.t.Helper()
	w.write("hub.git/hooks/"+name, "#!/bin/sh\nW='"+w.dir+"'\n"+script)
}

// killer kills the worker at the push that says a moment of the second iteration: once.
const killer = `[ -e "$W/armed" ] || exit 0
moment=$(cat "$W/armed")
while read old new ref; do
	case $ref in refs/refrain/*) ;; *) continue ;; esac
	last=$(git ls-tree --name-only "$new" journal/ | tail -1)
	[ -n "$last" ] || continue
	git cat-file blob "$new:$last" >"$W/chunk"
	is=other
	if grep -q '"iter":2.*"type":"iteration.finished"' "$W/chunk"; then is=finished
	elif grep -q '"iter":2.*"type":"agent.exited"' "$W/chunk"; then is=worked
	elif grep -q '"iter":2.*"type":"iteration.started"' "$W/chunk"; then is=began; fi
	[ $is = $moment ] || continue
	rm "$W/armed"
	kill -9 $(cat "$W/worker.pid")
	exit 1
done
exit 0
`

// finish has workers go on with a run until it is over, and looks at what came of it.
func (w *world) finish(s fleet.Spec, leg int, starts string, desks ...*Desk) {
	w.t.Helper()
	for n := 0; ; n++ {
		out := w.leg(desks[n%len(desks)], s, leg+n)
		if out.Over() {
			if out.State != loop.Done || out.Iterations != 3 || !out.Proven && out.Reason == "" {
				w.t.Errorf("it ended %+v", out)
			}
			break
		}
		if n == 10 {
			w.t.Fatalf("it does not come to its end: %+v", out)
		}
	}
	w.whole(s)
	if got := w.starts(); starts != "" && got != starts {
		w.t.Errorf("agents were started in the iterations %s, want %s", got, starts)
	}
	w.nobodyLeft(s)
}

// What a worker had pushed when it died says what is done again.
func TestAWorkerThatDies(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, hook, at string
		starts         string
	}{
		{"before it has said that it begins", "pre-receive", "began", "1 2 3"},
		{"when it has said so", "post-receive", "began", "1 2 3"},
		{"before it has said that the agent is gone", "pre-receive", "worked", "1 2 2 3"},
		{"when it has said so", "post-receive", "worked", "1 2 3"},
		{"before it has said that the iteration counts", "pre-receive", "finished", "1 2 3"},
		{"when it has said so", "post-receive", "finished", "1 2 3"},
	} {
		t.Run(tt.name+" ("+tt.at+")", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, agent())
			w.hook(tt.hook, killer)
			w.write("armed", tt.at)
			s := w.spec()
			s.Quantum.Iterations = 0
			if out, killed := w.child("a", s, 1).wait(); !killed {
				t.Fatalf("it was not killed: %+v", out)
			}
			w.finish(s, 2, tt.starts, w.desk("b"))
		})
	}
}

// A run that has ended stays so when the fleet has not heard of it: nobody has asked for
// more of it.
func TestAnEndThatIsTakenUpAgain(t *testing.T) {
	t.Parallel()
	failing := func(t *testing.T) (*world, fleet.Spec) {
		w := newWorld(t, agent("exit 1"))
		s := w.spec("stop.failures=2", "loop.backoff=0s")
		s.Quantum.Iterations = 0
		return w, s
	}
	look := func(w *world, s fleet.Spec, d *Desk, leg int) {
		t.Helper()
		out := w.leg(d, s, leg)
		if out.State != loop.Aborted || out.Why == "" || out.Iterations != 2 || out.Stuck || w.starts() != "1 2" {
			t.Errorf("leg %d: %+v; agents were started in the iterations %s", leg, out, w.starts())
		}
		if c := w.card(s); c.Held || c.State != loop.Aborted {
			t.Errorf("leg %d: the card says %+v", leg, c)
		}
	}
	t.Run("what its leg has said was lost", func(t *testing.T) {
		w, s := failing(t)
		a := w.desk("a")
		look(w, s, a, 1)
		look(w, s, a, 2)
		look(w, s, w.desk("b"), 3)
	})
	t.Run("its worker died before it had written the end down", func(t *testing.T) {
		w, s := failing(t)
		w.hook("post-receive", killer)
		w.write("armed", "finished")
		if out, killed := w.child("a", s, 1).wait(); !killed {
			t.Fatalf("it was not killed: %+v", out)
		}
		look(w, s, w.desk("b"), 2)
	})
}

// An agent whose worker dies is ended, and its attempt is made again: from where it
// began, not from where it was.
func TestAWorkerThatDiesWhileItsAgentWorks(t *testing.T) {
	t.Parallel()
	for _, same := range []bool{false, true} {
		t.Run(fmt.Sprintf("the same worker goes on: %v", same), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, agent(`if [ $REFRAIN_ITERATION = 2 ] && rm "$DESK_TEST_WORLD/armed" 2>/dev/null; then`, `kill -9 $(cat "$DESK_TEST_WORLD/worker.pid")`, `sleep 600`, `fi`))
			w.write("armed", "")
			s := w.spec()
			s.Quantum.Iterations = 0
			if out, killed := w.child("a", s, 1).wait(); !killed {
				t.Fatalf("it was not killed: %+v", out)
			}
			next := "b"
			if same {
				next = "a"
			}
			w.finish(s, 2, "1 2 2 3", w.desk(next))
		})
	}
}

// A worker that was frozen finds, when it thaws, that its run has gone on without it.
func TestAWorkerThatIsFrozen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent(`if [ $REFRAIN_ITERATION = 2 ] && rm "$DESK_TEST_WORLD/armed" 2>/dev/null; then`, `: >"$DESK_TEST_WORLD/slow"`, `sleep 600`, `fi`))
	w.write("armed", "")
	w.write("pulse", "")
	s := w.spec()
	s.Quantum.Iterations = 0
	c := w.child("a", s, 1, func(j *job) { j.Pulse = w.at("pulse") })
	beat := func() { _ = os.Chtimes(w.at("pulse"), time.Now(), time.Now()) }
	w.await("its second agent works", func() bool {
		beat()
		_, err := os.Stat(w.at("slow"))
		return err == nil
	})
	if err := c.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	w.finishButProcesses(s, 2, w.desk("b"))
	at := w.card(s).Nonce
	if err := c.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if out, killed := c.wait(); killed || !out.Taken {
		t.Errorf("when it thawed: %+v", out)
	}
	if w.card(s).Nonce != at {
		t.Error("it has written to the run of another worker")
	}
	w.nobodyLeft(s)
	w.whole(s)
}

func (w *world) finishButProcesses(s fleet.Spec, leg int, d *Desk) {
	w.t.Helper()
	for n := range 10 {
		if w.leg(d, s, leg+n).Over() {
			return
		}
	}
	w.t.Fatal("it does not come to its end")
}

// While the fleet is silent, the ref says whose the run is.
func TestCutFromTheServer(t *testing.T) {
	t.Parallel()
	silent := fleet.Hooks{Heard: func() fleet.Beat { return fleet.Beat{At: time.Now().Add(-time.Hour)} }}
	slow := agent(`if [ $REFRAIN_ITERATION = 1 ] && [ -e "$DESK_TEST_WORLD/armed" ]; then`, `: >"$DESK_TEST_WORLD/slow"`,
		`while [ -e "$DESK_TEST_WORLD/armed" ]; do sleep 0.05; done`, `fi`)
	t.Run("the agent goes on", func(t *testing.T) {
		w := newWorld(t, slow)
		w.write("armed", "")
		s := w.spec()
		s.Lease = 5 * time.Second // a look may take a while on a busy machine
		go func() {
			time.Sleep(2 * time.Second) // several looks
			os.Remove(w.at("armed"))
		}()
		out, err := w.desk("a").Run(t.Context(), fleet.Turn{Spec: s, Leg: 1}, silent)
		if err != nil || out.Taken || out.Iterations != 1 {
			t.Errorf("%+v, %v", out, err)
		}
	})
	t.Run("but not where the remote is silent, too", func(t *testing.T) {
		w := newWorld(t, slow)
		w.write("armed", "")
		s := w.spec()
		s.Lease = time.Second
		a := w.desk("a")
		var wg sync.WaitGroup
		var out fleet.Standing
		var err error
		wg.Go(func() { out, err = a.Run(t.Context(), fleet.Turn{Spec: s, Leg: 1}, silent) })
		w.await("the agent works", func() bool { _, err := os.Stat(w.at("slow")); return err == nil })
		if err := os.Rename(w.at("hub.git"), w.at("away.git")); err != nil {
			t.Fatal(err)
		}
		hung := time.AfterFunc(time.Minute, func() { os.Remove(w.at("armed")) }) // so that the test ends
		wg.Wait()
		if !hung.Stop() || err != nil || !out.Taken {
			t.Errorf("the agent went on, as if nobody else could have the run: %+v, %v", out, err)
		}
		if err := os.Rename(w.at("away.git"), w.at("hub.git")); err != nil {
			t.Fatal(err)
		}
		os.Remove(w.at("armed"))
		w.finish(s, 2, "1 1 2 3", a, w.desk("b"))
	})
	t.Run("until somebody else has the run", func(t *testing.T) {
		w := newWorld(t, slow)
		w.write("armed", "")
		s := w.spec()
		s.Lease = 400 * time.Millisecond
		a, b := w.desk("a"), w.desk("b")
		var wg sync.WaitGroup
		var out fleet.Standing
		var err error
		wg.Go(func() { out, err = a.Run(t.Context(), fleet.Turn{Spec: s, Leg: 1}, silent) })
		w.await("the agent works", func() bool { _, err := os.Stat(w.at("slow")); return err == nil })
		lost := make(chan struct{})
		go func() { wg.Wait(); close(lost) }()
		go func() {
			select {
			case <-lost: // only then may the agent of the other come to its end
			case <-time.After(time.Minute):
			}
			os.Remove(w.at("armed"))
		}()
		next := w.leg(b, s, 2)
		wg.Wait()
		if err != nil || !out.Taken || out.Away {
			t.Errorf("the first worker: %+v, %v", out, err)
		}
		if next.Taken || next.Iterations != 1 {
			t.Errorf("the second worker: %+v", next)
		}
		if left := a.trees(s.ID); len(left) > 0 {
			t.Errorf("the first worker has kept %v", left)
		}
		w.finish(s, 3, "1 1 2 3", a, b)
	})
}

// Gates are ended like the agent where somebody else has the run: a reviewer is an agent,
// too.
func TestAGateOfARunThatWasLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent())
	w.write("gate.sh", "[ -e '"+w.dir+"/go' ] || [ ! -e work ] || { : >'"+w.dir+"/slow'; sleep 600; }\n")
	s := w.spec("gate=sh " + w.at("gate.sh"))
	s.Quantum.Iterations, s.Lease = 0, 400*time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	g := w.start(ctx, w.desk("a"), fleet.Turn{Spec: s, Leg: 1}, fleet.Hooks{Heard: func() fleet.Beat { return fleet.Beat{At: time.Now().Add(-time.Hour)} }})
	w.await("the gate runs", w.there("slow"))
	w.write("go", "")
	if out := w.leg(w.desk("b"), s, 2); out.State != loop.Done || w.starts() != "1 2 3" {
		t.Errorf("the next worker: %+v; agents were started in the iterations %s", out, w.starts())
	}
	hung := time.AfterFunc(time.Minute, cancel) // so that the test ends
	g.wait()
	if !hung.Stop() || g.err != nil || !g.out.Taken {
		t.Errorf("the gate went on: %+v, %v", g.out, g.err)
	}
	w.nobodyLeft(s)
	w.whole(s)
}

// A remote that cannot be reached is waited for. What the agent did is not done again.
func TestCutFromTheRemote(t *testing.T) {
	t.Parallel()
	cut := agent(`if [ $REFRAIN_ITERATION = 2 ] && rm "$DESK_TEST_WORLD/armed" 2>/dev/null; then`, `mv "$DESK_TEST_WORLD/hub.git" "$DESK_TEST_WORLD/away.git"`, `: >"$DESK_TEST_WORLD/gone"`, `fi`)
	back := func(w *world) {
		if err := os.Rename(w.at("away.git"), w.at("hub.git")); err != nil {
			w.t.Error(err)
		}
	}
	t.Run("and comes back", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, cut)
		w.write("armed", "")
		s := w.spec()
		s.Quantum.Iterations = 0
		o := w.options("a")
		o.Cut = time.Minute
		d, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		go func() {
			w.await("it is cut", func() bool { _, err := os.Stat(w.at("gone")); return err == nil })
			time.Sleep(time.Second)
			back(w)
		}()
		w.finish(s, 1, "1 2 3", d)
	})
	t.Run("and does not", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, cut)
		w.write("armed", "")
		s := w.spec()
		s.Quantum.Iterations = 0
		d := w.desk("a")
		out := w.leg(d, s, 1)
		if !out.Stuck || out.Person || out.State != loop.Parked || !strings.Contains(out.Why, "hub.git") || out.Iterations != 1 {
			t.Errorf("%+v", out)
		}
		d.Sweep(t.Context())
		_, err := d.Run(t.Context(), fleet.Turn{Spec: s, Leg: 2}, fleet.Hooks{})
		var away *carry.UnreachableError
		if !errors.As(err, &away) {
			t.Errorf("a leg meanwhile: %v", err)
		}
		back(w)
		d.Sweep(t.Context())
		w.finish(s, 3, "1 2 3", d)
	})
}

// Of two who are given the same leg, one has it.
func TestTwoForOneLeg(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent())
	desks := []*Desk{w.desk("a"), w.desk("b")}
	s := w.spec()
	for leg := 1; leg <= 2; leg++ {
		var outs [2]fleet.Standing
		var errs [2]error
		var wg sync.WaitGroup
		for i, d := range desks {
			wg.Go(func() { outs[i], errs[i] = d.Run(t.Context(), fleet.Turn{Spec: s, Leg: leg}, fleet.Hooks{}) })
		}
		wg.Wait()
		if errs[0] != nil || errs[1] != nil || outs[0].Taken == outs[1].Taken {
			t.Fatalf("leg %d: %+v\n%v", leg, outs, errs)
		}
	}
	w.finish(s, 3, "1 2 3", desks...)
	for _, late := range desks {
		out := w.leg(late, s, 2)
		if !out.Taken || out.Leg < 3 {
			t.Errorf("a leg that comes late: %+v", out)
		}
	}
}

// What a remote says against a push is what people are told.
func TestAPushThatIsRefused(t *testing.T) {
	t.Parallel()
	t.Run("from the first on", func(t *testing.T) {
		w := newWorld(t, agent())
		w.hook("pre-receive", "echo 'the quota is used up' >&2\nexit 1\n")
		out := w.leg(w.desk("a"), w.spec(), 1)
		if !out.Failed || !strings.Contains(out.Why, "the quota is used up; ") || out.Worker != "a" {
			t.Errorf("%+v", out)
		}
		if got := w.starts(); !strings.Contains(got, "no such file") {
			t.Errorf("an agent was started: %s", got)
		}
	})
	t.Run("later", func(t *testing.T) {
		w := newWorld(t, agent(`[ $REFRAIN_ITERATION != 2 ] || : >"$DESK_TEST_WORLD/full"`))
		w.hook("pre-receive", "[ ! -e \"$W/full\" ] || { echo 'the quota is used up' >&2; exit 1; }\n")
		s := w.spec()
		s.Quantum.Iterations = 0
		d := w.desk("a")
		out := w.leg(d, s, 1)
		if !out.Stuck || !out.Person || !strings.Contains(out.Why, "the quota is used up") || out.Iterations != 1 {
			t.Errorf("%+v", out)
		}
		w.hook("pre-receive", "exit 0\n")
		w.finish(s, 2, "1 2 3", d)
	})
	t.Run("the branch alone", func(t *testing.T) {
		w := newWorld(t, agent())
		w.hook("update", "case $1 in refs/heads/*) echo 'protected branch' >&2; exit 1 ;; esac\n")
		s := w.spec()
		d := w.desk("a")
		out := w.leg(d, s, 1)
		if !out.Stuck || !out.Person || !strings.Contains(out.Why, "protected branch") {
			t.Errorf("%+v", out)
		}
		if w.card(s).Held {
			t.Error("its records are still held")
		}
		w.hook("update", "exit 0\n")
		w.finish(s, 2, "1 2 3", w.desk("b"))
	})
}

// What comes to the same each time is for a person, and no agent is paid for it again.
func TestWhatNeverTravels(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, agent string
		set         []string
		stuck       bool
		why, starts string
	}{
		{"a secret", "echo KEY=x >.env", nil, true, "secrets do not travel", "1"},
		{"a run without checkpoints", "", []string{"git.checkpoint=false"}, false, "no checkpoints", "no such file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, agent(tt.agent))
			d := w.desk("a")
			s := w.spec(tt.set...)
			for leg := 1; leg <= 2; leg++ {
				out := w.leg(d, s, leg)
				if out.Stuck != tt.stuck || !out.Person || !strings.Contains(out.Why, tt.why) || !strings.Contains(out.Why, "; ") || !strings.Contains(w.starts(), tt.starts) || strings.Contains(w.starts(), "1 ") {
					t.Errorf("leg %d: %+v; agents were started in the iterations %s", leg, out, w.starts())
				}
			}
		})
	}
	t.Run("what is asked for makes no sense", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, agent())
		s := w.spec("loop.backoff=soon")
		if out := w.leg(w.desk("a"), s, 1); !out.Failed || !strings.Contains(out.Why, "loop.backoff") || out.At == "" {
			t.Errorf("%+v", out)
		}
	})
	t.Run("what may pass is no matter for a person", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, agent())
		os.Rename(w.at("hub.git"), w.at("away.git"))
		out, err := w.desk("a").Run(t.Context(), fleet.Turn{Spec: w.spec(), Leg: 1}, fleet.Hooks{})
		var away *carry.UnreachableError
		if !errors.As(err, &away) || out.Failed {
			t.Errorf("%+v, %v", out, err)
		}
	})
}

// Commits of others on the branch are not written over.
func TestABranchThatOthersWriteTo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent())
	d := w.desk("a")
	s := w.spec()
	w.leg(d, s, 1)
	w.git(w.at("seed"), "fetch", "-q", "origin", s.Branch)
	w.git(w.at("seed"), "checkout", "-q", "-B", "mine", "FETCH_HEAD")
	w.git(w.at("seed"), "commit", "-q", "--allow-empty", "-m", "mine")
	w.git(w.at("seed"), "push", "-q", "origin", "mine:"+s.Branch)
	mine := w.hub("rev-parse", s.Branch)
	out := w.leg(d, s, 2)
	if !out.Failed || !strings.Contains(out.Why, "has commits that the run does not have") || w.hub("rev-parse", s.Branch) != mine {
		t.Fatalf("%+v; the branch is at %s", out, w.hub("rev-parse", s.Branch))
	}
	if got := w.starts(); got != "1" {
		t.Errorf("agents were started all the same: %s", got)
	}
	w.hub("branch", "-m", s.Branch, "theirs")
	w.finish(s, 3, "1 2 3", d)
	if w.hub("rev-parse", "theirs") != mine {
		t.Error("their branch was moved")
	}
}
