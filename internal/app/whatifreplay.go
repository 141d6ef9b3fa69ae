package app

import (
	"fmt"
	"time"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/loop"
)

// replay goes through a record as the engine goes through a run, and asks the
// rules at the same moments, but those of supposed settings. What agents and
// people did is as recorded; how long the loop waited is not, so that there are
// two clocks.
type replay struct {
	rec      *record
	was      []terms // by runner, as recorded
	now      []terms // and as supposed
	set      map[string]bool
	runner   int   // the next one
	old      terms // of this runner as recorded, with what people have raised since
	supposed terms // and as supposed
	rules    []loop.Rule
	resumed  bool // nothing has begun since a resume

	state   loop.State
	clock   time.Time     // the supposed time
	shift   time.Duration // from the record's time to that
	drift   time.Duration // how much more of its time it has used than in the record
	verdict loop.Verdict  // of the last decision: what comes before the next attempt
	live    loop.Span     // when it ended

	stopping *loop.Asked // a person's wish to stop, as recorded
	hurry    bool        // a person wanted no more waiting
	noted    []loop.Away // what other runs told

	attempt attemptReplay
	open    bool          // an attempt is under way
	ahead   *loop.Verdict // the end that the record comes to next, before another attempt
	met     bool          // the record has come to an end, and may go on with a resume
	goesOn  bool          // where the supposed run does not end
	lost    bool          // the supposed run has left the record
	end     *supposedEnd
	notes   []string
	err     error
}

func (rec *record) replay(was, now []terms, flags []config.Flag) (*replay, error) {
	r := &replay{rec: rec, was: was, now: now, set: map[string]bool{}}
	for _, f := range flags {
		r.set[f.Key] = true
	}
	r.play()
	return r, r.err
}

// play goes from turn to turn of the record until the supposed run ends, or the
// record does.
func (r *replay) play() {
	var stretch []loop.Event // since the last turn
	for i, e := range r.rec.events {
		switch p := e.Payload.(type) {
		case *loop.RunStarted, *loop.RunResumed:
			r.begin(stretch, e, endOf(r.rec.events[i+1:]))
		case *loop.IterationStarted:
			r.step(stretch, e)
		case *loop.IterationFinished:
			r.conclude(stretch, e, p)
		case *loop.RunRule:
			r.finish(stretch, e, p.Verdict)
		default:
			stretch = append(stretch, e)
			continue
		}
		if r.end != nil || r.lost || r.err != nil {
			return
		}
		stretch = nil
	}
	if !r.leave(stretch) && !r.met {
		r.live = r.state.Live
	}
}

// endOf is the verdict that ended a runner before its first attempt, if one did.
func endOf(events []loop.Event) *loop.Verdict {
	for _, e := range events {
		switch p := e.Payload.(type) {
		case *loop.RunRule:
			return &p.Verdict
		case *loop.RunResumed, *loop.IterationStarted, *loop.IterationFinished:
			return nil
		}
	}
	return nil
}

// begin lets another runner take over. What a person did about an end, they did
// at their own time.
func (r *replay) begin(stretch []loop.Event, e loop.Event, end *loop.Verdict) {
	if r.leave(stretch) {
		return
	}
	r.old, r.supposed = r.was[r.runner], r.now[r.runner]
	r.runner++
	r.rules = r.supposed.Rules()
	r.stopping, r.hurry, r.noted, r.met, r.goesOn = nil, false, nil, false, false
	at := later(r.clock, e.Time)
	r.shift = at.Sub(e.Time)
	switch p := e.Payload.(type) {
	case *loop.RunStarted:
		start := *p
		start.Limits, start.Counting = r.supposed.Limits(), r.counting(p.Counting)
		e.Payload = &start
	case *loop.RunResumed:
		resume := *p
		resume.Limits, resume.Counting = r.supposed.Limits(), r.counting(p.Counting)
		e.Payload, r.resumed = &resume, true
	}
	r.sum(at, e)
	if r.ahead = end; !r.open {
		r.decide(r.ask(at))
	}
}

