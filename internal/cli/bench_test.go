//go:build linux

package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// These measure the program as people have it: built, and run as a process.
// scripts/bench makes a table of them.

// BenchmarkCPU is the processor time of commands that people wait for.
func BenchmarkCPU(b *testing.B) {
	b.Run("version", func(b *testing.B) {
		benchCPU(b, benchWorld(b), "--version")
	})
	b.Run("ls-1000-runs", func(b *testing.B) {
		w := benchWorld(b)
		w.pretend(1000, 20)
		benchCPU(b, w, "ls")
	})
	b.Run("show-100000-iterations", func(b *testing.B) {
		w := benchWorld(b)
		w.pretend(1, 100_000)
		benchCPU(b, w, "show", "run-1")
	})
}

func benchCPU(b *testing.B, w *world, args ...string) {
	var cpu []float64
	for b.Loop() {
		cpu = append(cpu, w.measure(0, w.program, args...).cpu)
	}
	report(b, median(cpu), "cpu-ms")
}

// benchWorld is a world with the program as it is released.
func benchWorld(b *testing.B) *world {
	b.Helper()
	w := newWorld(b)
	w.program = filepath.Join(filepath.Dir(w.tree), "refrain")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", w.program, "../../cmd/refrain")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("build refrain: %v\n%s", err, out)
	}
	return w
}

// taken is what a process took: milliseconds, and megabytes at the most.
type taken struct{ wall, cpu, rss float64 }

// measure runs a program that is to end with a status.
func (w *world) measure(status int, name string, args ...string) taken {
	w.Helper()
	var complaint bytes.Buffer
	cmd := w.command(name, args...)
	cmd.Stderr = &complaint
	began := time.Now()
	_ = cmd.Run()
	wall := time.Since(began)
	if got := cmd.ProcessState.ExitCode(); got != status {
		w.Fatalf("%s %q: exit status %d, want %d\n%s", name, args, got, status, &complaint)
	}
	used := cmd.ProcessState
	return taken{
		wall: ms(wall),
		cpu:  ms(used.UserTime() + used.SystemTime()),
		rss:  float64(used.SysUsage().(*syscall.Rusage).Maxrss) / 1024,
	}
}

// pretend makes runs that are done, with the files that a real one has.
func (w *world) pretend(runs, iterations int) {
	w.Helper()
	w.must(w.program, "run", "--", "true")
	store := w.store()
	real, err := store.Load("run-1")
	if err != nil {
		w.Fatal(err)
	}
	if err := os.RemoveAll(real.Dir); err != nil {
		w.Fatal(err)
	}
	real.ID = "" // each has its own
	for i := range runs {
		if err := store.Import(real.Meta, pretended(fmt.Sprintf("run-%d", i+1), iterations)); err != nil {
			w.Fatal(err)
		}
	}
}

// pretended are the events of a run whose iterations went well.
func pretended(name string, iterations int) (events []loop.Event) {
	var (
		state loop.State
		seq   int64
		began = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	)
	write := func(iter int, p loop.Payload) {
		seq++
		e := loop.Event{Seq: seq, Time: began.Add(time.Duration(seq) * time.Second), Run: "loop_x", Iter: iter, Payload: p}
		if iter > 0 {
			e.Attempt = 1
		}
		state = state.Sum(e)
		if p, ok := p.(*loop.IterationFinished); ok {
			p.State = state
		}
		events = append(events, e)
	}
	write(0, &loop.RunStarted{Name: name, Procedure: "run", Agent: "true"})
	status, yes := 0, true
	exit := loop.Exit{Code: &status, Cause: loop.Exited}
	for i := 1; i <= iterations; i++ {
		write(i, &loop.IterationStarted{Max: iterations})
		write(i, &loop.IterationPhase{Phase: loop.Executing})
		write(i, &loop.AgentStarted{Agent: "true", PID: 4711, Started: began})
		write(i, &loop.AgentExited{Exit: exit, Duration: loop.Millis(time.Second)})
		write(i, &loop.IterationFinished{
			Outcome: loop.Outcome{
				Result: loop.OK, Exit: &exit, Work: loop.Work{Progress: &yes, ProgressBy: []loop.ProgressBy{loop.InFiles}}, Worker: loop.Worker{Agent: "true"},
				Said: loop.Said{Summary: "Wrote the parser and its tests; the printer comes next."}, Duration: loop.Millis(time.Second),
			},
			Verdict: loop.Verdict{Action: loop.Continue},
		})
	}
	write(0, &loop.RunFinished{State: loop.Done, Reason: loop.ByIterations, Why: "ran them all", Totals: state.Totals})
	return events
}

// report replaces the time of the benchmark itself, which means nothing here.
func report(b *testing.B, value float64, unit string) {
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(value, unit)
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}
