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
		r.old = asRaised(r.old, p)
		if !r.set[p.Key] { // else it is what it is supposed to be
			r.job = asRaised(r.job, p)
			r.rules = r.job.rules()
		}
		raised, limits := *p, r.job.limits()
		raised.Limits = &limits
		return &raised
	}
	return p
}

// asRaised is a job with the limit changed that a person has changed.
func asRaised(j *Job, p *loop.CommandReceived) *Job {
	next, err := j.raised(p.Key, p.Value)
	if err != nil {
		return j // it was right when it was given
	}
	return next
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
	if r.old.holds().Agent(r.facts(nil, r.at(e.Time), nil)) == "" {
		r.hurry, r.verdict = true, loop.Verdict{}
	}
}