// counting is how attempts would have counted.
func (r *replay) counting(recorded loop.Counting) loop.Counting {
	c := r.supposed.Counting()
	recorded.GatesAreFailures, recorded.SkipsAreFree = c.GatesAreFailures, c.SkipsAreFree
	return recorded
}

// leave adds what a runner left when it ended or died.
func (r *replay) leave(stretch []loop.Event) bool {
	switch {
	case r.open:
		return r.inside(stretch, nil)
	case !r.met:
		for _, e := range stretch { // it may have died while it waited
			if r.take(e, r.at(e.Time)) {
				return true
			}
		}
		return false
	}
	for _, e := range stretch {
		at := r.clock // between an end and a resume no time passes
		switch e.Payload.(type) {
		case *loop.RunFinished, *loop.HookFinished:
			at = r.at(e.Time)
		}
		r.sum(at, e)
	}
	return false
}

// step asks before an attempt, and begins it.
func (r *replay) step(stretch []loop.Event, e loop.Event) {
	r.ahead = nil
	r.hurryAsRecorded(stretch, e)
	if r.between(stretch, e.Time) {
		return
	}
	if r.decide(r.ask(r.at(e.Time))) || r.waitAlone() {
		return
	}
	r.sum(r.at(e.Time), e)
	r.open, r.hurry, r.resumed = true, false, false
	r.attempt = attemptReplay{iter: e.Iter, n: e.Attempt, began: r.clock}
}

// conclude decides on an attempt.
func (r *replay) conclude(stretch []loop.Event, e loop.Event, p *loop.IterationFinished) {
	if r.inside(stretch, p) {
		return
	}
	r.wish(p.Verdict)
	r.learnMargin(p)
	o := p.Outcome
	if !o.EndedAt.IsZero() {
		o.EndedAt = o.EndedAt.Add(r.shift)
	}
	_, v := loop.Decide(r.facts(&o, r.at(decidedAt(e, p)), r.stopping), r.rules)
	if r.outlives(p) {
		v = loop.Verdict{Action: loop.Continue} // what it came to in the end, the record does not tell
	}
	r.sum(r.at(e.Time), loop.Event{Iter: r.state.Next(), Attempt: e.Attempt, Payload: &loop.IterationFinished{Outcome: o, Verdict: v}})
	r.open = false
	r.meet(p.Verdict, v)
}

// decidedAt is when the verdict on an attempt was found. A wait tells it to the
// millisecond.
func decidedAt(e loop.Event, p *loop.IterationFinished) time.Time {
	if v := p.Verdict; !v.Until.IsZero() {
		return v.Until.Add(-v.For.Duration()).Truncate(time.Millisecond)
	}
	return e.Time
}

// ask decides with no outcome. A run whose time is over by then has noticed that
// before.
func (r *replay) ask(at time.Time) loop.Verdict { return r.askAs(nil, at) }

func (r *replay) askAs(asked *loop.Asked, at time.Time) loop.Verdict {
	if over, limited := r.timeOver(); limited && over.Before(at) {
		at = later(over, r.clock)
	}
	r.clock = at
	_, v := loop.Decide(r.facts(nil, at, asked), r.rules)
	return v
}

func (r *replay) facts(o *loop.Outcome, now time.Time, asked *loop.Asked) loop.Facts {
	return loop.Facts{State: r.state, Outcome: o, Now: now, Asked: asked, Noted: r.noted, Hurry: r.hurry}
}

// timeOver is when loop.max_time is reached, if that is limited.
func (r *replay) timeOver() (at time.Time, limited bool) {
	most := r.supposed.Limits().Time
	return r.state.At.Add((most - r.state.Live).Duration()), most > 0
}

// at is the supposed time of a moment of the record.
func (r *replay) at(recorded time.Time) time.Time { return later(r.clock, recorded.Add(r.shift)) }

// sum adds an event at a supposed time.
func (r *replay) sum(at time.Time, e loop.Event) {
	e.Time = at
	r.state, r.clock = r.state.Sum(e), at
}

// place is the attempt that the replay has come to, as the record calls it.
func (r *replay) place() string {
	if r.attempt.iter == 0 {
		return ""
	}
	return fmt.Sprintf("%s/%d", r.rec.entry.Name, r.attempt.iter)
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
