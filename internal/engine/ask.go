package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Asking is when a person is asked before the loop goes on.
type Asking struct {
	Always    bool // before each iteration
	Done      bool // before the run is declared done
	At        []int
	OnFailure bool          // before the iteration after one that failed
	Timeout   time.Duration // for an answer; 0 is for ever
	Default   string        // the answer when none comes
}

// The answers to a question.
const (
	GoOn  = "continue"
	Skip  = "skip"
	Fresh = "reboot"
	Halt  = "stop"

	// Accept ends a run that would be done.
	Accept = "done"

	// left is no answer: the run is left to another runner, who asks again.
	left = ""
)

// Answers is everything that may be said to a question.
var Answers = []string{GoOn, Skip, Fresh, Halt, Accept}

// What may be said before an iteration, with and without a session that is kept,
// and before the run is declared done. The first is meant by whoever only approves.
var (
	beforeKept  = []string{GoOn, Skip, Fresh, Halt}
	beforeFresh = []string{GoOn, Skip, Halt}
	beforeDone  = []string{Accept, GoOn}
)

// Draft is the next prompt while a person is asked about it.
type Draft interface {
	// LayOut writes it where a person can change it, and says where; empty: it
	// cannot be.
	LayOut(context.Context) string
	// TakeUp takes in what became of it.
	TakeUp(file string)
}

// askBefore asks a person about the next iteration, if one wants to be asked. It
// gives the answer; without a question that is to go on.
func (d *Driver) askBefore(ctx context.Context) string {
	why := d.wantsAsking()
	if why == "" {
		return GoOn
	}
	question := fmt.Sprintf("%s: run iteration %d?", why, d.State().Next())
	choices := beforeFresh
	if d.State().Counting.Keep {
		choices = beforeKept
	}
	if d.Draft == nil {
		return d.question(question, choices, "")
	}
	file := d.Draft.LayOut(ctx)
	answer := d.question(question, choices, file)
	d.Draft.TakeUp(file)
	return answer
}

// wantsAsking says why a person is asked now, or nothing.
func (d *Driver) wantsAsking() string {
	s := d.State()
	switch {
	case slices.Contains(d.Asking.At, s.Next()) && s.Attempts == 0:
		return fmt.Sprintf("breakpoint at iteration %d", s.Next())
	case d.Asking.OnFailure && WentWrong(d.Last()):
		return "the last iteration failed"
	case d.Asking.Always:
		return "attended"
	}
	return ""
}

// WentWrong tells whether an attempt ended badly.
func WentWrong(o *loop.Outcome) bool {
	return o != nil && (o.Result == loop.Failed || o.Result == loop.TimedOut || o.Result == loop.Idle)
}

// question asks and waits for the answer, a wish to stop, or the time when the
// usual answer is taken.
func (d *Driver) question(text string, choices []string, file string) string {
	d.leave()
	usual := d.Asking.Default
	if !slices.Contains(choices, usual) || choices[0] == Accept {
		usual = choices[0]
	}
	asked := &loop.RunAsked{Question: text, Choices: choices, Default: usual, Prompt: file}
	if d.Asking.Timeout > 0 {
		asked.Until = d.Now().Add(d.Asking.Timeout)
	}
	if was := d.Unanswered; was != nil && was.Question == text && !was.Until.IsZero() {
		asked.Until = was.Until // who was asked before has had a part of the time
	}
	d.Unanswered = nil
	d.Desk.Ask(asked)
	d.Record(asked)
	answer, ok := d.awaitAnswer(asked)
	if !ok {
		d.Desk.Ask(nil) // the next runner asks again
		d.Unanswered = asked
		return left
	}
	if !slices.Contains(choices, answer.text) {
		answer.text = choices[0] // who wants it to end agrees that it is done
	}
	d.Desk.Ask(nil)
	d.Record(&loop.RunAnswered{Answer: answer.text, By: answer.by})
	return answer.text
}

// Unanswered is what a person was asked last in a run that goes on, and has not answered;
// nil: there is nothing.
func Unanswered(tail []loop.Event) (asked *loop.RunAsked) {
	for _, e := range tail {
		switch p := e.Payload.(type) {
		case *loop.RunAsked:
			asked = p
		case *loop.RunAnswered, *loop.IterationStarted:
			asked = nil
		}
	}
	return asked
}

type reply struct{ text, by string }

// awaitAnswer gives the answer, unless the run is left to another runner before.
func (d *Driver) awaitAnswer(asked *loop.RunAsked) (answer reply, ok bool) {
	for over := false; ; {
		said := d.Desk.Answer()
		switch {
		case said != "":
			return reply{said, "a person"}, true
		case d.Desk.Asked() != nil:
			return reply{Halt, "a wish to stop"}, true
		case over:
			return reply{asked.Default, "nobody in time"}, true
		}
		// A runner that takes the run up when the time is over may bring the answer along,
		// and gives it when it is asked whether to leave.
		over = !asked.Until.IsZero() && !d.Now().Before(asked.Until)
		switch {
		case over:
		case asked.Choices[0] != Accept && d.Decide(nil).Action == loop.Stop, d.TimeLeft() == 0: // its time is over
			return reply{Halt, "a rule"}, true
		}
		if _, yes := d.relay.leave(loop.Verdict{Action: loop.Continue}, !over); yes {
			return reply{}, false
		}
		if over {
			continue
		}
		nap := slice
		if !asked.Until.IsZero() {
			nap = min(nap, asked.Until.Sub(d.Now()))
		}
		d.rebootIfAsked()
		d.Clock.Sleep(max(0, min(nap, d.TimeLeft())), d.Desk.Woken())
	}
}

// confirm asks a person whether a run that would be done is.
func (d *Driver) confirm(v loop.Verdict) loop.Verdict {
	if !d.Asking.Done || v.Action != loop.Stop || v.State != loop.Done {
		return v
	}
	answer := d.question("it is done ("+v.Why+"): end the run?", beforeDone, "")
	switch answer {
	case GoOn:
	case left:
		return loop.Verdict{Action: loop.Continue}
	default:
		return v
	}
	return loop.Verdict{Action: loop.Continue, Rule: "asked", Why: "a person wants it to go on"}
}

// halted is the end that a person asked for: by a signal, or by this answer.
func (d *Driver) halted() loop.Verdict {
	if v := d.Decide(nil); v.Action == loop.Stop {
		return v
	}
	return loop.Verdict{Action: loop.Stop, Rule: "asked", State: loop.Stopped, Reason: loop.ByRequest, Why: "stopped by request before the next iteration"}
}
