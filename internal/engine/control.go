package engine

import (
	"context"
	"fmt"
	"sync"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Control takes people's wishes from any goroutine. It only posts them; the
// engine owns the state and acts.
type Control struct {
	mu     sync.Mutex
	asked  *loop.Asked
	orders chan order
	soon   chan struct{} // closed by the first wish to stop
	now    chan struct{} // closed by the first wish to stop at once
	pushed chan struct{} // has one when somebody wished that, be it again
	over   chan struct{} // closed when the run no longer listens
	end    func()        // closes it, once
	stir   chan struct{} // wakes a loop that waits
}

// Command is what a person wants of a live run.
type Command struct {
	Name   string // pause, resume, stop, stop_now, skip, reboot, note or raise
	Text   string // of a note
	Key    string // of a setting to raise
	Value  string
	NoWait bool // answer when it is accepted, not when it has taken effect
	Inside bool // it comes from a process of the run itself
}

// Answer is what came of a command.
type Answer struct {
	OK     bool
	Effect string // what it did, or why it was refused
	State  loop.Status
}

// order is a command, or a wish to stop, on its way to the engine.
type order struct {
	Command
	asked  *loop.Asked
	answer chan<- Answer
}

// NewControl makes a control that nobody has used.
func NewControl() *Control {
	over := make(chan struct{})
	return &Control{
		orders: make(chan order, 32),
		soon:   make(chan struct{}),
		now:    make(chan struct{}),
		pushed: make(chan struct{}, 1),
		over:   over,
		end:    sync.OnceFunc(func() { close(over) }),
		stir:   make(chan struct{}, 1),
	}
}

// End says that the run is over, or never began: nobody waits for it any more.
func (c *Control) End() { c.end() }

// Stop asks the run to stop, after this iteration or at once. Asking again
// changes nothing, except that "at once" overtakes "after this iteration".
func (c *Control) Stop(a loop.Asked) { c.stop(a, nil) }

func (c *Control) stop(a loop.Asked, answer chan<- Answer) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if a.Now {
		select {
		case c.pushed <- struct{}{}:
		default:
		}
	}
	if c.asked != nil && (c.asked.Now || !a.Now) {
		return false
	}
	if c.asked == nil {
		close(c.soon)
	}
	if a.Now {
		close(c.now)
	}
	c.asked = &a
	select {
	case c.orders <- order{asked: &a, answer: answer}:
	default: // it has so much to do that one line in the journal is missing
	}
	c.wake()
	return true
}

// Stopping is closed by the first wish to stop.
func (c *Control) Stopping() <-chan struct{} { return c.soon }

// Asked is the wish to stop, nil when there is none.
func (c *Control) Asked() *loop.Asked {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked
}

// Do has a command carried out. It answers when the command has taken effect, or
// is refused; when ctx is done first, the command stands.
func (c *Control) Do(ctx context.Context, cmd Command) (Answer, error) {
	answer := make(chan Answer, 1)
	switch cmd.Name {
	case "stop", "stop_now":
		if !c.stop(loop.Asked{Now: cmd.Name == "stop_now"}, answer) {
			return Answer{Effect: "the run is stopping already"}, nil
		}
		if cmd.NoWait {
			return Answer{OK: true, Effect: "stopping"}, nil
		}
	default:
		select {
		case c.orders <- order{Command: cmd, answer: answer}:
			c.wake()
		case <-c.over:
			return Answer{Effect: "the run has ended"}, nil
		case <-ctx.Done():
			return Answer{}, ctx.Err()
		}
	}
	select {
	case a := <-answer:
		return a, nil
	case <-ctx.Done():
		return Answer{}, ctx.Err()
	case <-c.over:
	}
	select { // the answer may have come with the end
	case a := <-answer:
		return a, nil
	default:
		return Answer{Effect: "the run has ended"}, nil
	}
}

// wake makes a loop that waits look up.
func (c *Control) wake() {
	select {
	case c.stir <- struct{}{}:
	default:
	}
}

// listen carries out orders as they come. The function it returns ends it.
func (e *Engine) listen() func() {
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case o := <-e.Control.orders:
				e.obey(o)
			case <-done:
				return
			}
		}
	})
	return sync.OnceFunc(func() {
		close(done)
		wg.Wait()
		for {
			select {
			case o := <-e.Control.orders: // one that came as the run was ending
				e.obey(o)
				continue
			default:
			}
			return
		}
	})
}

// effect says what a wish to stop comes to at this moment.
func (e *Engine) effect(a loop.Asked) (effect string, now bool) {
	e.mu.Lock()
	idle := e.iter == 0
	e.mu.Unlock()
	if idle {
		return "stopping now", true
	}
	effect = "finishing this iteration, then stopping"
	if a.Now {
		effect = "stopping now"
	}
	if a.Hint != "" {
		effect += "; " + a.Hint
	}
	return effect, a.Now
}

func stopName(a *loop.Asked) string {
	if a.Now && a.Signal == "" {
		return "stop_now"
	}
	return "stop"
}

// obey carries out one order.
func (e *Engine) obey(o order) {
	if o.asked != nil {
		effect, now := e.effect(*o.asked)
		e.await(o.answer, effect, "run.finished")
		e.record(&loop.CommandReceived{Command: stopName(o.asked), Signal: o.asked.Signal, Effect: effect, Now: now})
		return
	}
	act, ok := acts[o.Name]
	if ok && o.Inside && o.Name != "pause" {
		e.decline(o, "it comes from a process of the run itself, and an agent must not steer what holds it")
		return
	}
	if !ok {
		o.answer <- Answer{Effect: fmt.Sprintf("there is no command %q", o.Name), State: e.status()}
		return
	}
	act(e, o)
}
