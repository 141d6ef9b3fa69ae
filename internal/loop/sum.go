package loop

import (
	"fmt"
	"slices"

	"github.com/refrain-loop/refrain/internal/text"
)

// Sum adds one event to the state. The state of a run is the sum of its
// journal; iteration.finished carries it along, so that a reader may begin at
// the last one and gets the same.
func (s State) Sum(e Event) State {
	s = s.tick(e)
	switch p := e.Payload.(type) {
	case *RunStarted:
		s.Counting, s.Limits = p.Counting, p.Limits
	case *RunResumed:
		s = s.goOn(p)
	case *RunWaiting:
		if s.Idle = p.Agent != ""; s.Idle {
			s.Totals.Waits++
		}
	case *RunAsked:
		s.Idle = false
	case *RunPaused:
		s.Paused, s.Idle = true, false
	case *RunUnpaused:
		s.Paused = false
	case *RunRebootFinished:
		s.Session = nil
		s.Totals.Reboots++
	case *CommandReceived:
		if p.Limits != nil {
			s = s.limit(*p.Limits)
		}
	case *NoteAdded:
		s.Given = max(0, s.Given-max(0, len(s.Notes)+1-MaxNotes)) // the oldest makes room
		s.Notes = lastN(append(slices.Clip(s.Notes), text.Cut(p.Text, MaxNote)), MaxNotes)
	case *Warning:
		if p.Key != "" && !slices.Contains(s.Told, p.Key) {
			s.Told = lastN(append(slices.Clip(s.Told), p.Key), maxTold)
		}
	case *RunBaseline:
		s = s.begin(p)
	case *IterationStarted:
		s.Heard, s.Idle, s.Given = nil, false, len(s.Notes)
	case *ClaimRefused:
		s = s.hear(p.feedback()).refuse(e.Iter, p)
	case *GateFinished:
		if p.With == "" {
			s = s.look(p.Gate)
		}
	case *TestExplained:
		s = s.explain(p)
	case *CheckpointMade:
		if s.First == "" {
			s.First = p.Checkpoint
		}
		s.Here = p.Checkpoint
	case *CheckpointRestored:
		s.Here = p.Checkpoint
		if s.High != nil && e.Iter > 0 { // and what people added to it
			high := *s.High
			high.Checkpoint = p.Checkpoint
			s.High = &high
		}
		if e.Iter == 0 { // between two attempts
			s.Net = nil // not known until the next
			s.Feedback = lastN(append(without(s.Feedback, "rolled_back"), p.feedback(true)), maxFeedback)
		} else {
			s = s.hear(p.feedback(false))
		}
	case *IterationFinished:
		s = s.Add(p.Outcome)
	}
	return s
}

// goOn is the state when another runner takes over. Where a person has looked at
// what went wrong, it is a new start.
func (s State) goOn(p *RunResumed) State {
	s.Counting, s.Idle, s.Paused = p.Counting, false, false
	s.Heard = nil // an attempt that is judged again says it again
	s = s.limit(p.Limits)
	for _, c := range p.Changed {
		if begins(c.Key, "gate.") || begins(c.Key, "proof.") || c.Key == "done.proof" {
			s.Looks, s.Flaky = nil, nil // it is another gate, or another place, that answers now
		}
	}
	if p.From == Aborted || p.From == CouldNotRun {
		s.Streaks, s.Repeats, s.Away, s.Unrewarded, s.Lacking = Streaks{}, Repeats{}, nil, 0, Lacking{}
	}
	if !s.Counting.Keep {
		s.Session = nil
	}
	return s
}

// limit changes the limits; that an old one was nearly reached is no longer said.
func (s State) limit(l Limits) State {
	if l == s.Limits {
		return s
	}
	s.Limits = l
	s.Told = slices.DeleteFunc(slices.Clone(s.Told), func(key string) bool { return begins(key, BudgetKey) })
	return s
}

func begins(text, with string) bool { return len(text) >= len(with) && text[:len(with)] == with }

// tick adds to the live time. The time between an end and a resume is not live,
// and neither is that before a rollback by a person in between.
func (s State) tick(e Event) State {
	if !wakes(e) && !s.At.IsZero() && e.Time.After(s.At) {
		passed := Span(e.Time.Sub(s.At))
		s.Live += passed
		if s.Idle {
			s.Totals.Waited += passed
		}
	}
	s.At = e.Time
	return s
}

// wakes tells whether no runner was there before an event.
func wakes(e Event) bool {
	switch e.Payload.(type) {
	case *RunResumed:
		return true
	case *CheckpointRestored:
		return e.Iter == 0
	}
	return false
}

func (p *ClaimRefused) feedback() Feedback {
	if p.NearMiss {
		return Feedback{Kind: "near_miss", Text: brief(p.Why)}
	}
	return Feedback{Kind: "claim_refused", Text: brief(fmt.Sprintf("the claim %q was refused: %s", p.Text, p.Why))}
}

// feedback says it to the next agent; between two attempts it was a person.
func (p *CheckpointRestored) feedback(byPerson bool) Feedback {
	to := "as they were at an earlier moment"
	switch {
	case p.Iteration != nil && *p.Iteration == 0:
		to = "as they were before the first iteration"
	case p.Iteration != nil:
		to = fmt.Sprintf("as iteration %d left them", *p.Iteration)
	}
	if byPerson {
		return Feedback{Kind: "rolled_back", Text: brief(fmt.Sprintf("a person has put the files back: they are %s; look at them anew", to))}
	}
	return Feedback{Kind: "rollback", Text: brief(fmt.Sprintf("the last iteration's changes were undone (%s); the files are %s; go another way", p.Why, to))}
}

// hear keeps what the next prompt should say of the attempt under way.
func (s State) hear(f Feedback) State {
	s.Heard = lastN(append(s.Heard, f), maxFeedback)
	return s
}

// without leaves out what was said before and no longer holds.
func without(list []Feedback, kind string) []Feedback {
	return slices.DeleteFunc(slices.Clone(list), func(f Feedback) bool { return f.Kind == kind })
}
