package term

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// heads are what a list of attempts tells of each; cells is one of its lines.
var heads = []string{"ITERATION", "RESULT", "TIME", "PROGRESS", "TESTS", "GATES", "LINES", "THEN"}

func cells(e loop.Event, opt Options) []string {
	f := e.Payload.(*loop.IterationFinished)
	o := &f.Outcome
	return []string{
		number(e), string(o.Result), text.Duration(o.Duration.Duration()), progress(o),
		view.Passed(o.Tests), marks(o.Gates, opt), changedLines(o.Changes), then(f.Verdict),
	}
}

// Attempts lists finished attempts, one on a line. A column in which none of
// them has anything is left out.
func Attempts(list []loop.Event, opt Options) string {
	content := make([]bool, len(heads))
	lines := [][]string{heads}
	for _, e := range list {
		line := cells(e, opt)
		for i, text := range line {
			content[i] = content[i] || text != ""
		}
		lines = append(lines, line)
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	for _, line := range lines {
		var kept []string
		for i, text := range line {
			if content[i] {
				kept = append(kept, text)
			}
		}
		_, _ = fmt.Fprintln(w, strings.Join(kept, "\t"))
	}
	_ = w.Flush() // a builder takes everything
	return b.String()
}

func number(e loop.Event) string {
	if e.Attempt > 1 {
		return fmt.Sprintf("%d (attempt %d)", e.Iter, e.Attempt)
	}
	return fmt.Sprint(e.Iter)
}

func progress(o *loop.Outcome) string {
	switch {
	case o.Progress == nil:
		return "unknown"
	case !*o.Progress:
		return "none"
	}
	var by []string
	for _, s := range o.ProgressBy {
		by = append(by, string(s))
	}
	return strings.Join(by, ", ")
}

// marks is every gate with its sign, or in words where signs may not show.
func marks(list []loop.Gate, opt Options) string {
	var said []string
	for _, g := range list {
		name := text.Line(g.Name)
		switch {
		case opt.Color:
			said = append(said, mark(g)+" "+name)
		case g.OK:
			said = append(said, name+" ok")
		default:
			said = append(said, name+" failed")
		}
	}
	return strings.Join(said, ", ")
}

func changedLines(c *loop.Changes) string {
	if c == nil {
		return ""
	}
	return lineCounts(c.LinesAdded, c.LinesRemoved)
}

func then(v loop.Verdict) string {
	said := string(v.Action)
	if v.Why != "" {
		said += ": " + text.Line(v.Why)
	}
	if v.Restore != nil {
		return fmt.Sprintf("rolled back to %d, %s", *v.Restore, said)
	}
	return said
}
