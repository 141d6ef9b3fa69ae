package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/loop"
)

// ignoreBrokenPipes makes a write to a closed pipe an error instead of the end
// of the program: "refrain run | head" must not lose a run. The signal is
// caught rather than ignored, for children inherit what is ignored.
func ignoreBrokenPipes() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// steer turns signals into wishes until its end is called. Interrupt is a Ctrl+C
// that was typed where the terminal makes no signal of it. The
// agent has its own process group, so only the runner hears a Ctrl+C. A signal
// that was ignored at the start, as nohup does, stays ignored.
func steer(control *app.Control, onInterrupt string) (interrupt, end func()) {
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
				if s == os.Interrupt {
					interrupts++
				}
				obey(control, signalNames[s], onInterrupt, interrupts)
			case <-done:
				return
			}
		}
	})
	interrupt = func() {
		select {
		case heard <- os.Interrupt:
		default: // there are enough on their way
		}
	}
	return interrupt, sync.OnceFunc(func() {
		signal.Stop(heard)
		close(done)
		wg.Wait()
	})
}

// obey acts on one signal; interrupts says how many of them were Ctrl+C.
func obey(control *app.Control, name, onInterrupt string, interrupts int) {
	switch {
	case interrupts >= 3:
		leaveScreen()
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
		control.Stop(loop.Asked{Now: true, Signal: name, Hint: "what runs has 5s to end"})
	case onInterrupt == "two-step":
		control.Stop(loop.Asked{Signal: name, Hint: "press Ctrl+C again to stop now"})
	default:
		control.Stop(loop.Asked{Signal: name})
	}
}

// untilSignal ends the context by INT, TERM or HUP, and the command with the
// status that shells show for it. What was ignored at the start stays ignored.
func (sh *shell) untilSignal(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	heard := make(chan os.Signal, 1)
	for s := range signalNames {
		if !signal.Ignored(s) {
			signal.Notify(heard, s)
		}
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		select {
		case s := <-heard:
			sh.status = signalStatus[signalNames[s]]
			cancel()
		case <-done:
		}
	})
	return ctx, func() {
		signal.Stop(heard)
		close(done)
		wg.Wait()
		cancel()
	}
}

// heeding is a command that ends what it has started when it hears a signal: a git
// that waits for something would stay behind. A second signal ends it where it is,
// and so does the time: nobody may read what it prints. It must not ask anybody
// anything.
func (sh *shell) heeding(run func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		ctx, ended := sh.untilSignal(cmd.Context())
		defer ended()
		over := make(chan struct{})
		defer close(over)
		context.AfterFunc(ctx, func() {
			signal.Reset(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
			select {
			case <-over:
			case <-time.After(heedTime):
				os.Exit(sh.status)
			}
		})
		cmd.SetContext(ctx)
		err := run(cmd, args)
		if ctx.Err() != nil {
			return nil // sh.status says by which signal
		}
		return err
	}
}

// heedTime is how long a command may take to end by itself.
const heedTime = 3 * time.Second

// signalNames are the signals that a command heeds.
var signalNames = map[os.Signal]string{os.Interrupt: "INT", syscall.SIGTERM: "TERM", syscall.SIGHUP: "HUP"}
