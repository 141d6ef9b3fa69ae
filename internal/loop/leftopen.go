package loop

import "time"

// LeftOpen is what the journal has of an attempt that its runner did not finish.
type LeftOpen struct {
	Iter    int
	Attempt int

	Started time.Time    // when it began
	Agent   string       // who made it; empty: it was not started
	Exited  *AgentExited // its end; nil: the journal has none
	Worked  Millis       // how long it was at work, as far as the journal tells

	Base       string                   // the tree before the agent
	After      string                   // the checkpoint after it; empty: none was made
	Glanced    bool                     // that was not made of a look at everything
	Restored   bool                     // the tree was put back after it
	RolledBack bool                     // by a person, when the run was over
	Commit     string                   // that the runner had made of it
	Hooks      map[string]*HookFinished // what hooks said, by their points and whose they are
	Metadata   map[string]string        // what was said of it

	heard map[Type]bool
}

// LeftOpenOf is the attempt in the end of a journal that has no end of its own;
// nil when there is none.
func LeftOpenOf(tail []Event) *LeftOpen {
	var open *LeftOpen
	agent := "" // also of an attempt before: one that was not started goes on with it
	var started Event
	for _, ev := range tail {
		switch p := ev.Payload.(type) {
		case *IterationStarted:
			open = &LeftOpen{Iter: ev.Iter, Attempt: ev.Attempt, Started: ev.Time, Hooks: map[string]*HookFinished{}, heard: map[Type]bool{}}
			started = Event{}
			continue
		case *IterationFinished:
			open = nil
		case *AgentStarted:
			agent, started = p.Agent, ev
		}
		if open != nil {
			open.add(ev)
			if _, resumed := ev.Payload.(*RunResumed); !resumed && started.Payload != nil && ev.Iter == started.Iter {
				open.Worked = Millis(ev.Time.Sub(started.Time))
			}
		}
	}
	if open != nil {
		open.Agent = agent
	}
	return open
}

func (l *LeftOpen) add(ev Event) {
	if ev.Iter == l.Iter {
		l.heard[ev.Type()] = true
	}
	switch p := ev.Payload.(type) {
	case *AgentExited:
		l.Exited = p
	case *CheckpointMade:
		if p.Base { // the end of the journal may be lost
			l.Base = p.Checkpoint
		} else {
			l.After, l.Glanced = p.Checkpoint, p.Glance
		}
	case *IterationPhase:
		if p.Phase == Executing {
			l.Base = p.Base
		}
	case *CheckpointRestored:
		l.Restored, l.RolledBack = true, ev.Iter == 0
	case *CommitMade:
		l.Commit = p.Commit
	case *HookFinished:
		if ev.Iter > 0 && !p.Interrupted {
			l.Hooks[p.Point+p.By] = p
			l.Metadata = Annotated(l.Metadata, p.Metadata)
		}
	}
}

// Heard tells whether the journal has an event of this type of the attempt.
func (l *LeftOpen) Heard(t Type) bool { return l.heard[t] }

// Annotated is what was said of an attempt, and more: who says something again
// means it anew.
func Annotated(said, more map[string]string) map[string]string {
	if len(more) == 0 {
		return said
	}
	all := make(map[string]string, len(said)+len(more))
	for _, one := range []map[string]string{said, more} {
		for name, value := range one {
			all[name] = value
		}
	}
	return all
}
