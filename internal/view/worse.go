package view

import (
	"fmt"
	"strings"

	"github.com/refrain-loop/refrain/internal/text"
)

// worse is what the last iteration left worse than the run found it, as far as
// its gates and tests tell: it speaks against leaving the run alone. Gates that
// were red before the run and are no worse are what iterations are for. What was
// put back is as it was.
func (r *Run) worse(iteration string) []string {
	if r.Verdict.Restore != nil {
		return nil
	}
	var list []string
	if red, _ := redGates(r.Outcome); len(red) > 0 {
		list = append(list, fmt.Sprintf("gates are red: %s (refrain show %s)", strings.Join(red, "; "), iteration))
	}
	list = append(list, r.fewerTests(iteration)...)
	o := r.Outcome
	if t := o.Tests; t != nil && len(t.NewlyFailing) > 0 && !o.Red() {
		list = append(list, "tests fail that did not: "+Names(t.NewlyFailing, mostProofNames))
	}
	if o.Proof != nil && o.Proof.Tests != nil && len(o.Proof.Tests.Changed) > 0 {
		list = append(list, "tests do not hold as they were: "+changedNames(o.Proof)+" (refrain show "+iteration+")")
	}
	if o.Claim.Refused() && o.Claim.Lacks != "" {
		list = append(list, "its claim was refused: "+Fit(o.Claim.Why, mostReason))
	}
	if len(o.Pinned) > 0 {
		list = append(list, "pinned files were changed: "+Names(o.Pinned, mostProofNames))
	}
	if len(r.Sum.Flaky) > 0 {
		list = append(list, "flaky, red and green on one tree, and so no proof: "+Names(r.Sum.Flaky, mostProofNames))
	}
	return list
}

// fewerTests names the gates that ran fewer tests than they once did. One that is
// red and ran none may just not have come to them.
func (r *Run) fewerTests(iteration string) []string {
	var list []string
	for _, g := range r.Outcome.Gates {
		most := r.Sum.Expected(g.Name)
		if g.Tests >= most || !g.OK && !g.Known && g.Tests == 0 {
			continue
		}
		list = append(list, fmt.Sprintf("gate %s ran %s, and %s before: some are gone or skipped (refrain diff %s)",
			text.Line(g.Name), text.Plural(g.Tests, "test"), text.Count(most), iteration))
	}
	return list
}
