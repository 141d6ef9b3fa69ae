//go:build linux

package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	idleRuns = 40
	// idleTime is some rounds of what a runner looks at while its agent sleeps.
	idleTime = time.Minute
	// settled is when a process has given back what it used to begin.
	settled = 15 * time.Second
)

// BenchmarkIdle is what a run takes while its agent sleeps, one of many on a machine:
// processor time, how often it wakes up, and the memory that it has for itself or its
// share of. None of them depends on what else the machine does.
func BenchmarkIdle(b *testing.B) {
	for b.Loop() { // once is enough: a minute of forty
	}
	w := benchWorld(b)
	runners := w.sleepers(idleRuns)
	time.Sleep(settled)
	var before, after idling
	families := make([][]int, len(runners))
	for i, pid := range runners {
		families[i] = w.oursBelow(pid)
		if len(families[i]) < 2 {
			b.Fatalf("runner %d has no keeper: %v", pid, families[i])
		}
		before = before.plus(b, families[i])
	}
	began := time.Now()
	time.Sleep(idleTime)
	passed := time.Since(began)
	var pair, all float64
	for _, family := range families {
		after = after.plus(b, family)
		runner, keepers := pss(b, family[0]), []float64{}
		for _, pid := range family[1:] {
			keepers = append(keepers, pss(b, pid))
			all += keepers[len(keepers)-1]
		}
		all += runner
		pair += runner + slices.Max(keepers)
	}
	report(b, (after.cpu-before.cpu).Seconds()/passed.Hours()/idleRuns, "cpu-s/h")
	report(b, float64(after.switches-before.switches)/passed.Seconds()/idleRuns, "wakeups/s")
	report(b, pair/idleRuns, "pss-MB")
	report(b, all/idleRuns, "all-pss-MB")
}

// sleepers are the runners of runs whose agents sleep, each in a tree of its own. They
// are ended with the benchmark.
func (w *world) sleepers(n int) (pids []int) {
	w.Helper()
	var asleep []string
	for i := range n {
		tree := filepath.Join(filepath.Dir(w.tree), fmt.Sprintf("tree-%d", i))
		if err := os.MkdirAll(filepath.Join(tree, ".refrain"), 0o700); err != nil { // a work tree of its own
			w.Fatal(err)
		}
		cmd := w.command(w.program, "run", "-n", "1", "-p", "sleep", "--", "sh", "-c", "cat >/dev/null; : >asleep; exec sleep 3600")
		cmd.Dir = tree
		w.started(cmd)
		pids, asleep = append(pids, cmd.Process.Pid), append(asleep, filepath.Join(tree, "asleep"))
	}
	for _, path := range asleep {
		for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
			if _, err := os.Stat(path); err == nil {
				break
			}
			if time.Now().After(deadline) {
				w.Fatalf("%s is not there: its agent does not sleep", path)
			}
		}
	}
	return pids
}

// started starts a runner that is told to end, with its agent, when the benchmark is over.
func (w *world) started(cmd *exec.Cmd) {
	w.Helper()
	if err := cmd.Start(); err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // an interrupt would wait for the agent
		_ = cmd.Wait()                          // it was told to
	})
}

// oursBelow lists a runner and all of its helpers. Which file they execute does not
// tell: in some sandboxes it is a copy.
func (w *world) oursBelow(pid int) []int {
	found := []int{pid}
	for i := 0; i < len(found); i++ {
		lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", found[i])) // the pattern is right
		for _, list := range lists {
			for _, word := range strings.Fields(contents(w.TB, list)) {
				child, err := strconv.Atoi(word)
				if err != nil {
					w.Fatal(err)
				}
				if argv := strings.Split(contents(w.TB, fmt.Sprintf("/proc/%d/cmdline", child)), "\x00"); len(argv) > 1 && argv[1] == "refrain-helper" {
					found = append(found, child)
				}
			}
		}
	}
	return found
}

// idling is what some processes have done so far.
type idling struct {
	cpu      time.Duration
	switches int // of their own will: each is followed by a wakeup
}

// plus adds what each thread of some processes has done.
func (a idling) plus(b *testing.B, pids []int) idling {
	b.Helper()
	for _, pid := range pids {
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid)) // the pattern is right
		for _, thread := range threads {
			ran, _, _ := strings.Cut(contents(b, filepath.Join(thread, "schedstat")), " ")
			ns, err := strconv.ParseInt(ran, 10, 64)
			if err != nil {
				b.Fatal(err)
			}
			a.cpu += time.Duration(ns)
			a.switches += field(b, filepath.Join(thread, "status"), "voluntary_ctxt_switches:")
		}
	}
	return a
}

// pss is the memory of a process in megabytes, what it shares counted by its share.
func pss(b *testing.B, pid int) float64 {
	b.Helper()
	return float64(field(b, fmt.Sprintf("/proc/%d/smaps_rollup", pid), "Pss:")) / 1024
}

// field is the number on a line of a file that begins with a name.
func field(b *testing.B, path, name string) int {
	b.Helper()
	for line := range strings.Lines(contents(b, path)) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == name {
			n, err := strconv.Atoi(words[1])
			if err != nil {
				b.Fatal(err)
			}
			return n
		}
	}
	b.Fatalf("%s has no %q", path, name)
	return 0
}

func contents(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
