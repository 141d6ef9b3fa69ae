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

// watchPush ends what comes after the end of a run when a person wants from now on
// that it stops at once. The run's time, and what was wished before, do not count.
func (e *Engine) watchPush(cancel context.CancelCauseFunc) func() {
	select {
	case <-e.Control.pushed:
	default:
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		select {
		case <-e.Control.pushed:
			cancel(proc.End(loop.OnRequest))
		case <-done:
		}
	})
	return func() {
		close(done)
		wg.Wait()
	}
}

// lastLook is how long git may go on when the run is to stop at once. What an agent
// did is worth a moment; but git may wait for a pipe that the agent put in the
// place of a file, for ever.
const lastLook = 3 * time.Second

// hurrying is a context for git at the work tree. The function that comes with it
// says that git is done.
func (e *Engine) hurrying(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	over := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		select {
		case <-over:
			return
		case <-e.Control.now:
		}
		timer := time.NewTimer(lastLook)
		defer timer.Stop()
		select {
		case <-over:
		case <-timer.C:
			cancel(proc.End(loop.OnRequest))
		}
	})
	return ctx, func() {
		close(over)
		wg.Wait()
		cancel(nil)
	}
}

// stopsNow tells whether the run is to stop at once.
func (e *Engine) stopsNow() bool {
	asked := e.Control.Asked()
	return asked != nil && asked.Now
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
