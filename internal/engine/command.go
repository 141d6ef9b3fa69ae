package engine

import (
	"fmt"
	"slices"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/stop"
)

// acts is every command and what it does.
var acts = map[string]func(*Engine, order){
	"pause":  (*Engine).pause,
	"resume": (*Engine).unpause,
	"skip":   (*Engine).skip,
	"reboot": (*Engine).wantReboot,
	"note":   (*Engine).note,
	"raise":  (*Engine).raise,

	"approve": (*Engine).approve,
}

// wishes is what people want of the loop, for it to look at between two steps.
type wishes struct {
	pause  bool
	reboot bool
	hurry  bool // no more waiting
}

// waiter waits for an event that shows that a command has taken effect.
type waiter struct {
	types  []loop.Type
	effect string
	answer chan<- Answer
}

// await answers when an event of one of the types comes.
func (e *Engine) await(answer chan<- Answer, effect string, types ...loop.Type) {
	if answer == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.waiters = append(e.waiters, waiter{types, effect, answer})
}

// takeBack answers those who wait for an event that no longer comes.
func (e *Engine) takeBack(t loop.Type, why string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.waiters = slices.DeleteFunc(e.waiters, func(w waiter) bool {
		if !slices.Contains(w.types, t) {
			return false
		}
		w.answer <- Answer{Effect: why, State: e.statusLocked()}
		return true
	})
}

// acknowledge answers those who waited for an event of this type. The end of the
// run answers everyone.
func (e *Engine) acknowledge(t loop.Type) {
	e.waiters = slices.DeleteFunc(e.waiters, func(w waiter) bool {
		switch {
		case slices.Contains(w.types, t):
			w.answer <- Answer{OK: true, Effect: w.effect, State: e.statusLocked()}
		case t == "run.finished":
			w.answer <- Answer{Effect: "the run ended first", State: e.statusLocked()}
		default:
			return false
		}
		return true
	})
}

// accept writes a command down, and answers at once if that is all there is to
// it or all that is wanted.
func (e *Engine) accept(o order, effect string, until ...loop.Type) {
	if len(until) > 0 && !o.NoWait {
		e.await(o.answer, effect, until...)
	}
	e.record(&loop.CommandReceived{Command: o.Name, Effect: effect, Text: o.Text, Key: o.Key, Value: o.Value})
	if len(until) == 0 || o.NoWait {
		o.answer <- Answer{OK: true, Effect: effect, State: e.status()}
	}
}

// decline writes down that a command makes no sense now, and says why.
func (e *Engine) decline(o order, why string) {
	e.record(&loop.CommandReceived{Command: o.Name, Effect: why, Refused: true, Text: o.Text, Key: o.Key, Value: o.Value})
	o.answer <- Answer{Effect: why, State: e.status()}
}

// status is what the run is at this moment.
func (e *Engine) status() loop.Status {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.statusLocked()
}

func (e *Engine) statusLocked() loop.Status {
	switch {
	case e.ended != "":
		return e.ended
	case e.state.Paused:
		return loop.Paused
	case e.waiting || e.asking != nil:
		return loop.Waiting
	}
	return loop.Running
}

func (e *Engine) pause(o order) {
	e.mu.Lock()
	paused, wanted, idle, waiting, asking := e.state.Paused, e.wishes.pause, e.iter == 0, e.waiting, e.asking != nil
	e.mu.Unlock()
	switch {
	case paused:
		e.decline(o, "the run is paused already")
	case wanted:
		e.decline(o, "the run pauses after this iteration already")
	case e.Control.Asked() != nil:
		e.decline(o, "the run is stopping")
	default:
		effect := "pausing after this iteration"
		switch {
		case asking:
			effect = "pausing when the question is answered"
		case waiting:
			effect = "paused"
		case idle: // it is about to begin
			effect = "pausing before the next iteration"
		}
		e.accept(o, effect, "run.paused")
		e.wish(func(w *wishes) { w.pause = true })
	}
}

