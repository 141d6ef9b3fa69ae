package app

import (
	"slices"

	"github.com/refrain-loop/refrain/internal/loop"
)

// wish is what a person wanted when the record says that they had the run
// stopped.
func (r *replay) wish(recorded loop.Verdict) {
	if recorded.State != loop.Stopped || r.stopping != nil {
		return
	}
	r.stopping = &loop.Asked{Now: recorded.Now, Signal: recorded.Signal}
}

// heed does what a person asked of the live run.
func (r *replay) heed(p *loop.CommandReceived) *loop.CommandReceived {
	switch {
	case p.Refused:
	case p.Command == "stop", p.Command == "stop_now":
		r.stopping = &loop.Asked{Now: p.Now, Signal: p.Signal}
	case p.Limits != nil:
		r.old = r.old.raised(p)
		if !r.set[p.Key] { // else it is what it is supposed to be
			r.supposed = r.supposed.raised(p)
			r.rules = r.supposed.Rules()
		}
		raised, limits := *p, r.supposed.Limits()
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

// hurryAsRecorded finds a resume that was to go on at once: the record begins
// an attempt though an agent was still held up.
func (r *replay) hurryAsRecorded(stretch []loop.Event, e loop.Event) {
	if !r.resumed || r.verdict.Agent == "" || slices.ContainsFunc(stretch, isWait) {
		return
	}
	if r.old.Holds().Agent(r.facts(nil, r.at(e.Time), nil)) == "" {
		r.hurry, r.verdict = true, loop.Verdict{}
	}
}
