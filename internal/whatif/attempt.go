package whatif

import (
	"fmt"
	"slices"
	"time"

	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/steer"
)

// attempt is a recorded attempt that is played. The run's own meter and watch look
// on, and may end it where the recorded one went on.
type attempt struct {
	*stepper
	number  int64 // of the event that it begins with: its own, or the start of the runner that found it
	began   time.Time
	end     *loop.IterationFinished // nil: this runner did not come to it
	meter   *engine.Meter
	used    *loop.Usage // as far as the agent has told
	phase   loop.Phase
	unwatch func()

	cut    loop.Cause // why it is ended where the record goes on
	asWell bool       // it is ended where the recorded one was
}

// cut is where a limit ended an attempt of the recorded run. What would have come
// then, the record does not tell.
type cut struct {
	why loop.Cause
	at  time.Time // of the record
}

// inside plays an attempt, up to its end if it has one. Without a begin it is what
// another runner has left.
func (s *stepper) inside(begin *loop.Event) (loop.Verdict, error) {
	a := &attempt{stepper: s, number: s.tape.taken, began: s.clock.now, unwatch: func() {}}
	spend := func(error) { a.stop(loop.OnBudget) }
	a.meter = s.NewMeter(engine.Context{}, "", spend)
	if turn := s.tape.turn(); turn != nil {
		a.end, _ = turn.Payload.(*loop.IterationFinished)
	}
	if begin != nil {
		if err := a.addUsage(begin); err != nil {
			return loop.Verdict{}, err
		}
		s.Desk.SetAgent(&steer.Agent{End: spend, Weigh: a.meter.Weigh})
		defer s.Desk.SetAgent(nil)
	}
	for a.cut == "" && !s.tape.atTurn() {
		if s.tape.moveTo(s.tape.peek().Time); a.cut == "" {
			a.follow(s.tape.take())
		}
	}
	a.unwatch()
	switch turn := s.tape.turn(); {
	case a.cut != "":
		return a.endEarly(), nil
	case turn == nil:
		return s.die(), nil
	case a.end != nil:
		return a.conclude(s.tape.take()), nil
	case s.tape.rule() != nil: // it is left to the next runner
		s.tape.approach(turn.Time)
		return s.comeToEnd(), nil
	}
	return goOn, nil
}

// addUsage adds to the record what the agent told of what it used, which is worth
// reading only where the supposed run could end by it.
func (a *attempt) addUsage(begin *loop.Event) error {
	stretch, limits := a.tape.stretch(), a.Limits()
	raised := slices.ContainsFunc(stretch, func(e loop.Event) bool {
		p, ok := e.Payload.(*loop.CommandReceived)
		return ok && p.Limits != nil
	})
	over := a.end == nil || a.over(a.end.Outcome.Usage, limits)
	lasts := time.Duration(0)
	if len(stretch) > 0 {
		lasts = stretch[len(stretch)-1].Time.Sub(begin.Time)
	}
	late := limits.Time > 0 && a.Facts(nil).Live()+lasts > limits.Time.Duration()
	if !over && !raised && !late {
		return nil
	}
	told, err := a.rec.usages(begin.Iter, begin.Attempt)
	if len(told) == 0 && over && a.end != nil && a.end.Outcome.Usage != nil && !a.over(a.end.Outcome.Usage, a.tape.recorded.Limits) {
		a.notes = append(a.notes, fmt.Sprintf("what the agent of iteration %d used up while it worked is no longer kept, only what it came to in the end", begin.Iter))
	}
	a.tape.insert(told)
	return err
}

// over tells whether an attempt that used so much has used up a budget.
func (a *attempt) over(used *loop.Usage, l loop.Limits) bool {
	spent := a.State().Totals
	return l.CostUSD > 0 && spent.CostUSD+used.Cost() >= l.CostUSD || l.Tokens > 0 && spent.Tokens+used.Tokens() >= l.Tokens
}

