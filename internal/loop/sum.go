package loop

import (
	"fmt"
	"slices"
	"time"
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
		s.Counting, s.Limits = p.Counting, p.Limits
		if p.From == Aborted || p.From == CouldNotRun {
			s.Streaks = Streaks{} // a person looked at it: a new start
			s.HeldUp, s.HeldSince = 0, time.Time{}
		}
	case *RunBaseline:
		s = s.begin(p)
	case *IterationStarted:
		s.Heard = nil
	case *ClaimRefused:
		s = s.hear(p.feedback())
	case *CheckpointMade:
		if s.First == "" {
			s.First = p.Checkpoint
		}
	case *CheckpointRestored:
		if e.Iter == 0 { // a person did it, between two attempts
			s.Feedback = lastN(append(slices.Clip(s.Feedback), p.feedback()), maxFeedback)
		} else {
			s = s.hear(p.feedback())
		}
	case *IterationFinished:
		s = s.Add(p.Outcome)
	}
	return s
}

// tick adds to the live time. The time between an end and a resume is not live.
func (s State) tick(e Event) State {
	if _, resumed := e.Payload.(*RunResumed); !resumed && !s.At.IsZero() && e.Time.After(s.At) {
		s.Live += Span(e.Time.Sub(s.At))
	}
	s.At = e.Time
	return s
}

func (p *ClaimRefused) feedback() Feedback {
	if p.NearMiss {
		return Feedback{Kind: "near_miss", Text: cut(p.Why)}
	}
	return Feedback{Kind: "claim_refused", Text: cut(fmt.Sprintf("the claim %q was refused: %s", p.Text, p.Why))}
}

func (p *CheckpointRestored) feedback() Feedback {
	to := "as before the first iteration"
	if p.Iteration > 0 {
		to = fmt.Sprintf("as iteration %d left them", p.Iteration)
	}
	return Feedback{Kind: "rollback", Text: cut(fmt.Sprintf("the last iteration's changes were undone (%s); the files are %s; go another way", p.Why, to))}
}

// hear keeps what the next prompt should say of the attempt under way.
func (s State) hear(f Feedback) State {
	s.Heard = lastN(append(s.Heard, f), maxFeedback)
	return s
}
