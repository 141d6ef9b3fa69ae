package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// Grounds are what a proof rests on, and what a higher one lacks, each in one
// line. The tests that do not hold as they were are ChangedTests.
func Grounds(p *loop.Proof) []string {
	if p == nil {
		return nil
	}
	list := []string{ground(p)}
	add := func(what string, names []string) {
		if len(names) > 0 {
			list = append(list, what+": "+Names(names, mostProofNames))
		}
	}
	if t := p.Tests; t != nil {
		add("Fixed", t.Fixed)
		add("New tests that fail without the work", t.Added)
		if t.Held > 0 {
			list = append(list, text.Plural(t.Held, "known test")+" "+text.OneOrMany(t.Held, "holds as it was", "hold as they were"))
		}
		add("Under other names now; as they were, they pass", t.Renamed)
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

// ChangedTests are the tests that do not hold as they were, each with what became
// of it and why, in the agent's words.
func ChangedTests(p *loop.Proof) []string {
	if p == nil || p.Tests == nil {
		return nil
	}
	var list []string
	for i, c := range p.Tests.Changed {
		if i == mostChanged {
			return append(list, fmt.Sprintf("and %s more", text.Count(len(p.Tests.Changed)-i)))
		}
		list = append(list, ChangedTest(c))
	}
	return list
}

// mostChanged is how many changed tests are listed with their reasons.
const mostChanged = 20

// ChangedTest is one of them: "TestAdd is gone: the task says so".
func ChangedTest(c loop.TestChange) string {
	why := "no reason was given"
	if said := text.Line(c.Why); said != "" {
		why = Fit(said, mostReason)
	}
	return text.Line(c.String()) + ": " + why
}

// mostReason is how much of an agent's reason is shown, in cells.
const mostReason = 300

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