// follow takes in what happened. The time is watched where the engine watches it:
// while hooks, the agent or gates run.
func (a *attempt) follow(e loop.Event) {
	switch p := e.Payload.(type) {
	case *loop.AgentUsage:
		a.hear(e, p)
		return
	case *loop.IterationPhase:
		a.unwatch()
		a.phase, a.unwatch = p.Phase, func() {}
		if p.Phase == loop.PreHooks || p.Phase == loop.Executing || p.Phase == loop.Gates && a.gatesFollow() {
			a.unwatch = a.WatchTime(func(error) { a.stop(loop.OnMaxTime) })
		}
	case *loop.AgentExited, *loop.HookFinished:
		a.unwatch()
		a.phase = loop.Pending
	case *loop.GateFinished:
		if !a.gatesFollow() {
			a.unwatch()
		}
	case *loop.CheckpointRestored:
		if e.Iter == 0 { // by a person, after the runner had died
			a.unwatch()
		}
	}
	a.hand(e)
}

func (a *attempt) gatesFollow() bool {
	return slices.ContainsFunc(a.tape.stretch(), func(e loop.Event) bool { _, ok := e.Payload.(*loop.GateFinished); return ok })
}

// hear lets the meter look at what the agent used. What came in one piece is heard
// before the agent can be ended.
func (a *attempt) hear(e loop.Event, p *loop.AgentUsage) {
	a.used = &p.Usage
	a.meter.Hear(p)
	if next := a.tape.peek(); next != nil && next.Time.Equal(e.Time) {
		if more, ok := next.Payload.(*loop.AgentUsage); ok {
			a.hear(a.tape.take(), more)
		}
	}
}

// stop ends the attempt, unless the recorded one was ended at this point too:
// then the record tells what came of it.
func (a *attempt) stop(why loop.Cause) {
	here, was := cut{why, a.clock.now.Add(-a.tape.shift)}, a.cuts[a.number]
	switch {
	case a.cut != "" || a.asWell:
	case a.cuts == nil:
		a.asWell, a.own[a.number] = true, here
	case was.why == why && !here.at.Before(was.at):
		a.asWell = true
	default:
		a.cut, a.clock.halted = why, true
	}
}

// endEarly ends the attempt where the record goes on with it. What it had done by
// then, nobody knows; if it made progress, it is taken to have begun with that.
// One whose agent had ended is left open: it counts when the next runner has
// judged it.
func (a *attempt) endEarly() loop.Verdict {
	a.within = true
	var v loop.Verdict
	if a.phase == loop.Gates {
		v = a.Decide(nil)
	} else {
		o := loop.Outcome{Result: loop.Interrupted, Usage: a.used, StartedAt: a.began, Duration: loop.Millis(a.Now().Sub(a.began)), EndedAt: a.Now()}
		if a.phase != loop.PreHooks {
			o.Exit = &loop.Exit{Cause: a.cut}
		}
		if a.end != nil {
			was := a.end.Outcome
			o.Agent, o.Model, o.Progress, o.ProgressBy = was.Agent, was.Model, was.Progress, was.ProgressBy
		}
		v = a.Decide(&o)
		a.Record(&loop.IterationFinished{Outcome: o, Verdict: v})
	}
	if v.Action != loop.Stop {
		a.goesOn = true
		return a.die()
	}
	return v
}

// conclude decides on an attempt that was played to its end.
func (a *attempt) conclude(e loop.Event) loop.Verdict {
	recorded, o := a.end.Verdict, a.end.Outcome
	a.wish(recorded)
	for _, at := range []*time.Time{&o.StartedAt, &o.EndedAt} {
		if !at.IsZero() {
			*at = at.Add(a.tape.shift)
		}
	}
	if recorded.Until.IsZero() {
		a.tape.moveTo(e.Time)
	} else { // a wait tells to the millisecond when it was decided
		a.tape.moveTo(recorded.Until.Add(-recorded.For.Duration()).Truncate(time.Millisecond))
	}
	v := a.Decide(&o)
	if o.Result == loop.Interrupted && a.cuts[a.number].why != "" && !a.asWell {
		v = goOn // what it came to in the end, the record does not tell
	}
	a.tape.moveTo(e.Time)
	a.Enter(e.Iter, e.Attempt)
	a.Record(&loop.IterationFinished{Outcome: o, Verdict: v})
	switch {
	case recorded.Action != loop.Stop:
		return v
	case a.tape.turn() == nil && alike(recorded, v): // that is not written down any more
		return a.die()
	case a.tape.rule() == nil: // a person wanted it to go on
		return v
	}
	a.there = &recorded
	if a.goesOn = v.Action != loop.Stop; a.goesOn {
		return recorded
	}
	return v
}
