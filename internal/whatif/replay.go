package whatif

import (
	"fmt"
	"slices"
	"time"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/policy"
)

// replay goes through a record as the engine goes through a run, and asks the
// rules at the same moments, but those of supposed settings. What agents and
// people did is as recorded; how long the loop waited is not, so that there are
// two clocks.
type replay struct {
	rec     *record
	terms   comparison
	resumed bool // nothing has begun since a resume

	state   loop.State
	time    times
	verdict loop.Verdict // of the last decision: what comes before the next attempt
	live    loop.Millis  // when it ended

	stopping *loop.StopRequest   // a person's wish to stop, as recorded
	hurry    bool                // a person wanted no more waiting
	noted    []loop.ProviderHold // what other runs told

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

// times is where the supposed run stands beside the recorded one.
type times struct {
	now   time.Time     // as supposed
	shift time.Duration // from the record's time to that
	drift time.Duration // how much more of its time it has used than in the record
}

// at is the supposed time of a moment of the record.
func (t times) at(recorded time.Time) time.Time { return later(t.now, recorded.Add(t.shift)) }

func (rec *record) replay(was, now []terms, flags []config.Flag) (*replay, error) {
	r := &replay{rec: rec, terms: compare(was, now, flags)}
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
	r.terms.begin()
	r.stopping, r.hurry, r.noted, r.met, r.goesOn = nil, false, nil, false, false
	at := later(r.time.now, e.Time)
	r.time.shift = at.Sub(e.Time)
	switch p := e.Payload.(type) {
	case *loop.RunStarted:
		start := *p
		start.Limits, start.Counting = r.terms.supposed.Limits(), r.terms.counting(p.Counting)
		e.Payload = &start
	case *loop.RunResumed:
		resume := *p
		resume.Limits, resume.Counting = r.terms.supposed.Limits(), r.terms.counting(p.Counting)
		e.Payload, r.resumed = &resume, true
	}
	r.sum(at, e)
	if r.ahead = end; !r.open {
		r.decide(r.ask(at))
	}
}

// leave adds what a runner left when it ended or died.
func (r *replay) leave(stretch []loop.Event) bool {
	switch {
	case r.open:
		return r.inside(stretch, nil)
	case !r.met:
		for _, e := range stretch { // it may have died while it waited
			if r.take(e, r.time.at(e.Time)) {
				return true
			}
		}
		return false
	}
	for _, e := range stretch {
		at := r.time.now // between an end and a resume no time passes
		switch e.Payload.(type) {
		case *loop.RunFinished, *loop.HookFinished:
			at = r.time.at(e.Time)
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
	if r.decide(r.ask(r.time.at(e.Time))) || r.waitAlone() {
		return
	}
	r.sum(r.time.at(e.Time), e)
	r.open, r.hurry, r.resumed = true, false, false
	r.attempt = attemptReplay{iter: e.Iter, n: e.Attempt, began: r.time.now}
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
		o.EndedAt = o.EndedAt.Add(r.time.shift)
	}
	v := loop.Decide(r.facts(&o, r.time.at(decidedAt(e, p)), r.stopping), r.terms.rules)
	if r.outlives(p) {
		v = loop.Verdict{Action: loop.Continue} // what it came to in the end, the record does not tell
	}
	r.sum(r.time.at(e.Time), loop.Event{Iter: r.state.Next(), Attempt: e.Attempt, Payload: &loop.IterationFinished{Outcome: o, Verdict: v}})
	r.open = false
	r.meet(p.Verdict, v)
}

// supposedEnd is an end that the record does not have.
type supposedEnd struct {
	loop.Verdict
	within bool // an attempt was under way
	met    bool // the record has another one there
}

// finish comes to an end of the record. One that was not decided with the last
// attempt was found before the next one.
func (r *replay) finish(stretch []loop.Event, e loop.Event, recorded loop.Verdict) {
	r.ahead = &recorded
	switch {
	case r.met:
		r.leave(stretch)
		r.time.now = r.time.at(e.Time)
	case !r.between(stretch, e.Time):
		r.wish(recorded)
		v := r.askAs(r.stopping, r.time.at(e.Time))
		if v.Action != loop.Stop && r.given(recorded) {
			v = recorded
		}
		r.meet(recorded, v)
	}
	if r.end != nil {
		return
	}
	r.sum(r.time.now, e)
	r.live = r.state.Live
}

// given tells whether an end before an attempt is none that rules find: the
// runner could not go on, a hook ended it, or the plan was finished already.
func (r *replay) given(v loop.Verdict) bool {
	switch v.Rule {
	case "error", string(loop.ByHook):
		return true
	}
	return v.State == loop.Done && v.Reason != loop.ByIterations && r.terms.supposed.Config.Stop.Done.Confirmations <= 1
}

// meet compares a supposed verdict with the one that the record has there. An end
// that both have is none of the supposed settings, and where a person then
// resumed the run, it goes on.
func (r *replay) meet(recorded, v loop.Verdict) {
	r.verdict = v
	ends := recorded.Action == loop.Stop
	if v.Action == loop.Stop && !(ends && alike(recorded, v)) {
		r.stop(v, false)
		r.end.met = ends
		return
	}
	r.met, r.goesOn, r.live = ends, ends && v.Action != loop.Stop, r.state.Live
}

func alike(a, b loop.Verdict) bool {
	return a.State == b.State && a.Reason == b.Reason && a.Rule == b.Rule
}

// decide takes a verdict between two attempts. It tells whether that is the end:
// of the supposed run, or the next one of the record. A run that was to have less
// time has come to it sooner.
func (r *replay) decide(v loop.Verdict) bool {
	if r.verdict = v; v.Action != loop.Stop {
		return false
	}
	sooner := v.Reason == loop.ByTime && r.terms.supposed.Limits().Time < r.terms.old.Limits().Time
	if r.met = r.ahead != nil && alike(*r.ahead, v) && !sooner; !r.met {
		r.stop(v, false)
	}
	return true
}

func (r *replay) stop(v loop.Verdict, within bool) {
	r.sum(r.time.now, loop.Event{Payload: &loop.RunRule{Verdict: v}})
	r.end, r.live = &supposedEnd{Verdict: v, within: within}, r.state.Live
}

// decidedAt is when the verdict on an attempt was found. A wait tells it to the
// millisecond.
func decidedAt(e loop.Event, p *loop.IterationFinished) time.Time {
	if v := p.Verdict; !v.Until.IsZero() {
		return v.Until.Add(-v.For.Duration()).Truncate(time.Millisecond)
	}
	return e.Time
}

// learnMargin finds out what this runner added to the end of a limit.
func (r *replay) learnMargin(p *loop.IterationFinished) {
	v, limit := p.Verdict, p.Outcome.Limit
	if v.Rule != loop.RuleLimit || v.Agent != p.Outcome.Agent || limit == nil || !limit.Until.After(p.Outcome.EndedAt) {
		return
	}
	if margin := v.Until.Sub(limit.Until); margin >= 0 && margin <= 2*usualMargin {
		r.terms.useMargin(margin)
	}
}

// hurryAsRecorded finds a resume that was to go on at once: the record begins
// an attempt though an agent was still held up.
func (r *replay) hurryAsRecorded(stretch []loop.Event, e loop.Event) {
	if !r.resumed || r.verdict.Agent == "" || slices.ContainsFunc(stretch, isWait) {
		return
	}
	if r.terms.old.Holds().Agent(r.facts(nil, r.time.at(e.Time), nil)) == "" {
		r.hurry, r.verdict = true, loop.Verdict{}
	}
}

// ask decides with no outcome. A run whose time is over by then has noticed that
// before.
func (r *replay) ask(at time.Time) loop.Verdict { return r.askAs(nil, at) }

func (r *replay) askAs(asked *loop.StopRequest, at time.Time) loop.Verdict {
	if over, limited := r.timeOver(); limited && over.Before(at) {
		at = later(over, r.time.now)
	}
	r.time.now = at
	v := loop.Decide(r.facts(nil, at, asked), r.terms.rules)
	return v
}

func (r *replay) facts(o *loop.Outcome, now time.Time, asked *loop.StopRequest) loop.Facts {
	return loop.Facts{State: r.state, Outcome: o, Now: now, Asked: asked, Noted: r.noted, Hurry: r.hurry}
}

// timeOver is when loop.max_time is reached, if that is limited.
func (r *replay) timeOver() (at time.Time, limited bool) {
	most := r.terms.supposed.Limits().Time
	return r.state.At.Add((most - r.state.Live).Duration()), most > 0
}

// sum adds an event at a supposed time.
func (r *replay) sum(at time.Time, e loop.Event) {
	e.Time = at
	r.state, r.time.now = r.state.Sum(e), at
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

// comparison is the terms that the record's runners went by, and the supposed ones.
type comparison struct {
	was, now []terms         // by runner
	set      map[string]bool // the settings that are supposed
	next     int             // the runner that comes next

	old      terms       // of this runner as recorded, with what people have raised since
	supposed terms       // and as supposed
	rules    []loop.Rule // that are supposed
}

func compare(was, now []terms, flags []config.Flag) comparison {
	c := comparison{was: was, now: now, set: map[string]bool{}}
	for _, f := range flags {
		c.set[f.Key] = true
	}
	return c
}

// begin lets the next runner take over.
func (c *comparison) begin() {
	c.old, c.supposed = c.was[c.next], c.now[c.next]
	c.next++
	c.rules = c.supposed.Rules()
}

// counting is how attempts would have counted.
func (c *comparison) counting(recorded loop.CountPolicy) loop.CountPolicy {
	supposed := c.supposed.Counting()
	recorded.GatesAreFailures, recorded.SkipsAreFree = supposed.GatesAreFailures, supposed.SkipsAreFree
	return recorded
}

// raise changes the limit that a person has changed, unless it is what it is
// supposed to be.
func (c *comparison) raise(p *loop.CommandReceived) {
	limit := policy.Raised(p.Key, p.Value)
	_ = policy.Raise(&c.old.Config, limit) // it was right when it was given
	if !c.set[p.Key] {
		_ = policy.Raise(&c.supposed.Config, limit)
		c.rules = c.supposed.Rules()
	}
}

// useMargin takes what a runner added to the end of a limit.
func (c *comparison) useMargin(margin time.Duration) {
	c.old.Margin, c.supposed.Margin = margin, margin
	c.rules = c.supposed.Rules()
}
