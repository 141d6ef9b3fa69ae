package whatif

import (
	"slices"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// between goes through what happened between two attempts, up to the next turn
// of the record. It tells whether the supposed run ends there.
func (r *replay) between(stretch []loop.Event, next time.Time) bool {
	if !slices.ContainsFunc(stretch, isWait) && r.waitAlone() {
		return true
	}
	for i := 0; i < len(stretch); i++ {
		e := stretch[i]
		if !isWait(e) {
			if r.take(e, r.time.at(e.Time)) {
				return true
			}
			continue
		}
		ended, during := waitIn(stretch[i:], next)
		if r.wait(e, ended, during) {
			return true
		}
		i += len(during)
		if !slices.ContainsFunc(stretch[i+1:], isWait) && r.waitAlone() {
			return true
		}
	}
	return false
}

func isWait(e loop.Event) bool {
	_, ok := e.Payload.(*loop.RunWaiting)
	return ok
}

// waitIn is when the wait that a stretch begins with ended, and what happened
// during it.
func waitIn(stretch []loop.Event, next time.Time) (ended time.Time, during []loop.Event) {
	ended = earlier(stretch[0].Payload.(*loop.RunWaiting).Until, next)
	rest := stretch[1:]
	n := slices.IndexFunc(rest, func(e loop.Event) bool {
		switch e.Payload.(type) {
		case *loop.RunWaiting, *loop.RunPaused:
			return true
		}
		return e.Time.After(ended)
	})
	if n < 0 {
		return ended, rest
	}
	return earlier(ended, rest[n].Time), rest[:n]
}

// wait puts the supposed wait, which may be none, in the place of a recorded
// one.
func (r *replay) wait(e loop.Event, ended time.Time, during []loop.Event) bool {
	recorded := e.Payload.(*loop.RunWaiting)
	start := r.time.at(e.Time)
	if r.hearNoted(recorded, start) {
		return true
	}
	until := start
	if v := r.verdict; !v.Until.IsZero() {
		until = r.wakeTime(v, recorded, e.Time)
		if r.beginWait(start, until) {
			return true
		}
		if until = later(start, until); r.stopping != nil {
			until = start
		}
	}
	for _, c := range during {
		at := earlier(until, later(start, c.Time.Add(r.time.shift)))
		if r.take(c, at) {
			return true
		}
		if r.stopping != nil || r.cutShort(c) {
			until, ended = at, c.Time
		}
	}
	if r.decide(r.ask(until)) {
		return true
	}
	r.time.shift = until.Sub(ended)
	r.time.drift += until.Sub(start) - ended.Sub(e.Time)
	return false
}

// waitAlone waits where the record does not, as often as the rules say so.
func (r *replay) waitAlone() bool {
	for !r.verdict.Until.IsZero() {
		start, until := r.time.now, r.verdict.Until
		if r.stopping != nil {
			until = start
		}
		if r.beginWait(start, until) {
			return true
		}
		until = later(start, until)
		r.time.shift += until.Sub(start)
		r.time.drift += until.Sub(start)
		if r.decide(r.ask(until)) {
			return true
		}
		if r.stopping != nil {
			r.verdict = loop.Verdict{} // it ends before it waits again
		}
	}
	return false
}

// beginWait begins to wait, unless a rule says stop at once.
func (r *replay) beginWait(start, until time.Time) bool {
	v := r.verdict
	r.sum(start, loop.Event{Payload: v.Waiting(start, until)})
	if first := r.ask(start); first.Action == loop.Stop {
		return r.decide(first)
	}
	return false
}

// take adds what happened between two attempts, if the run has the time to come
// to it.
func (r *replay) take(e loop.Event, at time.Time) bool {
	if over, limited := r.timeOver(); limited && over.Before(at) && r.decide(r.ask(at)) {
		return true
	}
	if p, ok := e.Payload.(*loop.CommandReceived); ok {
		e.Payload = r.heed(p)
	}
	r.sum(at, e)
	return false
}

// wakeTime is when a wait ends. A limit that ends at a stated time does so
// whoever waits for it, and the record knows when the run woke.
func (r *replay) wakeTime(v loop.Verdict, recorded *loop.RunWaiting, began time.Time) time.Time {
	away, ok := r.state.HoldOf(v.Agent)
	if !ok || v.Agent != recorded.Agent || away.Limit == nil || !v.Until.Equal(away.Limit.Until.Add(r.terms.supposed.Margin)) || !began.Before(away.Limit.Until) {
		return v.Until
	}
	if margin := recorded.Until.Sub(away.Limit.Until); margin >= 0 && margin < r.terms.supposed.Margin {
		r.terms.useMargin(margin)
	}
	return recorded.Until
}

// hearNoted takes in a limit that another run had met, which is seen by the wait
// alone.
func (r *replay) hearNoted(w *loop.RunWaiting, at time.Time) bool {
	if w.NotedBy == "" {
		return false
	}
	r.noted = append(r.noted, loop.ProviderHold{
		Agent: w.Agent, Kind: loop.ErrUsageLimit, Since: at, At: at, Tries: 1, By: w.NotedBy,
		Limit: &loop.Limit{Kind: w.Limit, Until: w.Until.Add(-r.terms.supposed.Margin)},
	})
	if !r.verdict.Until.IsZero() {
		return false
	}
	return r.decide(r.ask(at))
}

// wish is what a person wanted when the record says that they had the run
// stopped.
func (r *replay) wish(recorded loop.Verdict) {
	if recorded.State != loop.Stopped || r.stopping != nil {
		return
	}
	r.stopping = &loop.StopRequest{Now: recorded.Now, Signal: recorded.Signal}
}

// heed does what a person asked of the live run.
func (r *replay) heed(p *loop.CommandReceived) *loop.CommandReceived {
	switch {
	case p.Refused:
	case p.Command == "stop", p.Command == "stop_now":
		r.stopping = &loop.StopRequest{Now: p.Now, Signal: p.Signal}
	case p.Limits != nil:
		r.terms.raise(p)
		raised, limits := *p, r.terms.supposed.Limits()
		raised.Limits = &limits
		return &raised
	}
	return p
}

// cutShort tells whether a person wanted a wait to end.
func (r *replay) cutShort(e loop.Event) bool {
	p, ok := e.Payload.(*loop.CommandReceived)
	if !ok || p.Refused || p.Command != "resume" {
		return false
	}
	r.hurry = true
	return true
}
