package engine

import (
	"context"
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
	Noted(now time.Time) ([]loop.ProviderHold, error)
	// Note tells the others that an agent was turned away.
	Note(loop.ProviderHold) error
	// Passed tells them that an attempt that began then got through.
	Passed(agent string, began time.Time) error
	// Wake is a time from at on, at which no other run wakes for this agent.
	Wake(agent string, at, now time.Time) (time.Time, error)
}

// Worker is the first agent that nothing keeps from working. Where all are kept,
// and a person wants no waiting, it is the first of all.
func (k *Kit) Worker() Worker { return k.workerOf(k.Terms().Holds.Agent(k.Facts(nil))) }

// workerOf is the one that made an attempt; of an agent that is no longer among
// them, the first.
func (k *Kit) workerOf(name string) Worker {
	i := slices.IndexFunc(k.workers, func(w Worker) bool { return w.Name == name })
	return k.workers[max(i, 0)]
}

// Used is what a session that goes on has used so far.
func (k *Kit) Used(session string) loop.Usage {
	s := k.State()
	if s.Session == nil || s.Session.ID != session {
		return loop.Usage{}
	}
	return s.Session.Used
}

// noted asks what other runs know.
func (k *Kit) noted() []loop.ProviderHold {
	if k.Shared == nil {
		return nil
	}
	list, err := k.Shared.Noted(k.Now())
	k.sharingFailed(err)
	return list
}

// ShareOutcome tells other runs what came of an attempt.
func (k *Kit) ShareOutcome(_ context.Context, a *Attempt, o *loop.Outcome, _ loop.Verdict) {
	if k.Shared == nil || o.Exit == nil {
		return
	}
	switch {
	case o.Result == loop.Limited && o.Limit != nil && !o.Limit.Until.IsZero(): // else it may be over in a second
		k.sharingFailed(k.Shared.Note(loop.ProviderHold{Agent: o.Agent, Kind: loop.ErrUsageLimit, Limit: o.Limit, At: o.EndedAt}))
	case o.Result == loop.OK:
		k.sharingFailed(k.Shared.Passed(o.Agent, a.Started))
	}
}

// wakeTime is when to go on after a limit: not at the second at which all the
// others do.
func (k *Kit) wakeTime(v loop.Verdict) time.Time {
	if k.Shared == nil || v.Rule != loop.RuleLimit {
		return v.Until
	}
	at, err := k.Shared.Wake(v.Agent, v.Until, k.Now())
	k.sharingFailed(err)
	if err != nil {
		return v.Until
	}
	return at
}

func (k *Kit) sharingFailed(err error) {
	if err != nil {
		k.Warn("shared", loop.Warning{
			Text: fmt.Sprintf("cannot share limits with other runs: %v", err),
			Hint: "this run finds out for itself",
		})
	}
}
