package steer

import (
	"context"
	"sync"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Control takes people's wishes from any goroutine. It only posts them; the
// desk of the run acts.
type Control struct {
	mu     sync.Mutex
	asked  *loop.StopRequest
	left   bool // at once
	orders chan order
	soon   chan struct{} // closed by the first wish to stop, or to leave at once
	now    chan struct{} // closed by the first wish to stop or leave at once
	pushed chan struct{} // has one when somebody wished that, be it again
	over   chan struct{} // closed when the run no longer listens
	end    func()        // closes it, once
	awake  chan struct{} // wakes a run that waits
}

// Command is what a person wants of a live run.
type Command struct {
	Name  string // pause, resume, stop, stop_now, skip, reboot, note, raise, approve or park
	Text  string // of a note
	Key   string // of a setting to raise
	Value string
	// Question is the one that approve answers, and no other; empty: whichever it is.
	Question string

	NoWait bool // answer when it is accepted, not when it has taken effect
	Inside bool // it comes from a process of the run itself
}

// Answer is what came of a command.
type Answer struct {
	OK     bool
	Effect string // what it did, or why it was refused
	State  loop.Status
	Late   bool // nobody carries it out: the run has ended, or is left to another runner
}

// order is a command, or a wish to stop, on its way to the desk.
type order struct {
	Command
	asked  *loop.StopRequest
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
		awake:  make(chan struct{}, 1),
	}
}

// End says that the run is over, or never began: nobody waits for it any more.
func (c *Control) End() { c.end() }

// Stop asks the run to stop, after this iteration or at once. Asking again
// changes nothing, except that "at once" overtakes "after this iteration".
func (c *Control) Stop(a loop.StopRequest) { c.stop(a, nil) }

func (c *Control) stop(a loop.StopRequest, answer chan<- Answer) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ask(a) {
		return false
	}
	select {
	case c.orders <- order{asked: &a, answer: answer}:
	default: // it has so much to do that one line in the journal is missing
	}
	c.Wake()
	return true
}

// ask notes a wish to stop, and tells whether it changes anything. It is called
// with the lock held.
func (c *Control) ask(a loop.StopRequest) bool {
	if a.Now {
		select {
		case c.pushed <- struct{}{}:
		default:
		}
	}
	if c.asked != nil && (c.asked.Now || !a.Now) {
		return false
	}
	if c.asked == nil && !c.left {
		close(c.soon)
	}
	if a.Now && !c.left {
		close(c.now)
	}
	c.asked = &a
	return true
}

// Leave has the run get, at once, to where its relay is asked whether to leave it: what
// runs is ended, and what is under way is left to the next runner.
func (c *Control) Leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.left {
		if c.asked == nil {
			close(c.soon)
		}
		if c.asked == nil || !c.asked.Now {
			close(c.now)
		}
	}
	c.left = true
	c.Wake()
}

// Leaving tells whether the run is to be left at once.
func (c *Control) Leaving() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.left
}

// Stopping is closed by the first wish to stop, or to leave at once.
func (c *Control) Stopping() <-chan struct{} { return c.soon }

// AtOnce is closed by the first wish to stop, or to leave, at once.
func (c *Control) AtOnce() <-chan struct{} { return c.now }

// Pushed has something whenever somebody wishes to stop at once, be it again.
func (c *Control) Pushed() <-chan struct{} { return c.pushed }

// Woken has something when a run that waits should look up.
func (c *Control) Woken() <-chan struct{} { return c.awake }

// StopsNow tells whether the run is to stop, or to be left, at once.
func (c *Control) StopsNow() bool {
	asked := c.Asked()
	return asked != nil && asked.Now || c.Leaving()
}

// Asked is the wish to stop, nil when there is none.
func (c *Control) Asked() *loop.StopRequest {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked
}

// Do has a command carried out. It answers when the command has taken effect, or
// is refused; when ctx is done first, the command stands.
func (c *Control) Do(ctx context.Context, cmd Command) (Answer, error) {
	answer := make(chan Answer, 1)
	late := Answer{Effect: "the run has ended", Late: true}
	switch cmd.Name {
	case "stop", "stop_now":
		select {
		case <-c.over:
			return late, nil
		default:
		}
		if !c.stop(loop.StopRequest{Now: cmd.Name == "stop_now"}, answer) {
			return Answer{Effect: "the run is stopping already"}, nil
		}
		if cmd.NoWait {
			return Answer{OK: true, Effect: "stopping"}, nil
		}
	default:
		select {
		case c.orders <- order{Command: cmd, answer: answer}:
			c.Wake()
		case <-c.over:
			return late, nil
		case <-ctx.Done():
			return Answer{}, ctx.Err()
		}
	}
	select {
	case a := <-answer:
		return a, nil
	case <-ctx.Done():
	case <-c.over:
	}
	select { // the answer may have come with the end
	case a := <-answer:
		return a, nil
	default:
	}
	if err := ctx.Err(); err != nil {
		return Answer{}, err
	}
	return late, nil
}

// Wake makes a run that waits look up.
func (c *Control) Wake() {
	select {
	case c.awake <- struct{}{}:
	default:
	}
}
