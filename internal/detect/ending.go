package detect

import (
	"fmt"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Ending reads how the attempt ended, and what it used up.
func Ending() Detector { return &ending{} }

type ending struct {
	session loop.AgentSession
	usage   *loop.Usage
	limit   *loop.Limit
	over    bool             // a model has answered since
	retry   *loop.AgentRetry // the last one
	result  *loop.AgentResult
	exit    *loop.Exit
}

func (d *ending) Hear(said loop.Payload) []loop.Payload {
	switch p := said.(type) {
	case *loop.AgentSession:
		if p.Session != "" {
			d.session.Session = p.Session
		}
		if p.Model != "" {
			d.session.Model = p.Model
		}
		if p.BilledTo != "" {
			d.session.BilledTo = p.BilledTo
		}
	case *loop.AgentUsage:
		d.usage = &p.Usage
	case *loop.AgentLimit:
		d.limit, d.over = &p.Limit, false
	case *loop.AgentText, *loop.AgentTool:
		d.over = true
	case *loop.AgentRetry:
		d.retry = p
	case *loop.AgentResult:
		d.result = p
	case *loop.AgentExited:
		d.exit = &p.Exit
	}
	return nil
}

func (d *ending) Report(o *loop.Outcome) []loop.Payload {
	o.Session, o.BilledTo = d.session.Session, d.session.BilledTo
	o.Pending = d.result != nil && d.result.Pending
	if d.session.Model != "" {
		o.Model = d.session.Model // what was asked for is only a wish
	}
	o.Usage, o.Limit, o.Exit = d.usage, d.limit, d.exit
	o.Result, o.Error = d.verdict()
	if o.Result == loop.OK && o.Error == nil || d.over && o.Result != loop.Limited {
		o.Limit = nil // it got over it
	}
	if !o.Pending {
		return nil
	}
	return []loop.Payload{&loop.Warning{
		Text: "the agent ended while work of its own was still running in the background; that work was ended with it",
		Hint: "the next agent is told",
	}}
}

// endedByUs is what an attempt comes to when the runner ended it. What the
// agent says of its own end is then only an echo of the signal.
var endedByUs = map[loop.Cause]loop.Result{
	loop.AtDeadline: loop.TimedOut,
	loop.WhenIdle:   loop.Idle,
	loop.OnRequest:  loop.Interrupted,
	loop.OnBudget:   loop.Interrupted,
	loop.OnMaxTime:  loop.Interrupted,
	loop.OnSkip:     loop.Skipped,
	loop.OnRedline:  loop.OK,
}

// verdict believes, in this order: our own hand, the agent's error, the exit
// status, the agent's last word. Exit 0 alone is not success: agents that were
// cut off exit so.
func (d *ending) verdict() (loop.Result, *loop.AgentError) {
	if d.exit != nil {
		if result, ok := endedByUs[d.exit.Cause]; ok {
			return result, nil
		}
		if d.exit.Cause == loop.OnRetry && d.retry != nil {
			return tired(d.retry.Error)
		}
	}
	switch {
	case d.result != nil && d.result.Error != nil:
		return loop.Treat(d.result.Error.Kind).Result, d.result.Error
	case d.exit != nil && !d.exit.Zero():
		result, err := failed(exitWords(d.exit))
		err.ByExit = true
		return result, err
	case d.result == nil:
		return failed("no final result")
	case !d.result.OK:
		return failed("the agent says that it failed")
	}
	return loop.OK, nil
}

// tired is what an attempt comes to whose agent only tried again. Why it did is told
// in its own words, if it had any.
func tired(why *loop.AgentError) (loop.Result, *loop.AgentError) {
	err := loop.AgentError{Kind: loop.ErrServer}
	if why != nil {
		err = *why
	}
	if err.Kind == loop.ErrAgent || err.Kind == "" {
		err.Kind = loop.ErrServer // it asked, and nobody answered
	}
	err.Message = strings.TrimSuffix("it kept trying again (limits.patience): "+err.Message, ": ")
	return loop.Treat(err.Kind).Result, &err
}

func failed(message string) (loop.Result, *loop.AgentError) {
	return loop.Failed, &loop.AgentError{Kind: loop.ErrAgent, Message: message}
}

func exitWords(e *loop.Exit) string {
	if e.Code != nil {
		return fmt.Sprintf("exit %d", *e.Code)
	}
	if e.Signal != "" {
		return "ended by signal " + e.Signal
	}
	return "ended without an exit status"
}
