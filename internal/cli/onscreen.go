package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/control"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// statusGoesOn says that the reader has left a run which is not over: done it is
// not, so it is not 0.
const statusGoesOn = 5

// attendOnScreen starts a command of ours that runs something in a process of its own, as
// --detach does, and shows it on the whole screen. So the reader can leave, or lose the terminal,
// and the run goes on. The end of the run is that of the command.
func attendOnScreen(ctx context.Context, sh *shell, stdin *os.File, args ...string) error {
	own, err := startApart(stdin, args, onScreenMark+"=1")
	if err != nil {
		return err
	}
	defer own.close()
	ctx, stop := untilHangup(ctx, sh, own)
	defer stop()
	name := own.name(ctx, sh)
	switch {
	case name == "" && own.gone():
		stop() // which signal it was
		if own.signal != "" {
			sh.status = signalStatus[own.signal]
		}
		return own.startedBadly(sh)
	case name == "":
		return nil // the terminal is gone, and the run is not
	}
	var said strings.Builder
	own.passOn(io.MultiWriter(sh.err, &said))
	_ = os.RemoveAll(own.dir) // nobody may come back to do it; what is open stays
	store, err := sh.store()
	if err != nil {
		return err
	}
	entry, err := store.Load(name)
	if err != nil {
		return err
	}
	if store, entry, err = watchAll(ctx, sh, store, entry, true, said.String()); err != nil {
		return err
	}
	run := lookClosely(store, entry)
	over := run.State.Ended() && entry.Name == name
	if over {
		own.rest(ctx)
	}
	stop() // from here on the status is ours alone
	if over {
		own.passOn(sh.err)
	}
	switch {
	case sh.status != 0:
	case over:
		sh.status = own.status(run)
	default:
		sh.status = statusGoesOn
	}
	return nil
}

// quietTime is how long nothing need be said of a run that is about to begin.
const quietTime = time.Second

// name waits until the run has begun, and gives its name; none, when it has ended
// before, or nobody waits any more. When that takes longer, a line says what happens.
func (a *apartRun) name(ctx context.Context, sh *shell) string {
	begins := time.Now()
	var line *pulse
	defer func() {
		if line != nil {
			line.end()
		}
	}()
	for {
		if line == nil && time.Since(begins) >= quietTime {
			line = sh.wait(func() string { return "looking whether everything is there: " + text.Seconds(time.Since(begins)) })
		}
		over := a.gone() || ctx.Err() != nil
		if run, ok := a.begun(); ok || over {
			return run.Run
		}
		select {
		case <-a.ended:
		case <-ctx.Done():
		case <-time.After(looking):
		}
	}
}

// ringing passes the events of a run on, and rings at the terminal for those that are
// new.
func ringing(events iter.Seq2[loop.Event, error], sh *shell, entry journal.Entry, since time.Time) iter.Seq2[loop.Event, error] {
	bell, end, err := app.NewBell(entry.Tree, entry.Name, sh.out)
	if err != nil {
		return events // the run has found out, and said so
	}
	return func(yield func(loop.Event, error) bool) {
		defer end()
		for e, err := range events {
			if err == nil && !e.Time.Before(since) {
				bell.Observe(e)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// gone tells whether the process has ended.
func (a *apartRun) gone() bool {
	select {
	case <-a.ended:
		return true
	default:
		return false
	}
}

// restTime is how long a run whose end is told may take to leave: it may be sending
// messages.
const restTime = 10 * time.Second

// rest lets the process of a run that is over leave.
func (a *apartRun) rest(ctx context.Context) {
	select {
	case <-a.ended:
	case <-ctx.Done():
	case <-time.After(restTime):
	}
}

// status is what the end of the run means to a shell. One that died has told no end.
func (a *apartRun) status(run *view.Run) int {
	if run.Finished != nil {
		return exitStatus(*run.Finished)
	}
	var exit *exec.ExitError
	if a.gone() && errors.As(a.err, &exit) { // else nobody knows yet
		return max(exit.ExitCode(), statusFailed)
	}
	return statusFailed
}

// untilHangup ends the context with the terminal. INT and TERM are for the run, which
// takes them as if it had heard them itself; when it has ended by them, nobody is
// waited for.
func untilHangup(ctx context.Context, sh *shell, own *apartRun) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	heard := hear(4)
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		var over <-chan struct{} // once the run was told to end
		for {
			select {
			case s := <-heard:
				if sh.lent.takes(s) {
					continue
				}
				if s == syscall.SIGHUP {
					sh.status = signalStatus[signalNames[s]]
					cancel()
					return
				}
				_ = own.cmd.Process.Signal(s) // it may have ended
				own.signal, over = signalNames[s], own.ended
			case <-over:
				cancel()
				return
			case <-done:
				return
			}
		}
	})
	return ctx, sync.OnceFunc(func() {
		signal.Stop(heard)
		close(done)
		wg.Wait()
		cancel()
	})
}

// interrupter gives a run what Ctrl+C gives to one that has the terminal: a signal to
// its runner, or, where there are none, the command that comes to the same.
func interrupter(store journal.Store, entry journal.Entry) func() {
	var mu sync.Mutex
	times := 0
	return func() {
		mu.Lock()
		defer mu.Unlock()
		h, alive := store.At(entry.Tree).Holder()
		if !alive || h.Run != entry.Name {
			return
		}
		times++
		if runner, err := os.FindProcess(h.PID); err == nil && runner.Signal(os.Interrupt) == nil {
			return
		}
		command := control.Command{Command: control.Stop, NoWait: true}
		if times > 1 {
			command.Command = control.StopNow
		}
		if h.Socket != "" {
			_, _ = control.Dial(h.Socket).Do(context.Background(), command) // the run says what it makes of it
		}
	}
}

// goesOn says how to come back to a run that goes on.
func goesOn(sh *shell, store journal.Store, entry journal.Entry) {
	where := ""
	if here, err := sh.store(); err != nil || here.Dir != store.Dir {
		where = "-C " + entry.Tree + " "
	}
	fmt.Fprintf(sh.out, "%s goes on. Come back with: refrain %swatch %s\n", entry.Name, where, entry.Name)
}
