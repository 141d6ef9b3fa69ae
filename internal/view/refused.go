package view

import (
	"fmt"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// Refused lists the claims of done that were not taken, each with its iteration
// and why, the latest at the end; those that are too long ago are counted.
func (r *Run) Refused() []string {
	kept := r.Sum.Refusals
	var list []string
	for _, refusal := range kept {
		list = append(list, r.refusal(refusal))
	}
	if earlier := r.Sum.Totals.Refused - len(kept); earlier > 0 {
		list = append(list, fmt.Sprintf("and %s earlier", text.Count(earlier)))
	}
	return list
}

// refusal is one of them in words. It is known to have been sent back when a
// later iteration has begun.
func (r *Run) refusal(refusal loop.Refusal) string {
	when := fmt.Sprintf("iteration %d", refusal.Iteration)
	if refusal.Iteration == 0 {
		when = "at the start"
	}
	said := fmt.Sprintf("%s: claimed done, but %s", when, text.Line(refusal.Why))
	if r.Iteration > refusal.Iteration {
		said += "; sent back"
	}
	return said
}

// NearMisses lists what resembled a claim without being one: in the attempt
// under way, else in what the next agent will be told.
func (r *Run) NearMisses() []string {
	feedback := r.Sum.Feedback
	if r.Open {
		feedback = r.Sum.Heard
	}
	var list []string
	for _, f := range feedback {
		if f.Kind == "near_miss" {
			list = append(list, f.Text)
		}
	}
	return list
}
