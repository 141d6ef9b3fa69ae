package engine

import (
	"context"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Step makes one attempt and decides. The state that it is given says which: the
// same state gives the same iteration and attempt. It gives the state after it.
//
//	iteration.started
//	   │ Begin    hooks, plan, prompt, the tree before     ─► may not be wanted
//	   ▼
//	 agent        started · heard line by line · exited    ─► may not start
//	   │ Gone     git put back, the tree after             ─► may be cut short
//	   ▼
//	 outcome      what listeners report
//	   │ Check    changes, plan, gates and claim, progress ─► may be cut short
//	   │ Settle   commit; judged again if that moved files
//	   ▼
//	 verdict      the rules                                   pure
//	   │ Finish   put back, hand on to the next agent
//	   ▼
//	iteration.finished
//
// An attempt is cut short when a person wants the run to stop at once, or its time
// is over, and something is still to be done that an agent was paid for. It has no
// iteration.finished: the next runner judges it from what was written down
// (recover.go), and an agent that had not come to its end is started again.
//
// Parts speak to those after them by fields of the attempt. An error would mean
// that the runner cannot go on; what cannot be saved is told, and no such error.
func (e *Engine) Step(ctx context.Context, s loop.State) (loop.State, loop.Verdict, error) {
	e.TakeOver(s)
	a := e.begin(s)
	defer a.Dir.Close()
	v := e.attempt(ctx, a)
	return e.HandOver(), v, e.Lost()
}

func (e *Engine) attempt(ctx context.Context, a *Attempt) loop.Verdict {
	for _, part := range e.order.Begin {
		if part(ctx, a); a.Unwanted != nil {
			return e.conclude(ctx, a, a.Unwanted)
		}
	}
	if a.Failure == nil {
		if !e.relay.keep(ctx, Began) {
			return e.notBegun(ctx, a)
		}
		e.runAgent(ctx, a)
	}
	for _, part := range e.order.Gone {
		part(ctx, a)
	}
	if !a.CutShort && !e.relay.keep(ctx, Worked) {
		a.CutShort = true // the next runner judges it
	}
	if a.CutShort { // the run is to stop at once, so that is the verdict
		return e.Decide(nil)
	}
	return e.judge(ctx, a)
}

// notBegun is an attempt whose agent may not be started, for nobody would know of it.
func (e *Engine) notBegun(ctx context.Context, a *Attempt) loop.Verdict {
	if e.Lost() != nil {
		return e.Decide(nil)
	}
	return e.conclude(ctx, a, &loop.Outcome{Result: loop.Interrupted, Worker: loop.Worker{Agent: a.Worker.Name}, EndedAt: e.Now()})
}

// judge finds out what came of an attempt whose agent is gone, and decides. That it
// is gone is on the disk before anything else runs: its work is not to be done again.
func (e *Engine) judge(ctx context.Context, a *Attempt) loop.Verdict {
	e.Journal.Settle()
	o := e.report(a)
	for _, part := range e.order.Check {
		if a.leftOpen(o, e.Desk.Asked()) { // conclude says what then
			break
		}
		part(ctx, a, o)
	}
	return e.conclude(ctx, a, o)
}

// conclude settles what is kept of an attempt, decides, does what the verdict
// says, and writes it down; unless the attempt is left to the next runner.
func (e *Engine) conclude(ctx context.Context, a *Attempt, o *loop.Outcome) loop.Verdict {
	if v, left := e.leaveOpen(a, o, e.Desk.Asked()); left {
		return v
	}
	if e.State().Undone(*o) && o.Progress != nil { // it is worse than the best, and the ratchet is on
		o.Progress, o.ProgressBy = new(bool), nil // what is put back is no progress
	}
	for _, part := range e.order.Settle {
		if part(ctx, a, o); a.CutShort {
			break
		}
	}
	o.Metadata, o.StartedAt = a.Metadata, a.began()
	facts := e.Facts(o)
	if v, left := e.leaveOpen(a, o, facts.Asked); left {
		return v
	}
	v := e.decideBy(facts)
	for _, part := range e.order.Finish {
		part(ctx, a, o, v)
	}
	e.Record(&loop.IterationFinished{Outcome: *o, Verdict: v})
	e.tidy()
	e.relay.keep(ctx, Finished)
	return v
}

// begin makes the next attempt the current one, and writes down that it began. Who
// works is the first agent that its provider has not turned away.
func (e *Engine) begin(s loop.State) *Attempt {
	w := e.Worker()
	a := e.enter(s.Next(), s.Attempts+1, w, e.Journal.Begin)
	a.OnBest = s.BestTree != nil && s.LastCheckpoint == s.BestTree.Checkpoint
	started := &loop.IterationStarted{Max: e.Limits().Iterations}
	if w.Name != e.workers[0].Name {
		started.Agent = w.Name
	}
	e.Record(started)
	return a
}

// report is what the listeners have made of the agent.
func (e *Engine) report(a *Attempt) *loop.Outcome {
	o := &loop.Outcome{Worker: loop.Worker{Agent: a.Worker.Name, Model: a.Worker.Model}}
	if a.Failure != nil { // it was not started, or lost with its keeper: nobody saw its end
		o.Result, o.Error = loop.Treat(a.Failure.Kind).Result, a.Failure
	}
	for _, l := range a.listeners {
		if _, saw := l.(Witness); saw || a.Failure == nil {
			e.Record(l.Report(o)...)
		}
	}
	o.Duration, o.EndedAt = loop.Millis(a.Duration), e.Now()
	return o
}

// Skip makes the next iteration one that was left out.
func (e *Engine) Skip(ctx context.Context, s loop.State) (loop.State, loop.Verdict, error) {
	e.TakeOver(s)
	a := e.enter(s.Next(), s.Attempts+1, e.Worker(), e.Journal.Begin)
	defer a.Dir.Close()
	e.Record(&loop.IterationStarted{Max: e.Limits().Iterations})
	v := e.conclude(ctx, a, &loop.Outcome{Result: loop.Skipped, EndedAt: e.Now()})
	return e.HandOver(), v, e.Lost()
}

// leaveOpen gives the verdict with which the run ends, when an attempt is left to the
// next runner.
func (e *Engine) leaveOpen(a *Attempt, o *loop.Outcome, asked *loop.StopRequest) (v loop.Verdict, left bool) {
	if !a.leftOpen(o, asked) {
		return v, false
	}
	if v = e.Decide(nil); v.Action == loop.Stop || e.Desk.Leaving() || e.Lost() != nil {
		return v, true
	}
	// A limit was raised just after it had cut something short. There is no next
	// runner, so the attempt is made again.
	a.CutShort = false
	o.Result, o.Claim, o.Proof, o.Gates = loop.Interrupted, nil, nil, nil
	return v, false
}

// tidy drops transcripts that are too old to be kept.
func (e *Engine) tidy() {
	if err := e.Journal.DropTranscripts(e.transcripts); err != nil {
		e.Warn("transcripts", loop.Warning{Text: err.Error(), Hint: "old transcripts are kept"})
	}
	e.flushTrouble()
}
