package proc

import (
	"context"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// A process that has ended when it was to be asked has ended by itself: nobody
// must take its work for cut short.
func TestAnEndBeforeTheFirstSignalIsItsOwn(t *testing.T) {
	runs := map[string]func(context.Context, Spec) (loop.Exit, error){"alone": Run, "kept": newScene(t).keeper().Run}
	for name, run := range runs {
		for range 20 { // the two may be seen in either order
			ctx, cancel := context.WithCancelCause(t.Context())
			s := helperSpec(t, "exit", "0")
			s.Started = func(pid int, _ time.Time) {
				for { // until it is gone, or only waits to be reaped
					if e, err := readEntry(pid); err != nil || e.ended() {
						break
					}
				}
				cancel(End(loop.OnRequest))
			}
			if exit, err := run(ctx, s); err != nil || !sameExit(exit, exited(0)) {
				t.Errorf("%s: exit = %+v, %v, want 0 by itself", name, exit, err)
			}
			cancel(nil)
		}
	}
}
