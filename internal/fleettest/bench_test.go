//go:build unix

package fleettest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// How much is measured, where nobody says otherwise.
const (
	benchRuns       = 1000
	benchIterations = 2
	benchWorkers    = 2
	benchSlots      = 4  // of each
	benchLocal      = 24 // runs without a fleet, to compare with
	runsInARepo     = 50
)

// quick is an agent that takes no time.
var quick = []string{"sh", "-c", fmt.Sprintf(
	"cat >/dev/null; echo $REFRAIN_ITERATION >>work.txt; [ $REFRAIN_ITERATION -lt %d ] || echo '<promise>DONE</promise>'", benchIterations)}

// Many runs go through one fleet, on this machine alone: agents, workers, the server and
// the remote share it. What an iteration takes is compared with runs that need no fleet,
// as many at once.
func BenchmarkFleet(b *testing.B) {
	y := newYard(b)
	y.patience = 3 * time.Hour
	runs := setting(b, "RUNS", benchRuns)
	repos := (runs + runsInARepo - 1) / runsInARepo
	for i := range repos {
		y.create(fmt.Sprintf("app-%d", i))
	}
	local := y.local("app-0")
	for i := range benchWorkers {
		y.newWorker(fmt.Sprintf("w%d", i+1), benchSlots)
	}
	began := time.Now()
	for i := range repos {
		y.submitMany(fmt.Sprintf("app-%d", i), min(runsInARepo, runs-i*runsInARepo))
	}
	submitted := time.Since(began)
	worker, server, done := 0, 0, 0
	y.until("every run is over", func() bool {
		for _, w := range y.workers {
			worker = max(worker, y.memory(w.pid()))
		}
		server = max(server, y.memory(y.server.cmd.Process.Pid))
		time.Sleep(time.Second)
		done = 0
		for _, r := range y.rows() {
			if over(r) {
				done++
			}
		}
		return done == runs
	})
	all := time.Since(began)
	idle := y.memory(y.workers[0].pid())
	for name, r := range y.rows() {
		if r.State != "done" || r.Iterations != benchIterations {
			b.Errorf("%s is %s after %d iterations (%s %s), want done after %d", name, r.State, r.Iterations, r.Why, r.Wrong, benchIterations)
			continue
		}
		repo := name[:strings.LastIndexByte(name, '-')]
		work, err := y.remote.try(repo+".git", "show", "refs/heads/"+r.Branch+":work.txt")
		if err != nil || len(strings.Fields(string(work))) != benchIterations {
			b.Errorf("the branch of %s has the work %q (%v), want that of %d iterations", name, work, err, benchIterations)
		}
	}
	each := all / time.Duration(runs*benchIterations)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(runs), "runs")
	b.ReportMetric(all.Seconds(), "s")
	b.ReportMetric(submitted.Seconds(), "s-to-submit")
	b.ReportMetric(float64(time.Second)/float64(each), "iterations/s")
	b.ReportMetric(ms(each), "ms/iteration")
	b.ReportMetric(ms(local), "local-ms/iteration")
	b.ReportMetric(ms(each-local), "overhead-ms/iteration")
	b.ReportMetric(float64(idle>>20), "idle-worker-MB")
	b.ReportMetric(float64(worker>>20), "worker-MB")
	b.ReportMetric(float64(server>>20), "server-MB")
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func (y *yard) memory(pid int) int { return memoryOf(y.TB, pid) }

// submitMany hands runs to the fleet, all of one repository.
func (y *yard) submitMany(repo string, runs int) {
	y.Helper()
	var jobs bytes.Buffer
	for i := range runs {
		one, err := json.Marshal(map[string]any{"name": fmt.Sprintf("%s-%02d", repo, i), "prompt": "go", "command": quick})
		if err != nil {
			y.Fatal(err)
		}
		jobs.Write(append(one, '\n'))
	}
	y.laptop.write("jobs.jsonl", jobs.String())
	y.laptop.must(repo, "refrain", "fleet", "submit", "--jobs", "../jobs.jsonl", "--until", "DONE")
}

// local runs without a fleet, as many at once as workers would, and tells what an
// iteration takes.
func (y *yard) local(repo string) time.Duration {
	y.Helper()
	for i := range benchLocal {
		y.laptop.must(".", "git", "clone", "-q", repo, fmt.Sprintf("tree-%d", i))
	}
	began := time.Now()
	atOnce(benchLocal, benchWorkers*benchSlots, func(i int) {
		words := append([]string{"run", "-p", "go", "--until", "DONE", "-o", "plain", "--"}, quick...)
		if _, err := y.laptop.try(fmt.Sprintf("tree-%d", i), "refrain", words...); err != nil {
			y.Error(err)
		}
	})
	if y.Failed() {
		y.FailNow()
	}
	return time.Since(began) / (benchLocal * benchIterations)
}

// atOnce does something n times, so many at once.
func atOnce(n, most int, do func(i int)) {
	next := make(chan int)
	var wg sync.WaitGroup
	for range most {
		wg.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
}
