package engine

import (
	"context"
	"errors"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/proof"
)

// An agent that has come to its end is paid for, so its work is judged once and
// never done again. Whoever ends the runner after that, politely or not, leaves
// the attempt as it is: nothing more is written of it, and the next runner
// settles it, as after a crash.

// leftOpen tells whether an attempt is left to the next runner: something that
// follows the agent was cut short, or a person wants the run to stop at once and
// the agent had not been ended for that.
func (e *Engine) leftOpen(a *attempt, o *loop.Outcome, asked *loop.Asked) bool {
	if asked != nil && asked.Now && o.Exit != nil && o.Result != loop.Interrupted && o.Result != loop.Skipped {
		a.open = true
	}
	return a.open
}

// leaveOpen gives the verdict with which the run ends, when an attempt is left to
// the next runner.
func (e *Engine) leaveOpen(a *attempt, o *loop.Outcome, asked *loop.Asked) (v loop.Verdict, left bool) {
	if !e.leftOpen(a, o, asked) {
		return v, false
	}
	if v = e.ask(); v.Action == loop.Stop {
		return v, true
	}
	// A limit was raised just after it had cut something short. There is no next
	// runner, so the attempt is made again.
	a.open = false
	o.Result, o.Claim, o.Proof, o.Gates = loop.Interrupted, nil, nil, nil
	return v, false
}

// untilKept runs gates again that were lost with their keeper: that says nothing
// of the work. When it happens again and again, it does.
func untilKept(ctx context.Context, rule func() proof.Ruling) proof.Ruling {
	for n := 1; ; n++ {
		r := rule()
		if !r.Interrupted || ctx.Err() != nil {
			return r
		}
		if n == lostTooOften {
			r.Interrupted, r.Why = false, "the gates do not come to their end"
			for _, one := range r.Results {
				if one.Interrupted {
					r.Why = one.Why
				}
			}
			return r
		}
	}
}

// cutShort tells whether an agent was ended for the end of the run, or with its
// keeper.
func cutShort(exit loop.Exit, err error) bool {
	var lost *proc.KeeperError
	return errors.As(err, &lost) || err == nil && (exit.Cause == loop.OnRequest || exit.Cause == loop.OnMaxTime)
}

// hadFinished is the exit of an agent that was ended after its last word: as far
// as its work goes, it had come to its end.
func (e *Engine) hadFinished() loop.Exit {
	e.record(&loop.Warning{Text: "the agent had said its last word when it was ended: its work is judged, not repeated"})
	return loop.Exit{Code: new(int), Cause: loop.Exited}
}

// lastWord looks in its transcript whether an agent that was lost with its runner
// had come to its end before; nil when not, or when nobody can tell.
func (e *Engine) lastWord(a *attempt) *loop.AgentExited {
	decoder := e.worker.Agent.Decoder()
	err := eachLine(a.dir.OpenStdout, WholeLines(func(line []byte) { decoder.Decode(line) }, func() {}))
	if err != nil || !agent.Finished(decoder) {
		return nil
	}
	exited := &loop.AgentExited{Exit: e.hadFinished(), Duration: workedFor(e.Past.Tail)}
	e.record(exited)
	return exited
}

// workedFor is how long the last agent was at work, as far as the journal tells.
func workedFor(tail []loop.Event) (d loop.Span) {
	var started loop.Event
	for _, ev := range tail {
		switch ev.Payload.(type) {
		case *loop.AgentStarted:
			started, d = ev, 0
		case *loop.RunResumed:
		default:
			if started.Payload != nil && ev.Iter == started.Iter {
				d = loop.Span(ev.Time.Sub(started.Time))
			}
		}
	}
	return d
}
