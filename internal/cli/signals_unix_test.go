//go:build unix

package cli

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/app"
)

// Everybody at a terminal hears a Ctrl+C; while another program has it, that is not
// for the run.
func TestCtrlCInAProgramOfThePersonsIsNotForTheRun(t *testing.T) {
	safe := make(chan os.Signal, 9) // whatever happens, the test lives on
	signal.Notify(safe, os.Interrupt)
	defer signal.Stop(safe)
	interrupt := func() {
		t.Helper()
		if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		<-safe
	}
	const heeds, not = 10 * time.Second, 200 * time.Millisecond
	within := func(c <-chan struct{}, d time.Duration) bool {
		select {
		case <-c:
			return true
		case <-time.After(d):
			return false
		}
	}
	for name, start := range map[string]func(*shell) (<-chan struct{}, func()){
		"a run on the whole screen": func(sh *shell) (<-chan struct{}, func()) {
			own := &apartRun{cmd: exec.Command("sleep", "60"), ended: make(chan struct{})}
			if err := own.cmd.Start(); err != nil {
				t.Fatal(err)
			}
			go func() {
				own.err = own.cmd.Wait()
				close(own.ended)
			}()
			_, stop := untilHangup(t.Context(), sh, own)
			return own.ended, func() {
				stop()
				_ = own.cmd.Process.Kill()
				<-own.ended
			}
		},
		"a screen that looks on": func(sh *shell) (<-chan struct{}, func()) {
			ctx, stop := sh.untilSignal(t.Context())
			return ctx.Done(), stop
		},
		"a run that asks on the normal screen": func(sh *shell) (<-chan struct{}, func()) {
			control := app.NewControl()
			return control.Stopping(), steer(control, &sh.lent, "kill")
		},
	} {
		t.Run(name, func(t *testing.T) {
			sh := &shell{}
			over, stop := start(sh)
			defer stop()
			back := sh.lent.lend()
			if interrupt(); within(over, not) {
				t.Fatal("it ends by a Ctrl+C that was another program's")
			}
			back()
			if interrupt(); !within(over, heeds) {
				t.Error("it does not hear its own Ctrl+C afterwards")
			}
		})
	}
}
