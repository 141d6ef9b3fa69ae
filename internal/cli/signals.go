package cli

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

// hear listens for INT, TERM and HUP. What was ignored at the start stays ignored.
func hear(room int) chan os.Signal {
	heard := make(chan os.Signal, room)
	for s := range signalNames {
		if !signal.Ignored(s) {
			signal.Notify(heard, s)
		}
	}
	return heard
}

// untilSignal ends the context by INT, TERM or HUP, and the command with the
// status that shells show for it.
func (sh *shell) untilSignal(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	heard := hear(1)
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case s := <-heard:
				if sh.lent.takes(s) {
					continue
				}
				sh.status = signalStatus[signalNames[s]]
				cancel()
			case <-done:
			}
			return
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

// lent counts the programs that have the terminal in our place, such as an editor. A
// Ctrl+C there is theirs, though everybody at the terminal hears it.
type lent struct{ programs atomic.Int32 }

// lend gives the terminal away, until the function that it returns is called.
func (l *lent) lend() (back func()) {
	l.programs.Add(1)
	return sync.OnceFunc(func() { l.programs.Add(-1) })
}

// takes tells whether a signal is for them alone.
func (l *lent) takes(s os.Signal) bool { return s == os.Interrupt && l.programs.Load() > 0 }

// heedTime is how long a command may take to end by itself.
const heedTime = 3 * time.Second

// signalNames are the signals that a command heeds.
var signalNames = map[os.Signal]string{os.Interrupt: "INT", syscall.SIGTERM: "TERM", syscall.SIGHUP: "HUP"}
