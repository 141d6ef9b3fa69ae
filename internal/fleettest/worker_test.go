//go:build unix

package fleettest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// worker is a refrain-worker on a machine of its own.
type worker struct {
	*machine
	slots int
	cmd   *exec.Cmd
	gone  chan struct{} // closed when it has ended
	since time.Time
}

// newWorker starts a worker.
func (y *yard) newWorker(name string, slots int, more ...string) *worker {
	y.Helper()
	w := &worker{machine: y.machine(name), slots: slots}
	w.start(more...)
	y.workers = append(y.workers, w)
	return w
}

// start starts the worker, with what it knew before.
func (w *worker) start(more ...string) {
	w.Helper()
	log := w.yard.log(w.name)
	args := []string{"work", "--name", w.name, "--slots", strconv.Itoa(w.slots), "--root", filepath.Join(w.home, "runs"), "--trust", host + "/*", "--grace", grace.String()}
	w.cmd = w.command(".", "refrain-worker", append(args, more...)...)
	w.cmd.Stdout, w.cmd.Stderr = log, log
	if err := w.cmd.Start(); err != nil {
		w.Fatal(err)
	}
	cmd, gone := w.cmd, make(chan struct{})
	w.gone, w.since = gone, time.Now()
	go func() {
		defer close(gone)
		defer log.Close()
		_ = cmd.Wait() // how it ended is in its ProcessState
	}()
}

// pid is the process of the worker.
func (w *worker) pid() int { return w.cmd.Process.Pid }

// ended tells whether the worker has ended.
func (w *worker) ended() bool {
	select {
	case <-w.gone:
		return true
	default:
		return false
	}
}

// kill ends the worker at once; what it had started ends by itself.
func (w *worker) kill() {
	_ = w.cmd.Process.Kill() // it may have ended by itself
	<-w.gone
}

// ask asks the worker to leave, as a system does that goes down.
func (w *worker) ask() { _ = w.cmd.Process.Signal(syscall.SIGTERM) } // it may have ended by itself

// left waits until the worker has ended, and gives its exit status.
func (w *worker) left() int {
	<-w.gone
	return w.cmd.ProcessState.ExitCode()
}

// leave has the worker leave, and gives its exit status.
func (w *worker) leave() int {
	w.ask()
	return w.left()
}

// agent is a process of an agent that is at work here, 0 when there is none.
func (w *worker) agent(pick func(n int) int) int {
	var agents []int
	for _, pid := range processesOf(w.TB, w.home) {
		args, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
		if bytes.HasPrefix(args, []byte("bash\x00"+w.yard.agent+"\x00")) {
			agents = append(agents, pid)
		}
	}
	if len(agents) == 0 {
		return 0
	}
	return agents[pick(len(agents))]
}
