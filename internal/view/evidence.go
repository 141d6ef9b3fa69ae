package view

import (
	"fmt"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// Gate says what a gate came to: "passed (12 tests, 0.9s)", "failed (3 of 12
// tests)".
func Gate(g loop.Gate) string {
	word := "failed"
	switch {
	case g.OK:
		word = "passed"
	case g.Known:
		word = "still failing"
	}
	if found := Found(g); found != "" {
		word += " (" + found + ")"
	}
	return word
}

// Found is the evidence of a gate: what ran, or why it did not pass.
func Found(g loop.Gate) string {
	took := text.Duration(g.Duration.Duration())
	switch {
	case !g.OK:
		return text.Line(g.Why)
	case g.Tests == 0:
		return took
	}
	return text.Plural(g.Tests, "test") + ", " + took
}

// Where says in which place a gate looks.
func Where(p loop.Place) string {
	switch p {
	case loop.InClean:
		return "in a clean checkout"
	case loop.InWorkspace:
		return "in the work tree"
	}
	return ""
}

// Judged says where claims are judged, and which gates do so in the work tree all
// the same: "in a clean checkout; e2e in the work tree only".
func Judged(p loop.Place, tied []string) string {
	said := Where(p)
	if p == loop.InClean && len(tied) > 0 {
		said += "; " + Names(tied, len(tied)) + " " + onlyWhere(loop.InWorkspace)
	}
	return said
}

// Tied are the gates that judge claims in the work tree although others do so in a
// clean checkout.
func Tied(b *loop.RunBaseline) []string {
	var names []string
	for _, g := range b.Gates {
		if b.Proof == loop.InClean && g.Judged == loop.InWorkspace {
			names = append(names, g.Gate.Name)
		}
	}
	return names
}

// Passed is how many of the tests that ran did: 11/12.
func Passed(t *loop.Tests) string {
	if t == nil || t.Passed+t.Failed == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", t.Passed, t.Passed+t.Failed)
}

// Tests says how a test run went: "11 of 12 tests passed, 2 skipped".
func Tests(t loop.Tests) string {
	said := "no tests ran"
	if ran := t.Passed + t.Failed; ran > 0 {
		said = fmt.Sprintf("%s of %s passed", text.Count(t.Passed), text.Plural(ran, "test"))
	}
	if t.Skipped > 0 {
		said += fmt.Sprintf(", %s skipped", text.Count(t.Skipped))
	}
	return said
}

// Names lists names, and counts those beyond the first few.
func Names(list []string, most int) string {
	shown := make([]string, 0, most)
	for _, name := range list[:min(most, len(list))] {
		shown = append(shown, text.Line(name))
	}
	said := strings.Join(shown, ", ")
	if more := len(list) - len(shown); more > 0 {
		said += fmt.Sprintf(" and %s more", text.Count(more))
	}
	return said
}
