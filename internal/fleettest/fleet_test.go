//go:build unix

package fleettest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
	l := &life{y, y.newWorker("w1", 4), y.newWorker("w2", 4)}
	for _, part := range []struct {
		promise string
		holds   func()
	}{
		{"runs are done, and their branches are on the remote", l.plain},
		{"the branch has the work of an agent that commits nothing", l.uncommitted},
		{"a worker that is killed has its run taken up by another", l.killed},
		{"a worker that reaches nobody ends its agent before another has begun", l.cutOff},
		{"a long wait needs no worker", l.limited},
		{"orders reach a run, alive or not", l.ordered},
		{"a worker that is asked to leave hands its runs on", l.drained},
		{"the server is restarted, and nobody minds", l.restarted},
		{"a run goes from the laptop to the fleet, and comes back", l.carried},
		{"nothing is left behind", l.over},
	} {
		began := time.Now()
		if part.holds(); t.Failed() {
			t.Fatalf("it does not hold that %s", part.promise)
		}
		t.Logf("%s (%.1fs)", part.promise, time.Since(began).Seconds())
	}
}

// life is the life of a fleet with two workers.
type life struct {
	*yard
	one, two *worker
}

func (l *life) plain() {
	for i := range 4 {
		l.submit("app", fmt.Sprintf("plain-%d", i), "take 2 until 3 iterations", "--gate", "grep -q 3 work.txt")
	}
	for i := range 4 {
		if s := l.settled(fmt.Sprintf("plain-%d", i)); s.iterations != 3 || s.together != 0 {
			l.Errorf("%+v, want 3 iterations, one agent at a time", s)
		}
	}
	if r := l.rows()["plain-0"]; r.Proven == nil || !*r.Proven {
		l.Errorf("plain-0 is %+v, want proven: its gate failed before, and passes now", r)
	}
}

func (l *life) uncommitted() {
	l.submit("app", "uncommitted", "leave it until 3 iterations")
	if s := l.settled("uncommitted"); s.iterations != 3 {
		l.Errorf("%+v, want 3 iterations", s)
	}
}

func (l *life) killed() {
	l.submit("app", "killed", "take 10 until 5 iterations")
	w, other := l.with(l.works("killed", 1))
	w.kill()
	w.idle(10 * time.Second) // what it had started ends with it
	s := l.settled("killed")
	if r := l.rows()["killed"]; r.Worker != other.name || s.together != 0 {
		l.Errorf("it ended on %s after %+v, want on %s, and one agent at a time", r.Worker, s, other.name)
	}
	w.start()
}

func (l *life) cutOff() {
	l.submit("app", "cut-off", "take 200 until 1 iterations")
	r := l.works("cut-off", 0)
	l.until("its agent is at work", func() bool { return len(l.shifts(r)) > 0 })
	w, other := l.with(r)
	w.cut(silent)
	l.row("cut-off", "is with "+other.name, func(r fleet.Row) bool { return r.Worker == other.name && r.Live })
	l.until("the other agent is at work", func() bool { return len(l.shifts(r)) > 1 })
	s := l.settled("cut-off")
	w.cut(whole)
	if s.together > mostTogether {
		l.Errorf("two agents were at work on it for %v", s.together)
	}
}

func (l *life) limited() {
	l.submit("app", "limited", "take 2 limit 8 until 3 iterations")
	r := l.row("limited", "waits", func(r fleet.Row) bool { return r.State == loop.Waiting && !r.Live })
	if r.WaitUntil.IsZero() {
		l.Errorf("it waits, and nobody knows until when: %+v", r)
	}
	for _, w := range l.workers {
		w.idle(5*time.Second, w.pid())
	}
	if s := l.settled("limited"); s.lost != 1 {
		l.Errorf("%+v, want one attempt that did not count: it met the limit", s)
	}
}

func (l *life) ordered() {
	l.submit("app", "ordered", "take 5 until 1000 iterations")
	l.works("ordered", 1)
	l.order("note", "ordered", "mind the gap")
	l.order("pause", "ordered")
	r := l.row("ordered", "is paused", func(r fleet.Row) bool { return r.Paused && !r.Live })
	time.Sleep(time.Second) // nothing tells that nothing happens
	if now := l.rows()["ordered"]; now.Iterations != r.Iterations {
		l.Errorf("it was paused after iteration %d, and has %d now", r.Iterations, now.Iterations)
	}
	l.order("resume", "ordered")
	l.works("ordered", r.Iterations+1)
	l.order("stop", "ordered")
	if r = l.row("ordered", "is over", over); r.State != loop.Stopped {
		l.Errorf("it is %s, want stopped", r.State)
	}
	for _, e := range l.remote.journal("app", carry.Prefix+r.ID) {
		if strings.Contains(fmt.Sprintf("%+v", e.Payload), "mind the gap") {
			return
		}
	}
	l.Error("the note is not in its journal")
}

