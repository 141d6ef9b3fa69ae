//go:build linux

package cli

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

// longRun makes a run of very many iterations, of about 3 KB each as a real one in a
// plain folder has them. A process of its own does that: the system counts the memory of
// who starts a program as that of the program.
func (w *world) longRun(iterations int) {
	w.Helper()
	test, err := os.Executable()
	if err != nil {
		w.Fatal(err)
	}
	w.must(w.program, "run", "--", "true")
	w.env = append(w.env, longRunOf+"="+strconv.Itoa(iterations))
	w.must(test, "-test.run", "^TestALongRunIsAsOthersAre$")
	w.env = w.env[:len(w.env)-1]
}

// longRunOf says how many iterations the run in the work tree is to have.
const longRunOf = "REFRAIN_LONG_RUN_OF"

// What the benchmarks look at is a run that can be read like any other. Where they
// want one, it is made in the work tree that they stand in.
func TestALongRunIsAsOthersAre(t *testing.T) {
	iterations, _ := strconv.Atoi(os.Getenv(longRunOf))
	tree, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	open := func() (journal.Store, error) { return journal.Open(tree) }
	if iterations == 0 {
		w := newWorld(t)
		w.must(w.program, "run", "--", "true")
		iterations, open = 20, func() (journal.Store, error) { return w.store(), nil }
	}
	store, err := open()
	if err != nil {
		t.Fatal(err)
	}
	first, err := store.Load("run-1")
	if err != nil {
		t.Fatal(err)
	}
	m := first.Meta
	m.ID = ""
	if err := store.Import(m, longRunEvents(iterations)); err != nil {
		t.Fatal(err)
	}
	made, err := store.Load("run-2")
	if err != nil || made.Strange.Any() || made.Tampered != "" || made.State.Totals.Iterations != iterations {
		t.Errorf("%d iterations were made, %v, %q, %v", made.State.Totals.Iterations, made.Strange, made.Tampered, err)
	}
}

// longRunEvents are the events of a run whose agents wrote something each time.
func longRunEvents(iterations int) (events []loop.Event) {
	var state loop.State
	at := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	write := func(iter int, p loop.Payload) {
		at = at.Add(700 * time.Millisecond)
		e := loop.Event{Seq: int64(len(events) + 1), Time: at, Run: "loop_47619237-4ac7-4327-b589-66c6c464742f", Iter: iter, Payload: p}
		if iter > 0 {
			e.Attempt = 1
		}
		state = state.Sum(e)
		if p, ok := p.(*loop.IterationFinished); ok {
			p.State = state
		}
		events = append(events, e)
	}
	limits := loop.Limits{Iterations: iterations, Failures: 3, RedGates: 5, TestFailures: 5}
	write(0, &loop.RunStarted{
		Name: "run-2", Procedure: "run", Agent: "sh", Limits: limits, Promise: "DONE", Command: "true",
		Counting: loop.CountPolicy{Agents: []string{"sh"}}, Sandbox: &loop.Sandbox{Mode: "none", Wanted: "none"},
	})
	status, yes := 0, true
	exit := loop.Exit{Code: &status, Cause: loop.Exited}
	said := "I changed the parser so that it takes comments, and wrote a test for it; the printer comes next, and after that the docs that speak of it. Step "
	for i := 1; i <= iterations; i++ {
		began := at
		write(i, &loop.IterationStarted{Max: iterations})
		write(i, &loop.IterationPhase{Phase: loop.Executing})
		write(i, &loop.AgentStarted{Agent: "sh", PID: 4711 + i, Started: at})
		write(i, &loop.AgentExited{Exit: exit, Duration: loop.Millis(17 * time.Millisecond)})
		write(i, &loop.AgentResult{OK: true})
		changed := loop.Changes{Modified: 1, LinesAdded: i % 90, LinesRemoved: i % 40}
		net := loop.Changes{Modified: 1, LinesAdded: i}
		changed.Paths = []loop.PathChange{{Path: fmt.Sprintf("part%d.go", i%7), Change: "modified"}}
		o := loop.Outcome{
			Result: loop.OK, Exit: &exit, Worker: loop.Worker{Agent: "sh"}, Said: loop.Said{Summary: said + strconv.Itoa(i), PromiseChecked: true},
			Work:  loop.Work{Progress: &yes, ProgressBy: []loop.ProgressBy{loop.InFiles}, Changes: &changed, Net: &net},
			Usage: &loop.Usage{Input: 1200 + i%100, Output: 300 + i%50, CostUSD: float64(i%9) / 100},
			Left:  loop.Left{Tree: strings.Repeat(fmt.Sprintf("%08x", i), 5), Checkpoint: strings.Repeat(fmt.Sprintf("%08x", i+1), 5)},

			StartedAt: began, Duration: loop.Millis(17 * time.Millisecond), EndedAt: at,
		}
		write(i, &loop.IterationFinished{Outcome: o, Verdict: loop.Verdict{Action: loop.Continue}})
	}
	why := fmt.Sprintf("reached the limit of %d iterations before done", iterations)
	end := loop.Verdict{Action: loop.Stop, Rule: "iterations", State: loop.Exhausted, Reason: loop.ByIterations, Why: why}
	events[len(events)-1].Payload.(*loop.IterationFinished).Verdict = end
	write(0, &loop.RunRule{Verdict: end})
	write(0, &loop.RunFinished{State: end.State, Reason: end.Reason, Why: why, Elapsed: state.Live, Totals: state.Totals})
	return events
}

// BenchmarkHistory is what it takes to look at what has been: processor time, memory
// at the most, and for a list how often it writes.
func BenchmarkHistory(b *testing.B) {
	const iterations = 50_000
	b.Run("ls", func(b *testing.B) {
		w := benchWorld(b)
		w.pretend(1000, 20)
		benchHistory(b, w, "ls")
		report(b, float64(w.writes("ls")), "writes")
	})
	w := benchWorld(b)
	w.longRun(iterations)
	for name, args := range map[string][]string{
		"show-one": {"show", "run-2/5"},
		"show-all": {"show", "run-2", "--all"},
		"whatif":   {"whatif", "run-2", "--set", "stop.no_progress=3"},
		"report":   {"report", "run-2"},
		"events":   {"events", "run-2"},
	} {
		b.Run(name, func(b *testing.B) { benchHistory(b, w, args...) })
	}
}

func benchHistory(b *testing.B, w *world, args ...string) {
	var cpu, memory []float64
	for b.Loop() {
		m := w.measure(0, w.program, args...)
		cpu, memory = append(cpu, m.cpu), append(memory, m.rss)
	}
	report(b, median(cpu), "cpu-ms")
	report(b, slices.Max(memory), "rss-MB")
}

// writes counts how often a command writes to its output: each write to a socket that
// keeps them apart is one message.
func (w *world) writes(args ...string) (n int) {
	w.Helper()
	ends, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_SEQPACKET, 0)
	if err != nil {
		w.Fatal(err)
	}
	ours, theirs := os.NewFile(uintptr(ends[0]), "ours"), os.NewFile(uintptr(ends[1]), "theirs")
	defer ours.Close()
	cmd := w.command(w.program, args...)
	cmd.Stdout = theirs
	if err := cmd.Start(); err != nil {
		w.Fatal(err)
	}
	_ = theirs.Close()
	for one := make([]byte, 1<<20); ; n++ {
		if got, err := ours.Read(one); err != nil || got == 0 {
			break
		}
	}
	if err := cmd.Wait(); err != nil {
		w.Fatal(err)
	}
	return n
}
