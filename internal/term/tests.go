package term

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/testlist"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// maxSlowest is how many tests are marked as the slowest.
const maxSlowest = 3

// Looks shows the tests of an attempt one by one: failing ones first, then the slowest;
// at most so many of each look, 0 for all.
func Looks(list []testlist.Look, most int, opt Options) string {
	var b strings.Builder
	for i, l := range list {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(opt.paint(bold, lookHead(l)) + "\n")
		shown := l.Tests
		if most > 0 {
			shown = shown[:min(most, len(shown))]
		}
		b.WriteString(testTable(l, shown).String(opt))
		for _, rest := range unlisted(l, len(l.Tests)-len(shown)) {
			b.WriteString("  " + rest + "\n")
		}
	}
	return b.String()
}

// lookHead is a gate with its counts: "test in a clean checkout: 9 of 12 tests passed (go)".
func lookHead(l testlist.Look) string {
	said := strings.TrimSpace(text.Line(l.Gate) + " " + view.Where(l.Where))
	if l.With != "" {
		said += ", " + text.Line(l.With)
	}
	return said + ": " + view.TestRun(loop.Tests{Framework: text.Line(l.Framework), Total: l.Total, Passed: l.Passed, Failed: l.Failed, Skipped: l.Skipped})
}

func testTable(l testlist.Look, shown []loop.Test) *Table {
	t := &Table{Columns: []Column{{}, {Right: true, Rank: 1}, {Wraps: true}}, Indent: 2}
	from := slowest(l.Tests)
	for _, test := range shown {
		took, name := "", text.Line(test.Name)
		if test.Duration > 0 {
			took = testTime(test.Duration.Duration())
			if from > 0 && test.Duration >= from {
				name += " (slowest)"
			}
		}
		t.Add(string(test.Status), took, name)
		for line := range strings.Lines(test.Message) {
			t.Add("", "", text.Line(line))
		}
	}
	return t
}

// slowest is how long a test took that is one of the slowest: of a few, but of no more
// than half of those whose time is known. It is 0 when there is none.
func slowest(list []loop.Test) loop.Millis {
	var times []loop.Millis
	for _, t := range list {
		if t.Duration > 0 {
			times = append(times, t.Duration)
		}
	}
	slices.SortFunc(times, func(a, b loop.Millis) int { return cmp.Compare(b, a) })
	n := min(maxSlowest, len(times)/2)
	for n > 0 && times[n-1] == times[n] { // many that took the same are not the slowest
		n--
	}
	if n == 0 {
		return 0
	}
	return times[n-1]
}

// testTime is a time in which milliseconds count.
func testTime(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%dms", d.Milliseconds())
	}
	return text.Duration(d)
}

// unlisted says which tests are not shown, and why.
func unlisted(l testlist.Look, hidden int) []string {
	var list []string
	if hidden > 0 {
		list = append(list, fmt.Sprintf("and %s more (--all lists every one)", text.Count(hidden)))
	}
	switch n := l.Unlisted(); {
	case n > 0 && l.Cut:
		list = append(list, fmt.Sprintf("%s not kept: there are too many", text.Plural(n, "more test")))
	case n > 0:
		list = append(list, fmt.Sprintf("%s counted, and not named by what the gate prints", text.Plural(n, "more test")))
	}
	return list
}
