package engine

import (
	"sync"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Control takes people's wishes from any goroutine. It only posts them; the
// engine owns the state and acts.
type Control struct {
	mu     sync.Mutex
	asked  *loop.Asked
	wishes chan loop.Asked
	soon   chan struct{} // closed by the first wish to stop
	now    chan struct{} // closed by the first wish to stop at once
}

// NewControl makes a control that nobody has used.
func NewControl() *Control {
	return &Control{
		wishes: make(chan loop.Asked, 2), // a wish changes something at most twice
		soon:   make(chan struct{}),
		now:    make(chan struct{}),
	}
}

// Stop asks the run to stop, after this iteration or at once. Asking again
// changes nothing, except that "at once" overtakes "after this iteration".
func (c *Control) Stop(a loop.Asked) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked != nil && (c.asked.Now || !a.Now) {
		return
	}
	if c.asked == nil {
		close(c.soon)
	}
	if a.Now {
		close(c.now)
	}
	c.asked = &a
	c.wishes <- a
}

// Asked is the wish to stop, nil when there is none.
func (c *Control) Asked() *loop.Asked {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked
}

// listen writes wishes into the journal as they come. The function it returns
// ends it.
func (e *Engine) listen() func() {
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case a := <-e.Control.wishes:
				e.record(&loop.CommandReceived{Command: "stop", Signal: a.Signal, Effect: e.effect(a)})
			case <-done:
				return
			}
		}
	})
	return sync.OnceFunc(func() {
		close(done)
		wg.Wait()
		select {
		case a := <-e.Control.wishes: // one that came as the run was ending
			e.record(&loop.CommandReceived{Command: "stop", Signal: a.Signal, Effect: e.effect(a)})
		default:
		}
	})
}

// effect says what a wish comes to at this moment.
func (e *Engine) effect(a loop.Asked) string {
	e.mu.Lock()
	idle := e.iter == 0
	e.mu.Unlock()
	effect := "finishing this iteration, then stopping"
	switch {
	case idle:
		return "stopping now"
	case a.Now:
		effect = "stopping now"
	}
	if a.Hint != "" {
		effect += "; " + a.Hint
	}
	return effect
}
