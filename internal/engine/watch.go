package engine

import (
	"context"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
)

// watch ends the agent when a person wants the run stopped at once or its time
// is over. The function it returns ends the watching.
func (e *Engine) watch(cancel context.CancelCauseFunc) func() {
	var overtime <-chan time.Time
	if most := e.Limits.Time.Duration(); most > 0 {
		timer := time.NewTimer(most - e.facts(nil).Live())
		overtime = timer.C
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		select {
		case <-e.Control.now:
			cancel(proc.End(loop.OnRequest))
		case <-overtime:
			cancel(proc.End(loop.OnMaxTime))
		case <-done:
		}
	})
	return func() {
		close(done)
		wg.Wait()
	}
}
