package realtest

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"time"
)

// runner is a refrain at work.
type runner struct {
	*world
	cmd  *exec.Cmd
	said bytes.Buffer // read it only after the end
	err  error
	gone chan struct{} // closed when it has ended, and err is set
}

// run starts "refrain run" with this world's CLI; more flags may follow.
func (w *world) run(flags ...string) *runner {
	w.Helper()
	return w.start(append([]string{"run", "-a", w.recipe.name, "-m", w.recipe.model, "-p", "Do the task."}, flags...)...)
}

func (w *world) start(args ...string) *runner {
	w.Helper()
	r := &runner{world: w, cmd: w.command("refrain", args...), gone: make(chan struct{})}
	r.cmd.Stdout, r.cmd.Stderr = &r.said, &r.said
	// What outlives it may hold its output; the tests look for that themselves.
	r.cmd.WaitDelay = time.Second
	if err := r.cmd.Start(); err != nil {
		w.Fatal(err)
	}
	go func() {
		defer close(r.gone)
		r.err = r.cmd.Wait()
	}()
	w.Cleanup(func() {
		r.cmd.Process.Kill()
		<-r.gone
		if w.Failed() {
			w.Logf("refrain %q said:\n%s", args, &r.said)
		}
	})
	return r
}

// until waits for something that has to become true while refrain is at work.
func (r *runner) until(what string, holds func() bool) {
	r.Helper()
	r.world.until(what, func() bool {
		select {
		case <-r.gone:
			if holds() {
				return true
			}
			r.Fatalf("refrain ended (%v) before %s", r.cmd.ProcessState, what)
		default:
		}
		return holds()
	})
}

// wait waits for the end.
func (r *runner) wait() {
	r.Helper()
	select {
	case <-r.gone:
	case <-time.After(patience):
		r.Fatal("refrain has not ended")
	}
}

// exits waits for the end and checks the exit status.
func (r *runner) exits(want int) {
	r.Helper()
	r.wait()
	var exit *exec.ExitError
	if r.err != nil && !errors.As(r.err, &exit) && !errors.Is(r.err, exec.ErrWaitDelay) {
		r.Fatal(r.err)
	}
	if got := r.cmd.ProcessState.ExitCode(); got != want {
		r.Errorf("exit status %d, want %d", got, want)
	}
}

func (r *runner) signal(s os.Signal) {
	r.Helper()
	if err := r.cmd.Process.Signal(s); err != nil {
		r.Fatal(err)
	}
}
