package engine

import (
	"fmt"
	"slices"
	"time"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/loop"
)

// Worker is an agent that may be called.
type Worker struct {
	Name   string
	Agent  agent.Agent
	Model  string // empty: the agent's own choice
	Remedy string // what to do when its program is not there
	InText bool   // it prints its tools' output as its own text
}

// Shared is where the runs of a machine tell each other of limits, so that what
// one has met the others need not meet.
type Shared interface {
	// Noted is what others have found out about the agents of this run.
	Noted(now time.Time) ([]loop.Away, error)
	// Note tells the others that an agent was turned away.
	Note(loop.Away) error
	// Passed tells them that an attempt that began then got through.
	Passed(agent string, began time.Time) error
	// Wake is a time from at on, at which no other run wakes for this agent.
	Wake(agent string, at, now time.Time) (time.Time, error)
}

// choose takes the first agent that nothing keeps from working. Where all are
// kept, and a person wants no waiting, it is the first of all.
func (e *Engine) choose() {
	name := e.holds().Agent(e.facts(nil))
	e.worker = e.Workers[0]
	for _, w := range e.Workers {
		if w.Name == name {
			e.worker = w
		}
	}
}

// workerOf is the one that made an attempt; of an agent that is no longer among
// them, the first.
func (e *Engine) workerOf(name string) Worker {
	i := slices.IndexFunc(e.Workers, func(w Worker) bool { return w.Name == name })
	return e.Workers[max(i, 0)]
}

// Used is what a session that goes on has used so far.
func (e *Engine) Used(session string) loop.Usage {
	s := e.snapshot()
	if s.Session == nil || s.Session.ID != session {
		return loop.Usage{}
	}
	return s.Session.Used
}

// noted asks what other runs know.
func (e *Engine) noted() []loop.Away {
	if e.Shared == nil {
		return nil
	}
	list, err := e.Shared.Noted(e.now())
	e.sharingFailed(err)
	return list
}

// share tells other runs what came of an attempt.
func (e *Engine) share(a *attempt, o *loop.Outcome) {
	if e.Shared == nil || o.Exit == nil {
		return
	}
	switch {
	case o.Result == loop.Limited && o.Limit != nil && !o.Limit.Until.IsZero(): // else it may be over in a second
		e.sharingFailed(e.Shared.Note(loop.Away{Agent: o.Agent, Kind: loop.ErrUsageLimit, Limit: o.Limit, At: o.EndedAt}))
	case o.Result == loop.OK:
		e.sharingFailed(e.Shared.Passed(o.Agent, a.started))
	}
}

// wakeTime is when to go on after a limit: not at the second at which all the
// others do.
func (e *Engine) wakeTime(v loop.Verdict) time.Time {
	if e.Shared == nil || v.Rule != loop.RuleLimit {
		return v.Until
	}
	at, err := e.Shared.Wake(v.Agent, v.Until, e.now())
	e.sharingFailed(err)
	if err != nil {
		return v.Until
	}
	return at
}

func (e *Engine) sharingFailed(err error) {
	if err != nil {
		e.warn("shared", loop.Warning{
			Text: fmt.Sprintf("cannot share limits with other runs: %v", err),
			Hint: "this run finds out for itself",
		})
	}
}
