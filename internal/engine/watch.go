package engine

import (
	"context"
	"sync"

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
	stopClock := e.watchTime(cancel)
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		select {
		case <-wish:
			cancel(proc.End(loop.OnRequest))
		case <-done:
		}
	})
	return func() {
		stopClock()
		close(done)
		wg.Wait()
	}
}

// watchTime ends what runs when the run's time is over. It looks again and again,
// for a person may change the limit meanwhile.
func (e *Engine) watchTime(cancel context.CancelCauseFunc) (stop func()) {
	var mu sync.Mutex
	over, stopTimer := false, func() {}
	var arm func()
	arm = func() {
		mu.Lock()
		defer mu.Unlock()
		if over {
			return
		}
		left := slice
		if most := e.limits().Time.Duration(); most > 0 {
			left = min(left, most-e.facts(nil).Live())
		}
		if left <= 0 {
			cancel(proc.End(loop.OnMaxTime))
			return
		}
		stopTimer = e.Clock.AfterFunc(left, arm)
	}
	arm()
	return func() {
		mu.Lock()
		defer mu.Unlock()
		over = true
		stopTimer()
	}
}