func (l *life) drained() {
	l.submit("app", "drained", "take 10 until 5 iterations")
	w, other := l.with(l.works("drained", 1))
	if exit := w.leave(); exit != 0 {
		l.Errorf("the worker left with status %d, want 0", exit)
	}
	w.idle(5 * time.Second)
	s := l.settled("drained")
	if r := l.rows()["drained"]; r.Worker != other.name || s.lost != 0 || s.together != 0 {
		l.Errorf("it ended on %s after %+v, want on %s, and no attempt lost", r.Worker, s, other.name)
	}
	w.start()
}

func (l *life) restarted() {
	l.submit("app", "restarted", "take 10 until 4 iterations")
	l.works("restarted", 1)
	l.server.stop(syscall.SIGTERM)
	l.server.start()
	if s := l.settled("restarted"); s.lost != 0 {
		l.Errorf("%+v, want no attempt lost: the remote was there", s)
	}
}

func (l *life) carried() {
	refrain := func(words ...string) string {
		l.Helper()
		return l.laptop.must("app", "refrain", words...)
	}
	work := filepath.Join(l.laptop.home, "app", "work.txt")
	local := l.laptop.command("app", "refrain", "run", "-p", "take 10 until 4 iterations", "--until", "DONE", "-o", "plain")
	if err := local.Start(); err != nil {
		l.Fatal(err)
	}
	l.until("the run on the laptop has done something", func() bool {
		b, err := os.ReadFile(work)
		return err == nil && len(b) > 0
	})
	refrain("park")
	if _ = local.Wait(); local.ProcessState.ExitCode() != 6 {
		l.Fatalf("the run on the laptop ended with status %d, want 6: parked", local.ProcessState.ExitCode())
	}
	var there struct{ Run, ID string }
	if err := json.Unmarshal([]byte(refrain("fleet", "submit", "--carry", "run-1", "--branch", "refrain/{{name}}", "--set", "fleet.lease="+lease.String(), "--json")), &there); err != nil {
		l.Fatal(err)
	}
	r := l.row(there.Run, "is over", over)
	refrain("carry", "fetch", there.ID, "--trust")
	here, away := told(refrain("show", "run-1")), told(l.order("show", there.Run))
	if here != away || here == "" {
		l.Errorf("refrain show on the laptop:\n%s\nand refrain fleet show:\n%s", here, away)
	}
	if b, err := l.remote.try("app.git", "show", "refs/heads/"+r.Branch+":work.txt"); err != nil || string(b) != "1\n2\n3\n4\n" {
		l.Errorf("its branch has %q (%v), want the work of all four iterations", b, err)
	}
	if b, err := os.ReadFile(work); err != nil || string(b) != "1\n2\n3\n4\n" {
		l.Errorf("the work tree on the laptop has %q (%v), want the work of all four iterations", b, err)
	}
}

// told is what is shown of a run, but for where it is, what runs there, and what to type.
func told(shown string) string {
	var list []string
	skip := false
	for line := range strings.Lines(shown) {
		if words := strings.Fields(line); len(words) > 0 && strings.HasPrefix(line, "  ") && !strings.HasPrefix(line, "   ") {
			skip = slices.Contains([]string{"fleet", "remote", "files", "next", "processes"}, words[0])
		} else if !strings.HasPrefix(line, " ") {
			skip = false
		}
		if !skip {
			list = append(list, line)
		}
	}
	return strings.TrimSpace(strings.Join(list, ""))
}

func (l *life) over() {
	for _, w := range l.workers {
		if exit := w.leave(); exit != 0 {
			l.Errorf("%s left with status %d, want 0", w.name, exit)
		}
		w.idle(10 * time.Second)
	}
	l.laptop.idle(5 * time.Second)
}

// with is the worker that has a run, and the one that has not.
func (l *life) with(r fleet.Row) (has, other *worker) {
	if r.Worker == l.one.name {
		return l.one, l.two
	}
	return l.two, l.one
}

// works waits until a worker is at a run, and so many iterations are done.
func (l *life) works(name string, n int) fleet.Row {
	l.Helper()
	return l.row(name, fmt.Sprintf("is at work, after %d iterations", n), func(r fleet.Row) bool { return r.Live && r.Iterations >= n })
}

// settled waits until a run is over, and checks what has to be true of one that is done.
func (l *life) settled(name string) seen {
	l.Helper()
	s := l.check(l.row(name, "is over", over), "app")
	if l.Failed() {
		l.FailNow()
	}
	return s
}

// over tells whether nobody will go on with a run.
func over(r fleet.Row) bool { return !r.EndedAt.IsZero() }
