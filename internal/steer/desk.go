package steer

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Run is what a desk knows of the run that it belongs to.
type Run interface {
	Record(...loop.Payload)
	State() loop.State
	Status() loop.Status
	Between() bool // no attempt is under way
}

// Desk takes in the commands of people. Its lock is never held while the run is
// called: the run calls Heard with its own.
type Desk struct {
	*Control

	run Run
	// raise changes a limit, and gives what the limits are then; nil: none can be
	// changed.
	raise func(key, value string) (loop.Limits, error)

	mu       sync.Mutex
	wishes   wishes
	waiters  []waiter
	asked    *loop.RunAsked // what a person is asked now
	answered string         // and what they said
	agent    *Agent         // that runs; nil: none does
}

// wishes is what people want of the run, for it to look at between two steps.
type wishes struct {
	pause  bool
	reboot bool
	hurry  bool // no more waiting
	park   bool // somebody else is to go on
}

// waiter waits for an event that shows that a command has taken effect.
type waiter struct {
	types  []loop.Type
	effect string
	answer chan<- Answer
}

// Agent is what a desk may do to the agent that runs.
type Agent struct {
	End   context.CancelCauseFunc
	Weigh func() // compares what it uses with limits that were changed
}

// NewDesk makes the desk of a run. Hurry says that a person wants no waiting.
func NewDesk(c *Control, run Run, raise func(key, value string) (loop.Limits, error), hurry bool) *Desk {
	return &Desk{Control: c, run: run, raise: raise, wishes: wishes{hurry: hurry}}
}

// Listen carries out orders as they come. The function it returns ends it.
func (d *Desk) Listen() func() {
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case o := <-d.orders:
				d.carryOut(o)
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
			case o := <-d.orders: // one that came as the run was ending
				d.carryOut(o)
				continue
			default:
			}
			return
		}
	})
}

// Heard answers those who waited for an event of this type. The end of the run,
// and that it is left, answers everyone.
func (d *Desk) Heard(t loop.Type, now loop.Status) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if t == "iteration.started" {
		d.wishes.hurry = false // what was to be hurried on has begun
	}
	d.waiters = slices.DeleteFunc(d.waiters, func(w waiter) bool {
		switch {
		case slices.Contains(w.types, t):
			w.answer <- Answer{OK: true, Effect: w.effect, State: now}
		case t == "run.finished":
			w.answer <- Answer{Effect: "the run ended first", State: now}
		case t == "run.parked":
			w.answer <- Answer{Effect: "the run was parked first", State: now, Late: true}
		default:
			return false
		}
		return true
	})
}

// SetAgent says which agent runs; nil: none does.
func (d *Desk) SetAgent(a *Agent) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.agent = a
}

// Pausing tells whether a person wants nothing to begin.
func (d *Desk) Pausing() bool { return d.wants().pause }

// Parking tells whether a person wants this runner to leave the run.
func (d *Desk) Parking() bool { return d.wants().park }

// Waiting tells whether the run waits for a time, and not for an answer.
func (d *Desk) Waiting() bool {
	d.mu.Lock()
	asked := d.asked != nil
	d.mu.Unlock()
	return !asked && d.run.Status() == loop.Waiting
}

// Hurried tells whether a person wants no more waiting.
func (d *Desk) Hurried() bool { return d.wants().hurry }

// TakeReboot tells whether a person wants a fresh session, once.
func (d *Desk) TakeReboot() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	wanted := d.wishes.reboot
	d.wishes.reboot = false
	return wanted
}

// Ask has a question answered from now on; nil: there is none any more.
func (d *Desk) Ask(question *loop.RunAsked) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked, d.answered = question, ""
}

// Answer is what a person said to the question; empty: nothing yet.
func (d *Desk) Answer() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.answered
}

func (d *Desk) wants() wishes {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.wishes
}

// wish changes what the run looks at, and makes it look.
func (d *Desk) wish(change func(*wishes)) {
	d.mu.Lock()
	change(&d.wishes)
	d.mu.Unlock()
	d.Wake()
}

// await answers when an event of one of the types comes.
func (d *Desk) await(answer chan<- Answer, effect string, types ...loop.Type) {
	if answer == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.waiters = append(d.waiters, waiter{types, effect, answer})
}

// Obey carries out a command on the spot, in the goroutine of the caller: a run
// that is gone through once more has commands at moments of its own.
func (d *Desk) Obey(cmd Command) { d.carryOut(order{Command: cmd, answer: make(chan Answer, 1)}) }

// ObeyStop is the same of a wish to stop.
func (d *Desk) ObeyStop(a loop.StopRequest) {
	d.Control.mu.Lock()
	news := d.ask(a)
	d.Control.mu.Unlock()
	if news {
		d.carryOut(order{asked: &a})
		d.Wake()
	}
}

// carryOut carries out one order.
func (d *Desk) carryOut(o order) {
	if o.asked != nil {
		effect, now := d.effect(*o.asked)
		d.await(o.answer, effect, "run.finished")
		d.run.Record(&loop.CommandReceived{Command: stopName(o.asked), Signal: o.asked.Signal, Effect: effect, Now: now})
		return
	}
	act, ok := acts[o.Name]
	if ok && o.Inside && o.Name != "pause" {
		d.decline(o, "it comes from a process of the run itself, and an agent must not steer what holds it")
		return
	}
	if !ok {
		o.answer <- Answer{Effect: fmt.Sprintf("there is no command %q", o.Name), State: d.run.Status()}
		return
	}
	act(d, o)
}

// effect says what a wish to stop comes to at this moment.
func (d *Desk) effect(a loop.StopRequest) (effect string, now bool) {
	if d.run.Between() {
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

func stopName(a *loop.StopRequest) string {
	if a.Now && a.Signal == "" {
		return "stop_now"
	}
	return "stop"
}

// accept writes a command down, and answers at once if that is all there is to
// it or all that is wanted.
func (d *Desk) accept(o order, effect string, until ...loop.Type) {
	if len(until) > 0 && !o.NoWait {
		d.await(o.answer, effect, until...)
	}
	d.run.Record(&loop.CommandReceived{Command: o.Name, Effect: effect, Text: o.Text, Key: o.Key, Value: o.Value})
	if len(until) == 0 || o.NoWait {
		o.answer <- Answer{OK: true, Effect: effect, State: d.run.Status()}
	}
}

// decline writes down that a command makes no sense now, and says why.
func (d *Desk) decline(o order, why string) {
	d.run.Record(&loop.CommandReceived{Command: o.Name, Effect: why, Refused: true, Text: o.Text, Key: o.Key, Value: o.Value})
	o.answer <- Answer{Effect: why, State: d.run.Status()}
}
