package view

import (
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// Proof is what stands behind a run that is done, nil while it is not.
func (r *Run) Proof() *loop.Proof {
	if r.Finished == nil {
		return nil
	}
	return ProofOf(r.Finished, r.Sum.Proof)
}

// Level is how much stands behind a run that is done, empty while it is not.
func (r *Run) Level() loop.Level { return Level(r.Proof()) }

// Proven tells whether the run is done, and the evidence tells the work from
// what was there before.
func (r *Run) Proven() bool { return r.Level() == loop.LevelProven }

// ProofOf is what stands behind an end, nil when it is none of done. Journals of
// earlier versions say only whether it was proven; where is in the sum of such a
// run.
func ProofOf(f *loop.RunFinished, place loop.Place) *loop.Proof {
	switch {
	case f.State != loop.Done:
		return nil
	case f.Proof != nil:
		return f.Proof
	case f.Proven:
		return &loop.Proof{Level: loop.LevelProven, Why: "every gate passed", Place: place}
	case f.Reason == loop.ByIterations, f.Reason == loop.ByExitZero:
		return &loop.Proof{Level: loop.LevelClaimed, Why: "nobody claimed anything, and no gate judged the work"}
	}
	return &loop.Proof{Level: loop.LevelClaimed, Why: "nothing but the agent's word stands behind it"}
}

// ClaimProof is what stands behind the claim of an attempt, nil when there is
// none, or it was refused.
func ClaimProof(o *loop.Outcome) *loop.Proof {
	switch c := o.Claim; {
	case c == nil || c.Kind != loop.ClaimDone || c.Refused():
		return nil
	case o.Proof != nil:
		return o.Proof
	case c.Proven:
		return &loop.Proof{Level: loop.LevelProven}
	}
	return &loop.Proof{Level: loop.LevelClaimed}
}

// Level is how much a proof is, empty when there is none.
func Level(p *loop.Proof) loop.Level {
	if p == nil {
		return ""
	}
	return p.Level
}

// LevelWords says in everyday words how much stands behind a claim. A level that
// this version does not know proves nothing to it.
func LevelWords(l loop.Level) string {
	switch l {
	case loop.LevelProven:
		return "proven"
	case loop.LevelKept:
		return "nothing broke"
	case loop.LevelTestsChanged:
		return "tests changed"
	}
	return "unproven"
}

// Standing says in a few words how sure it is that a run is done, and why no
// more than that: "proven", "proven in the work tree only", "tests changed:
// TestAdd".
func Standing(p *loop.Proof, reason loop.Reason) string {
	said := LevelWords(Level(p))
	switch Level(p) {
	case loop.LevelProven:
		if p.Place == loop.InWorkspace {
			return said + " " + onlyWhere(p.Place)
		}
		return said
	case loop.LevelTestsChanged:
		if names := changedNames(p); names != "" {
			return said + ": " + names
		}
	case loop.LevelKept:
	default:
		if reason != loop.ByExitZero && reason != loop.ByIterations { // else nobody claimed anything
			said = "claimed, " + said
		}
		if p == nil || p.Place == "" { // no gate judged it: there is nothing to explain
			return said
		}
	}
	if why := text.Line(p.Why); why != "" {
		return said + ": " + why
	}
	return said
}

// Headline says in one line what a run is that is over: "done, proven in a clean
// checkout by test, lint (12 tests)".
func (r *Run) Headline() string {
	said, p := People(r.State, r.Level()), r.Proof()
	switch r.Level() {
	case loop.LevelProven:
		if by := provers(r.Gates); by != "" {
			return said + " " + strings.TrimSpace(onlyWhere(p.Place)+" by "+by)
		}
	case loop.LevelTestsChanged:
		if names := changedNames(p); names != "" {
			return said + ": " + names
		}
	}
	return said
}

// onlyWhere says where a claim was judged; the work tree proves less than a clean
// checkout.
func onlyWhere(p loop.Place) string {
	if p == loop.InWorkspace {
		return Where(p) + " only"
	}
	return Where(p)
}

// provers names the gates that passed, and how many tests they ran.
func provers(list []loop.Gate) string {
	var names []string
	tests := 0
	for _, g := range list {
		if g.OK {
			names = append(names, text.Line(g.Name))
			tests += g.Tests
		}
	}
	said := strings.Join(names, ", ")
	if tests > 0 {
		said += " (" + text.Plural(tests, "test") + ")"
	}
	return said
}

// mostProofNames is how many tests of a kind are named; the journal has all.
const mostProofNames = 5

func changedNames(p *loop.Proof) string {
	if p.Tests == nil {
		return ""
	}
	var names []string
	for _, c := range p.Tests.Changed {
		names = append(names, c.Name)
	}
	return Names(names, mostProofNames)
}
