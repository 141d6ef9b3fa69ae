package app

import "github.com/refrain-loop/refrain/internal/loop"

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
		r.clock = r.at(e.Time)
	case !r.between(stretch, e.Time):
		r.wish(recorded)
		v := r.askAs(r.stopping, r.at(e.Time))
		if v.Action != loop.Stop && r.given(recorded) {
			v = recorded
		}
		r.meet(recorded, v)
	}
	if r.end != nil {
		return
	}
	r.sum(r.clock, e)
	r.live = r.state.Live
}

// given tells whether an end before an attempt is none that rules find: the
// runner could not go on, a hook ended it, or the plan was finished already.
func (r *replay) given(v loop.Verdict) bool {
	switch v.Rule {
	case "error", string(loop.ByHook):
		return true
	}
	return v.State == loop.Done && v.Reason != loop.ByIterations && r.supposed.Config.Done.Confirmations <= 1
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
	sooner := v.Reason == loop.ByTime && r.supposed.Limits().Time < r.old.Limits().Time
	if r.met = r.ahead != nil && alike(*r.ahead, v) && !sooner; !r.met {
		r.stop(v, false)
	}
	return true
}

func (r *replay) stop(v loop.Verdict, within bool) {
	r.sum(r.clock, loop.Event{Payload: &loop.RunRule{Verdict: v}})
	r.end, r.live = &supposedEnd{Verdict: v, within: within}, r.state.Live
}
