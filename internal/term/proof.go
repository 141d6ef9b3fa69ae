package term

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// proofRows say what stands behind a run that is done, or where claims are
// judged in one that is not.
func proofRows(run *view.Run) []row {
	if run.State == loop.Done {
		return several("proof", view.Grounds(run.Proof()))
	}
	list := []row{}
	if run.Sum.Proof != "" {
		list = append(list, row{"proof", "claims are proven " + view.Judged(run.Sum.Proof, run.Sum.Tied)})
	}
	if flaky := run.Sum.Flaky; len(flaky) > 0 {
		list = append(list, row{"flaky", view.Names(flaky, len(flaky)) + ": red and green on one tree"})
	}
	return list
}

// mostDiff is how many lines of a diff a card has.
const mostDiff = 40

// changedTests is what belongs to the headline of a run in which tests do not
// hold as they were: which, why, and the diff of just these.
func changedTests(run *view.Run, opt Options) string {
	p := run.Proof()
	if view.Level(p) != loop.LevelTestsChanged {
		return ""
	}
	said := layout(several("old tests", view.ChangedTests(p)), opt)
	lines, more := view.Diff(p, mostDiff)
	if len(lines) == 0 {
		return said
	}
	said += opt.paint(dim, "  diff of these tests:") + "\n"
	for _, line := range lines {
		said += diffLine(line, opt)
	}
	if more > 0 {
		said += opt.paint(dim, fmt.Sprintf("%sand %s: refrain diff %s", diffIndent, text.Plural(more, "more line"), text.Line(run.Name))) + "\n"
	}
	return said
}

// diffIndent sets a diff off from the rows of a card.
const diffIndent = "    "

// diffLine is one line of a diff, cut where the screen ends.
func diffLine(line string, opt Options) string {
	if room := opt.page() - len(diffIndent); room >= narrowest {
		line = ansi.Truncate(line, room, "…")
	}
	looks := style("")
	switch {
	case strings.HasPrefix(line, "+"):
		looks = green
	case strings.HasPrefix(line, "-"):
		looks = red
	case strings.HasPrefix(line, "@@"):
		looks = dim
	}
	return strings.TrimRight(diffIndent+opt.paint(looks, line), " ") + "\n"
}
