package fleettest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/carry"
	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/loop"
)

// One fleet lives through a short life: each part of it is a promise of docs/fleet.md.
func TestFleet(t *testing.T) {
	y := newYard(t)
	y.create("app")
	one, two := y.newWorker("w1", 4), y.newWorker("w2", 4)
	over := func(r fleet.Row) bool { return r.State.Ended() && r.State != loop.Parked }
	at := func(n int) func(fleet.Row) bool {
		return func(r fleet.Row) bool { return r.Live && r.Iterations >= n }
	}
	with := func(r fleet.Row) (has, other *worker) {
		if r.Worker == one.name {
			return one, two
		}
		return two, one
	}
	part := func(name string, body func(t *testing.T)) {
		if !t.Run(name, func(t *testing.T) {
			y := *y
			y.TB = t
			body(t)
		}) {
			t.FailNow() // the fleet is not what the next part expects
		}
	}
	settled := func(t *testing.T, name string) seen {
		t.Helper()
		r := y.row(name, "is over", over)
		s := y.check(r, "app")
		if t.Failed() {
			t.FailNow()
		}
		return s
	}

	part("runs are done, and their branches are on the remote", func(t *testing.T) {
		for i := range 4 {
			y.submit("app", fmt.Sprintf("plain-%d", i), "take 2 until 3 iterations", "--gate", "grep -q 3 work.txt")
		}
		for i := range 4 {
			s := settled(t, fmt.Sprintf("plain-%d", i))
			if s.iterations != 3 || s.together != 0 {
				t.Errorf("%+v, want 3 iterations, one agent at a time", s)
			}
		}
		if r := y.rows()["plain-0"]; r.Proven == nil || !*r.Proven {
			t.Errorf("plain-0 is %+v, want proven: its gate failed before, and passes now", r)
		}
	})

	part("a worker that is killed has its run taken up by another", func(t *testing.T) {
		y.submit("app", "killed", "take 10 until 5 iterations")
		r := y.row("killed", "has an iteration", at(1))
		w, other := with(r)
		w.kill()
		w.idle(t, 10*time.Second) // what it had started ends with it
		s := settled(t, "killed")
		if r := y.rows()["killed"]; r.Worker != other.name || s.together != 0 {
			t.Errorf("it ended on %s after %+v, want on %s, and one agent at a time", r.Worker, s, other.name)
		}
		w.start()
	})

	part("a long wait needs no worker", func(t *testing.T) {
		y.submit("app", "limited", "take 2 limit 8 until 3 iterations")
		r := y.row("limited", "waits", func(r fleet.Row) bool { return !r.WaitUntil.IsZero() && !r.Live })
		if r.State != loop.Waiting && r.State != loop.Parked {
			t.Errorf("it is %s while it waits", r.State)
		}
		one.idle(t, 5*time.Second, one.pid())
		two.idle(t, 5*time.Second, two.pid())
		settled(t, "limited")
		var limited bool
		for _, e := range y.remote.journal("app", carry.Prefix+r.ID) {
			f, ok := e.Payload.(*loop.IterationFinished)
			limited = limited || ok && f.Outcome.Result == loop.Limited
		}
		if !limited {
			t.Error("no attempt met the limit")
		}
	})

	part("orders reach a run, alive or not", func(t *testing.T) {
		y.submit("app", "ordered", "take 5 until 1000 iterations")
		y.row("ordered", "has an iteration", at(1))
		y.order("note", "ordered", "mind the gap")
		y.order("pause", "ordered")
		r := y.row("ordered", "is paused", func(r fleet.Row) bool { return r.Paused && !r.Live })
		time.Sleep(time.Second) // nothing tells that nothing happens
		if now := y.rows()["ordered"]; now.Iterations != r.Iterations {
			t.Errorf("it was paused after iteration %d, and has %d now", r.Iterations, now.Iterations)
		}
		y.order("resume", "ordered")
		y.row("ordered", "goes on", at(r.Iterations+1))
		y.order("stop", "ordered")
		if r = y.row("ordered", "is over", over); r.State != loop.Stopped {
			t.Errorf("it is %s, want stopped", r.State)
		}
		noted := false
		for _, e := range y.remote.journal("app", carry.Prefix+r.ID) {
			noted = noted || e.Type() == "control.note" || strings.Contains(fmt.Sprintf("%+v", e.Payload), "mind the gap")
		}
		if !noted {
			t.Error("the note is not in its journal")
		}
	})

	part("a worker that is asked to leave hands its runs on", func(t *testing.T) {
		y.submit("app", "drained", "take 10 until 5 iterations")
		w, other := with(y.row("drained", "has an iteration", at(1)))
		if exit := w.leave(); exit != 0 {
			t.Errorf("the worker left with status %d, want 0", exit)
		}
		w.idle(t, 5*time.Second)
		s := settled(t, "drained")
		if r := y.rows()["drained"]; r.Worker != other.name || s.lost != 0 || s.together != 0 {
			t.Errorf("it ended on %s after %+v, want on %s, and no attempt lost", r.Worker, s, other.name)
		}
		w.start()
	})

	part("the server is restarted, and nobody minds", func(t *testing.T) {
		y.submit("app", "restarted", "take 10 until 4 iterations")
		y.row("restarted", "has an iteration", at(1))
		y.server.stop(syscall.SIGTERM)
		y.server.start()
		if s := settled(t, "restarted"); s.lost != 0 {
			t.Errorf("%+v, want no attempt lost: the remote was there", s)
		}
	})

	part("a run goes from the laptop to the fleet, and comes back", func(t *testing.T) {
		refrain := func(words ...string) string {
			t.Helper()
			return y.laptop.must("app", "refrain", words...)
		}
		work := filepath.Join(y.laptop.home, "app", "work.txt")
		local := y.laptop.command("app", "refrain", "run", "-p", "take 10 until 4 iterations", "--until", "DONE", "-o", "plain")
		if err := local.Start(); err != nil {
			t.Fatal(err)
		}
		y.until("the run on the laptop has done something", func() bool {
			b, err := os.ReadFile(work)
			return err == nil && len(b) > 0
		})
		refrain("park")
		if _ = local.Wait(); local.ProcessState.ExitCode() != 6 {
			t.Fatalf("the run on the laptop ended with status %d, want 6: parked", local.ProcessState.ExitCode())
		}
		refrain("fleet", "submit", "--carry", "run-1", "--set", "fleet.lease="+lease.String())
		y.row("run-1", "is over", over)
		refrain("carry", "fetch", "run-1", "--trust")
		here, there := refrain("show", "run-1"), y.order("show", "run-1")
		if here != there || here == "" {
			t.Errorf("refrain show on the laptop:\n%s\nand refrain fleet show:\n%s", here, there)
		}
		if b, err := os.ReadFile(work); err != nil || string(b) != "1\n2\n3\n4\n" {
			t.Errorf("the work tree on the laptop has %q (%v), want the work of all four iterations", b, err)
		}
	})

	part("nothing is left behind", func(t *testing.T) {
		for _, w := range y.workers {
			if exit := w.leave(); exit != 0 {
				t.Errorf("%s left with status %d, want 0", w.name, exit)
			}
			w.idle(t, 10*time.Second)
		}
		y.laptop.idle(t, 5*time.Second)
	})
}
