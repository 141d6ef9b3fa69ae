//go:build unix

package fleettest

import (
	"fmt"
	"math/rand/v2"
	"syscall"
	"time"
)

// fault is what can happen to a worker.
type fault struct {
	what        string
	least, most time.Duration // that it lasts
	// do has it happen, and gives how it is mended; nil where nothing could be done.
	do func(w *worker, dice *rand.Rand) (mend func())
}

// faults are all that happens in chaos. What stands twice comes twice as often.
var faults = []fault{
	{"its worker is killed", 0, 2 * lease, killWorker},
	{"everything on it is killed", 0, 2 * lease, killMachine},
	{"an agent is killed", 0, 0, killAgent},
	{"an agent is killed", 0, 0, killAgent},
	{"it is frozen past its lease", lease + 2*time.Second, 2 * lease, freeze},
	{"it is frozen for a moment", lease / 6, lease / 2, freeze},
	{"it does not reach the server", lease / 6, 2 * lease, cutting(func(w *worker) []*wire { return []*wire{w.toServer} })},
	{"it does not reach the server", lease / 6, 2 * lease, cutting(func(w *worker) []*wire { return []*wire{w.toServer} })},
	{"it does not reach the remote", lease / 6, 2 * lease, cutting(func(w *worker) []*wire { return []*wire{w.toRemote} })},
	{"it does not reach the remote", lease / 6, 2 * lease, cutting(func(w *worker) []*wire { return []*wire{w.toRemote} })},
	{"it reaches nobody", lease / 6, 2 * lease, cutting(func(w *worker) []*wire { return []*wire{w.toServer, w.toRemote} })},
	{"its worker is asked to leave", 0, 2 * lease, leave},
}

func killWorker(w *worker, _ *rand.Rand) func() {
	w.kill()
	return func() { w.start() }
}

// killMachine is what a power cut does: nobody is there to end anything.
func killMachine(w *worker, _ *rand.Rand) func() {
	w.end()
	<-w.gone
	return func() { w.start() }
}

func killAgent(w *worker, dice *rand.Rand) func() {
	pid := w.agent(dice.IntN)
	if pid == 0 || syscall.Kill(pid, syscall.SIGKILL) != nil {
		return nil
	}
	return func() {}
}

// freeze is what a laptop does that is closed.
func freeze(w *worker, _ *rand.Rand) func() {
	w.freeze()
	return w.thaw
}

// cutting cuts some wires of a machine, each so that it is refused, or that nothing is
// heard any more.
func cutting(which func(*worker) []*wire) func(*worker, *rand.Rand) func() {
	return func(w *worker, dice *rand.Rand) func() {
		for _, one := range which(w) {
			one.set([]cut{closed, silent}[dice.IntN(2)])
		}
		return func() {
			for _, one := range which(w) {
				one.set(whole)
			}
		}
	}
}

// leave is a machine that goes down in peace, while nothing else happens to it.
func leave(w *worker, _ *rand.Rand) func() {
	young := time.Since(w.since) < 5*time.Second // it may not hear yet that it is asked
	w.ask()
	return func() {
		if exit := w.left(); exit != 0 && !young {
			w.Errorf("%s was asked to leave, and its worker ended with status %d", w.name, exit)
		}
		w.start()
	}
}

// trouble is a fault that lasts.
type trouble struct {
	of    *worker // nil: of the server
	until time.Time
	mend  func()
}

// some is a time between two.
func some(dice *rand.Rand, least, most time.Duration) time.Duration {
	return least + time.Duration(dice.Int64N(int64(most-least)+1))
}

// serverGoes has the server die, or end; it comes back with what it had written down.
func serverGoes(s *server, dice *rand.Rand) (what string, mend func()) {
	how := []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM}[dice.IntN(2)]
	s.stop(how)
	return fmt.Sprintf("the server is gone (%s)", how), s.start
}
