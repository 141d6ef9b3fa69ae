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
	return e.watchFor(e.Control.now, cancel)
}

// watchSoon is watch for what comes before the first iteration: there is none
// to finish, so any wish to stop ends it.
func (e *Engine) watchSoon(cancel context.CancelCauseFunc) func() {
	return e.watchFor(e.Control.soon, cancel)
}

func (e *Engine) watchFor(wish <-chan struct{}, cancel context.CancelCauseFunc) func() {
	var overtime <-chan time.Time
	if most := e.Limits.Time.Duration(); most > 0 {
		timer := time.NewTimer(most - e.facts(nil).Live())
		overtime = timer.C
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		select {
		case <-wish:
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
