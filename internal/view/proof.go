package view

import (
	"fmt"
	"slices"
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
		return &loop.Proof{Level: loop.LevelClaimed, Why: "nobody claimed anything that a gate could judge"}
	}
	return &loop.Proof{Level: loop.LevelClaimed, Why: "nothing but the agent's word stands behind it"}
}

// ClaimProof is what stands behind the claim of an attempt, nil when there is
// none, or it was refused.
func ClaimProof(o *loop.Outcome) *loop.Proof {
	switch c := o.Claim; {
	case c == nil || c.Kind != loop.ClaimDone || c.Refused():
		return nil
	case o.Person != "" || o.Result == loop.Interrupted || o.Result == loop.Lost:
		return nil // nobody has looked at it: a person has to first, or the attempt was cut short
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

// Grade is how good the news of a run is, for the colour of it.
type Grade string

// The grades.
const (
	Good Grade = "good"
	Fair Grade = "fair" // it ended without being done, or little stands behind it
	Poor Grade = "poor" // something is to be mended
	Live Grade = "live" // it is not over
)

// Grade is how good the news is.
func (r *Run) Grade() Grade {
	switch r.State {
	case loop.Done:
		if r.Level().AtLeast(loop.LevelKept) {
			return Good
		}
		return Fair
	case loop.Exhausted, loop.Stopped, loop.Parked:
		return Fair
	case loop.Aborted, loop.CouldNotRun, loop.Crashed:
		return Poor
	}
	return Live
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

// maxProofNames is how many tests of a kind are named; the journal has all.
const maxProofNames = 5

func changedNames(p *loop.Proof) string {
	if p.Tests == nil {
		return ""
	}
	var names []string
	for _, c := range p.Tests.Changed {
		names = append(names, c.Name)
	}
	return Names(names, maxProofNames)
}

// Grounds are what a proof rests on, and what a higher one lacks, each in one
// line. The tests whose old versions do not pass are ChangedTests.
func Grounds(p *loop.Proof) []string {
	if p == nil {
		return nil
	}
	list := []string{ground(p)}
	add := func(what string, names []string) {
		if len(names) > 0 {
			list = append(list, what+": "+Names(names, maxProofNames))
		}
	}
	if t := p.Tests; t != nil {
		add("Fixed", t.Fixed)
		add("New tests that fail without the work", t.Added)
		if t.Held > 0 {
			list = append(list, text.Plural(t.Held, "known test")+" "+text.OneOrMany(t.Held, "passes in its old version", "pass in their old version"))
		}
		add("Renamed; they pass under their old names", t.Renamed)
	}
	add("Red before the run, and green now", p.Gates)
	add("Flaky, red and green on one tree", p.Flaky)
	add("Changed files that decide what is tested", p.Files)
	return slices.DeleteFunc(list, func(s string) bool { return s == "" })
}

// ground is what the level rests on, or what a higher one lacks; and the tree
// that was judged.
func ground(p *loop.Proof) string {
	said := text.Line(p.Why)
	if !p.Level.AtLeast(loop.LevelTestsChanged) {
		said = strings.TrimSuffix("none: "+said, ": ")
	}
	if tree := Tree(p.Tree); tree != "" {
		said = strings.TrimSpace(said + " (tree " + tree + ")")
	}
	return said
}

// Tree is as much of a tree's name as tells it from others.
func Tree(name string) string { return text.Cut(text.Line(name), 12) }

// ChangedTests are the tests whose old versions do not pass, each with what became
// of it and why, in the agent's words.
func ChangedTests(p *loop.Proof) []string {
	if p == nil || p.Tests == nil {
		return nil
	}
	var list []string
	for i, c := range p.Tests.Changed {
		if i == maxChanged {
			return append(list, fmt.Sprintf("and %s more", text.Count(len(p.Tests.Changed)-i)))
		}
		list = append(list, ChangedTest(c))
	}
	return list
}

// maxChanged is how many changed tests are listed with their reasons.
const maxChanged = 20

// ChangedTest is one of them: "TestAdd is gone: the task says so".
func ChangedTest(c loop.TestChange) string {
	why := "no reason was given"
	if said := text.Line(c.Why); said != "" {
		why = Fit(said, maxReason)
	}
	return text.Line(c.String()) + ": " + why
}

// maxReason is how much of an agent's reason is shown, in cells.
const maxReason = 300

// Diff is the diff of the tests that changed: at most so many lines, clean, and
// how many more there are.
func Diff(p *loop.Proof, most int) (lines []string, more int) {
	if p == nil || strings.TrimSpace(p.Diff) == "" {
		return nil, 0
	}
	lines = strings.Split(strings.TrimRight(text.Clean(p.Diff), "\n"), "\n")
	more = max(len(lines)-most, 0)
	return lines[:len(lines)-more], more
}

// Fixed tells tests that pass as they were from those of which it is only seen
// that they do not fail any more: an agent may have emptied them. Which is which is
// known when a claim was judged.
func Fixed(o *loop.Outcome) (fixed, quiet []string) {
	var newly []string
	if o.Tests != nil {
		newly = o.Tests.NewlyFixed
	}
	switch {
	case o.Proof != nil && o.Proof.Tests != nil:
		fixed = o.Proof.Tests.Fixed
		for _, name := range newly {
			if !slices.Contains(fixed, name) {
				quiet = append(quiet, name)
			}
		}
		return fixed, quiet
	case o.Proof == nil && o.Claim != nil && o.Claim.Proven: // as an earlier version proved it
		return newly, nil
	}
	return nil, newly
}