func (e *Engine) unpause(o order) {
	e.mu.Lock()
	paused, wanted, waiting := e.state.Paused, e.wishes.pause, e.waiting
	e.mu.Unlock()
	switch {
	case paused:
		e.accept(o, "going on", "run.unpaused")
		e.wish(func(w *wishes) { w.pause = false })
	case wanted:
		e.wish(func(w *wishes) { w.pause = false })
		e.takeBack("run.paused", "taken back by resume")
		e.accept(o, "not pausing")
	case waiting:
		e.accept(o, "the wait is cut short", "iteration.started", "run.waiting")
		e.wish(func(w *wishes) { w.hurry = true })
	case e.Control.Asked() != nil:
		e.decline(o, "the run is stopping")
	default:
		e.decline(o, "the run is running: there is nothing to resume")
	}
}

func (e *Engine) skip(o order) {
	e.mu.Lock()
	end := e.endAgent
	e.mu.Unlock()
	if end == nil {
		e.decline(o, "no agent is running: there is nothing to skip")
		return
	}
	e.accept(o, "ending the agent and going on with the next iteration", "iteration.finished")
	end(proc.End(loop.OnSkip))
}

func (e *Engine) wantReboot(o order) {
	e.mu.Lock()
	running, wanted := e.iter > 0, e.wishes.reboot
	e.mu.Unlock()
	if wanted {
		e.decline(o, "a fresh session comes after this iteration already")
		return
	}
	effect := "the next iteration begins with a fresh session"
	if running {
		effect = "a fresh session after this iteration"
	}
	e.accept(o, effect, "run.reboot_finished")
	e.wish(func(w *wishes) { w.reboot = true })
}

func (e *Engine) note(o order) {
	switch {
	case o.Text == "":
		e.decline(o, "the note is empty")
		return
	case len(o.Text) > loop.MaxNote:
		e.decline(o, fmt.Sprintf("the note is too long: %d bytes, and %d fit; put it into a file and name that", len(o.Text), loop.MaxNote))
		return
	case len(e.snapshot().Notes) >= loop.MaxNotes:
		e.decline(o, fmt.Sprintf("%d notes are waiting for the next agent already", loop.MaxNotes))
		return
	}
	e.record(&loop.NoteAdded{Text: o.Text})
	e.accept(o, "the next agent is told")
}

// raise changes a limit of the live run.
func (e *Engine) raise(o order) {
	if e.Raise == nil {
		e.decline(o, "the limits of this run cannot be changed while it runs")
		return
	}
	r, err := e.Raise(o.Key, o.Value)
	if err != nil {
		e.decline(o, err.Error())
		return
	}
	e.mu.Lock()
	e.Rules, e.Limits, e.Holds = r.Rules, r.Limits, r.Holds
	m := e.meter
	e.mu.Unlock()
	effect := fmt.Sprintf("%s is %s now", o.Key, o.Value)
	e.record(&loop.CommandReceived{Command: o.Name, Effect: effect, Key: o.Key, Value: o.Value, Limits: &r.Limits})
	o.answer <- Answer{OK: true, Effect: effect, State: e.status()}
	if m != nil {
		m.weigh() // it may have been lowered
	}
	e.Control.wake()
}

// Raised is what a changed limit comes to.
type Raised struct {
	Rules  []loop.Rule
	Limits loop.Limits
	Holds  stop.Holds
}

// wish changes what the loop looks at, and makes it look.
func (e *Engine) wish(change func(*wishes)) {
	e.mu.Lock()
	change(&e.wishes)
	e.mu.Unlock()
	e.Control.wake()
}

// hurried tells whether a person wants no more waiting.
func (e *Engine) hurried() bool { return e.wants(func(w wishes) bool { return w.hurry }) }

func (e *Engine) wants(what func(wishes) bool) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return what(e.wishes)
}
