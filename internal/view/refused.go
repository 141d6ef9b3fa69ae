package view

import (
	"fmt"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// Refused lists the claims of done that were not taken, each with its iteration
// and why, the latest at the end; those that are too long ago are counted.
func (r *Run) Refused() []string {
	kept := r.Sum.Refusals
	var list []string
	for _, refusal := range kept {
		list = append(list, refusalWords(refusal, r.Iteration))
	}
	if earlier := r.Sum.Totals.Refused - len(kept); earlier > 0 {
		list = append(list, fmt.Sprintf("and %s earlier", text.Count(earlier)))
	}
	return list
}

// refusalWords is one of them, as it stands in iteration now. It is known to have been sent back when a
// later iteration has begun.
func refusalWords(refusal loop.Refusal, now int) string {
	when := fmt.Sprintf("iteration %d", refusal.Iteration)
	if refusal.Iteration == 0 {
		when = "at the start"
	}
	said := fmt.Sprintf("%s: claimed done, but %s", when, text.Line(refusal.Why))
	if now > refusal.Iteration {
		said += "; sent back"
	}
	return said
}

// NearMisses lists what resembled a claim without being one: in the attempt
// under way, else in what the next agent will be told.
func (r *Run) NearMisses() []string {
	feedback := r.Sum.Feedback
	if r.Open {
		feedback = r.Sum.PendingFeedback
	}
	var list []string
	for _, f := range feedback {
		if f.Kind == "near_miss" {
			list = append(list, f.Text)
		}
	}
	return list
}

// Sandbox is the phrase for what the run is confined by; empty where that is not known.
func (r *Run) Sandbox() string { return Sandbox(r.Sum.Sandbox) }

// PutBack says what of the repository was changed during the run and put back, or
// that the repository was lost; empty for neither.
func (r *Run) PutBack() string {
	var said []string
	for _, key := range r.Sum.WarnedKeys {
		if what, ok := strings.CutPrefix(key, loop.PutBackKey); ok {
			said = append(said, what)
		}
		if key == loop.LostGitKey {
			said = append(said, "nothing of .git, which is gone or another one")
		}
	}
	return strings.Join(said, "; ")
}

// UnusedGit says what of the user's git was changed during the run, and is not used
// for that; empty for nothing.
func (r *Run) UnusedGit() string {
	var said []string
	for _, key := range r.Sum.WarnedKeys {
		if what, ok := strings.CutPrefix(key, loop.UnusedGitKey); ok {
			said = append(said, what)
		}
	}
	return strings.Join(said, ", ")
}
