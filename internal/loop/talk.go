package loop

import (
	"fmt"
	"slices"
)

// Talk is what the next agent is to hear, and what people have heard already.
type Talk struct {
	WarnedKeys []string `json:"told,omitempty"` // warnings that are not to be said again, by their keys

	Feedback        []Feedback `json:"feedback,omitempty"`  // what the next prompt should say
	PendingFeedback []Feedback `json:"heard,omitempty"`     // gathered in the attempt under way
	Summaries       []Summary  `json:"summaries,omitempty"` // of the last iterations, oldest first
	SaidIn          []int      `json:"said_in,omitempty"`   // the same without the words, see Carried
	Notes           []string   `json:"notes,omitempty"`     // what people want the next agent to know
	NotesDelivered  int        `json:"given,omitempty"`     // of these, how many the agent at work has been told
}

// Feedback is one thing that the next agent should know.
type Feedback struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
}

// Summary is what an iteration said of itself.
type Summary struct {
	Iteration int    `json:"iteration"`
	Text      string `json:"text"`
}

// How much of each is kept.
const (
	maxFeedback  = 8
	maxSummaries = 10
	maxTold      = 20
)

// MaxNotes is how many notes of people's may wait for the next agent, and MaxNote
// how long one may be, in bytes.
const (
	MaxNotes = 10
	MaxNote  = 4000
)

// begin is when an attempt starts: its agent is told all the notes there are.
func (t Talk) begin() Talk {
	t.PendingFeedback, t.NotesDelivered = nil, len(t.Notes)
	return t
}

// hear keeps what the next prompt should say of the attempt under way.
func (t Talk) hear(f Feedback) Talk {
	t.PendingFeedback = lastN(append(slices.Clip(t.PendingFeedback), f), maxFeedback)
	return t
}

// add is when the attempt has ended. Where it did not count, the next agent has
// not heard what was already waiting to be said. Notes are done with when an
// agent has worked with them; others may have come meanwhile.
func (t Talk) add(o Outcome, counts bool) Talk {
	next := slices.Concat(t.PendingFeedback, o.feedback())
	if !counts {
		next = slices.Concat(t.Feedback, next)
	}
	t.Feedback, t.PendingFeedback = lastN(next, maxFeedback), nil
	if counts {
		if o.Result == OK || o.MadeProgress() {
			t.Notes = t.Notes[min(t.NotesDelivered, len(t.Notes)):]
		}
		t.NotesDelivered = 0
	}
	return t
}

// sumUp keeps what an iteration said of itself.
func (t Talk) sumUp(iteration int, said string) Talk {
	if said != "" {
		t.Summaries = lastN(append(slices.Clip(t.Summaries), Summary{Iteration: iteration, Text: brief(said)}), maxSummaries)
	}
	return t
}

// note adds what a person wants to be known. The oldest makes room.
func (t Talk) note(said string) Talk {
	t.NotesDelivered = max(0, t.NotesDelivered-max(0, len(t.Notes)+1-MaxNotes))
	t.Notes = lastN(append(slices.Clip(t.Notes), cut(said, MaxNote)), MaxNotes)
	return t
}

// warn remembers a warning that is said once only.
func (t Talk) warn(key string) Talk {
	if key != "" && !slices.Contains(t.WarnedKeys, key) {
		t.WarnedKeys = lastN(append(slices.Clip(t.WarnedKeys), key), maxTold)
	}
	return t
}

// forgetBudgets is when limits change: that an old one was nearly reached is said
// no longer, and may be said of the new one.
func (t Talk) forgetBudgets() Talk {
	t.WarnedKeys = slices.DeleteFunc(slices.Clone(t.WarnedKeys), func(key string) bool { return begins(key, BudgetKey) })
	return t
}

// putBack is when a person has put files back between two attempts. What was said
// of an earlier time no longer holds.
func (t Talk) putBack(p *CheckpointRestored) Talk {
	before := slices.DeleteFunc(slices.Clone(t.Feedback), func(f Feedback) bool { return f.Kind == "rolled_back" })
	t.Feedback = lastN(append(before, p.feedback(true)), maxFeedback)
	return t
}

// feedback is what the outcome alone has to tell the next agent.
func (o *Outcome) feedback() []Feedback {
	var list []Feedback
	if o.Pending {
		list = append(list, Feedback{Kind: "pending", Text: "the last agent ended while its own background work had not: it is gone now; look at what it left, and wait for such work before you end"})
	}
	if len(o.Denied) > 0 {
		list = append(list, Feedback{Kind: "denied", Text: brief(fmt.Sprintf("the last agent was not allowed to use %v: do not count on it", o.Denied))})
	}
	return list
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
		return Feedback{Kind: "rolled_back", Text: brief(fmt.Sprintf("a person has put the files back: they are %s; look at them again", to))}
	}
	return Feedback{Kind: "rollback", Text: brief(fmt.Sprintf("the last iteration's changes were undone (%s); the files are %s; go another way", p.Why, to))}
}
