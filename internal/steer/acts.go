package steer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
)

// acts is every command and what it does.
var acts = map[string]func(*Desk, order){
	"pause":  (*Desk).pause,
	"resume": (*Desk).resume,
	"skip":   (*Desk).skip,
	"reboot": (*Desk).reboot,
	"note":   (*Desk).note,
	"raise":  (*Desk).raiseLimit,

	"approve": (*Desk).approve,
	"park":    (*Desk).park,
}

func (d *Desk) pause(o order) {
	d.mu.Lock()
	wanted, asked := d.wishes.pause, d.asked != nil
	d.mu.Unlock()
	switch {
	case d.run.State().Paused:
		d.decline(o, "the run is paused already")
	case wanted:
		d.decline(o, "the run pauses after this iteration already")
	case d.Asked() != nil:
		d.decline(o, "the run is stopping")
	default:
		effect := "pausing after this iteration"
		switch {
		case asked:
			effect = "pausing when the question is answered"
		case d.Waiting():
			effect = "paused"
		case d.run.Between(): // it is about to begin
			effect = "pausing before the next iteration"
		}
		d.accept(o, effect, "run.paused")
		d.wish(func(w *wishes) { w.pause = true })
	}
}

func (d *Desk) resume(o order) {
	switch {
	case d.Parking():
		d.wish(func(w *wishes) { w.park = false })
		d.takeBack("run.parked", "taken back by resume")
		d.accept(o, "not parking")
	case d.run.State().Paused:
		d.accept(o, "going on", "run.unpaused")
		d.wish(func(w *wishes) { w.pause = false })
	case d.Pausing():
		d.wish(func(w *wishes) { w.pause = false })
		d.takeBack("run.paused", "taken back by resume")
		d.accept(o, "not pausing")
	case d.Waiting():
		d.accept(o, "the wait is cut short", "iteration.started", "run.waiting")
		d.wish(func(w *wishes) { w.hurry = true })
	case d.Asked() != nil:
		d.decline(o, "the run is stopping")
	default:
		d.decline(o, "the run is running: there is nothing to resume")
	}
}

// park has the runner leave the run, between two steps, for somebody to go on with.
func (d *Desk) park(o order) {
	d.mu.Lock()
	asked := d.asked != nil
	d.mu.Unlock()
	switch {
	case d.Parking():
		d.decline(o, "the run parks after this iteration already")
	case d.Asked() != nil:
		d.decline(o, "the run is stopping")
	default:
		effect := "parking after this iteration"
		switch {
		case asked:
			effect = "parking when the question is answered"
		case d.run.State().Paused, d.Waiting():
			effect = "parking now"
		case d.run.Between(): // it is about to begin
			effect = "parking before the next iteration"
		}
		d.accept(o, effect, "run.parked")
		d.wish(func(w *wishes) { w.park = true })
	}
}

// takeBack answers those who wait for an event that no longer comes.
func (d *Desk) takeBack(t loop.Type, why string) {
	now := d.run.Status()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.waiters = slices.DeleteFunc(d.waiters, func(w waiter) bool {
		if !slices.Contains(w.types, t) {
			return false
		}
		w.answer <- Answer{Effect: why, State: now}
		return true
	})
}

func (d *Desk) skip(o order) {
	d.mu.Lock()
	agent := d.agent
	d.mu.Unlock()
	if agent == nil {
		d.decline(o, "no agent is running: there is nothing to skip")
		return
	}
	d.accept(o, "ending the agent and going on with the next iteration", "iteration.finished")
	agent.End(proc.End(loop.OnSkip))
}

func (d *Desk) reboot(o order) {
	switch {
	case !d.run.State().Counting.Keep:
		d.decline(o, "every iteration begins with a fresh session already")
		return
	case d.wants().reboot:
		d.decline(o, "a fresh session comes after this iteration already")
		return
	}
	effect := "a fresh session after this iteration"
	if d.run.Between() {
		effect = "the next iteration begins with a fresh session"
	}
	d.accept(o, effect, "run.reboot_finished")
	d.wish(func(w *wishes) { w.reboot = true })
}

func (d *Desk) note(o order) {
	switch {
	case o.Text == "":
		d.decline(o, "the note is empty")
		return
	case len(o.Text) > loop.MaxNote:
		d.decline(o, fmt.Sprintf("the note is too long: %d bytes, and %d fit; put it into a file and name that", len(o.Text), loop.MaxNote))
		return
	case len(d.run.State().Notes) >= loop.MaxNotes:
		d.decline(o, fmt.Sprintf("%d notes are waiting for the next agent already", loop.MaxNotes))
		return
	}
	d.run.Record(&loop.NoteAdded{Text: o.Text})
	d.accept(o, "the next agent is told")
}

// raiseLimit changes a limit of the live run.
func (d *Desk) raiseLimit(o order) {
	if d.raise == nil {
		d.decline(o, "the limits of this run cannot be changed while it runs")
		return
	}
	limits, err := d.raise(o.Key, o.Value)
	if err != nil {
		d.decline(o, err.Error())
		return
	}
	effect := fmt.Sprintf("%s is %s now", o.Key, o.Value)
	d.run.Record(&loop.CommandReceived{Command: o.Name, Effect: effect, Key: o.Key, Value: o.Value, Limits: &limits})
	o.answer <- Answer{OK: true, Effect: effect, State: d.run.Status()}
	d.mu.Lock()
	agent := d.agent
	d.mu.Unlock()
	if agent != nil {
		agent.Weigh() // it may have been lowered
	}
	d.Wake()
}

// approve answers the question that a person is asked.
func (d *Desk) approve(o order) {
	answer := o.Text
	d.mu.Lock()
	asked, answered := d.asked, d.answered
	d.mu.Unlock()
	if asked != nil && answer == "" {
		answer = asked.Choices[0]
	}
	switch {
	case asked != nil && answered != "":
		d.decline(o, "somebody has answered already: "+answered)
	case asked == nil:
		d.decline(o, "nobody is asked anything")
	case o.Question != "" && o.Question != asked.Question:
		d.decline(o, "another question is asked by now: "+asked.Question)
	case !slices.Contains(asked.Choices, answer):
		d.decline(o, fmt.Sprintf("%q is not an answer: say one of %s", answer, strings.Join(asked.Choices, ", ")))
	default:
		d.accept(o, "answered: "+answer, "run.answered") // before it is: the run may be quick
		d.mu.Lock()
		d.answered = answer
		d.mu.Unlock()
		d.Wake()
	}
}
