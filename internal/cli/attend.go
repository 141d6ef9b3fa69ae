package cli

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/loop"
)

// attend runs a loop with signals heard and the screen on, and takes its end
// for the exit status.
func (sh *shell) attend(job *app.Job, name string, s *screen, start func(app.RunOptions) (loop.RunFinished, error)) error {
	out, complaints := app.NewPatient(sh.out), app.NewPatient(sh.err)
	defer func(out, err io.Writer) { sh.out, sh.err = out, err }(sh.out, sh.err)
	defer out.Close()
	defer complaints.Close()
	sh.out, sh.err = out, complaints
	control := app.NewControl()
	stopSteering := steer(control, &sh.lent, job.Settings.Config.Loop.OnInterrupt)
	defer stopSteering()
	modest := newModest()
	defer modest.lull.Close()
	observers, late := []app.Observer{s, modest}, &lateWarnings{}
	if c := newCollector(); c != nil {
		observers = append(observers, c)
	}
	if detached != "" {
		observers = append(observers, &announcer{file: detached, attended: job.Attended(), run: name})
	}
	if job.Attended() && sh.person() {
		observers = append(observers, &asker{sh: sh, control: control, run: name})
	}
	end, err := start(app.RunOptions{Observers: observers, Control: control, Version: Version, Terminal: sh.terminal(), Late: late.add, Readers: []*app.Patient{out, complaints}})
	stopSteering() // there is nothing left to steer
	s.close()
	late.tell(sh.err)
	if err != nil {
		return err
	}
	sh.status = exitStatus(end)
	return nil
}

// terminal is where a person may be looking; nil: nowhere.
func (c console) terminal() io.Writer {
	for _, w := range []io.Writer{c.out, c.err} {
		if isTerminal(w) {
			return w
		}
	}
	if begunOnScreen {
		return io.Discard // the screen rings
	}
	return nil
}

// canAsk refuses to ask where nobody can answer.
func (sh *shell) canAsk(job *app.Job) error {
	if !job.Attended() || sh.person() || job.Answerable() || detached != "" {
		return nil
	}
	return usage("there is no terminal to ask at", "set ask.timeout for runs that nobody watches, or use --detach and answer with \"refrain approve\"")
}

// steer turns signals into wishes until its end is called. The agent has its own
// process group, so only the runner hears a Ctrl+C. A signal that was ignored at the
// start, as nohup does, stays ignored.
func steer(control *app.Control, away *lent, onInterrupt string) (end func()) {
	heard := make(chan os.Signal, 4)
	for s := range signalNames {
		if !signal.Ignored(s) {
			signal.Notify(heard, s)
		}
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		interrupts := 0
		for {
			select {
			case s := <-heard:
				if away.takes(s) {
					continue
				}
				if s == os.Interrupt {
					interrupts++
				}
				obey(control, signalNames[s], onInterrupt, interrupts)
			case <-done:
				return
			}
		}
	})
	return sync.OnceFunc(func() {
		signal.Stop(heard)
		close(done)
		wg.Wait()
	})
}

// obey acts on one signal; interrupts says how many of them were Ctrl+C.
func obey(control *app.Control, name, onInterrupt string, interrupts int) {
	switch {
	case interrupts >= 3:
		said := make(chan struct{})
		go func() { // a terminal that takes nothing must not keep it
			defer close(said)
			fmt.Fprintln(os.Stderr, "\r\x1b[KLeft at once; what still runs is being ended. Go on with: refrain resume")
		}()
		select {
		case <-said:
		case <-time.After(time.Second):
		}
		os.Exit(signalStatus["INT"])
	case name != "INT", onInterrupt == "kill", onInterrupt == "two-step" && interrupts == 2:
		control.Stop(loop.StopRequest{Now: true, Signal: name, Hint: "what runs has 5s to end"})
	case onInterrupt == "two-step":
		control.Stop(loop.StopRequest{Signal: name, Hint: "press Ctrl+C again to stop now"})
	default:
		control.Stop(loop.StopRequest{Signal: name})
	}
}

// exitStatus is what the end of a run means to a shell. 0 is done and nothing
// else.
func exitStatus(end loop.RunFinished) int {
	switch end.State {
	case loop.Done:
		return 0
	case loop.Exhausted:
		return 2
	case loop.Parked:
		return statusParked
	case loop.Stopped:
		if n, ok := signalStatus[end.Signal]; ok {
			return n
		}
	}
	return 1
}

// signalStatus is what shells show for a program that a signal ended.
var signalStatus = map[string]int{"HUP": 129, "INT": 130, "TERM": 143}

// lateWarnings are what went wrong after the run's last event, such as the
// message that was to tell of it.
type lateWarnings struct {
	mu   sync.Mutex
	list []loop.Warning
}

func (l *lateWarnings) add(w loop.Warning) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, w)
}

func (l *lateWarnings) tell(w io.Writer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, warning := range l.list {
		fmt.Fprintf(w, "WARNING: %s\n", warning.Text)
		if warning.Hint != "" {
			fmt.Fprintf(w, "hint: %s\n", warning.Hint)
		}
	}
}
