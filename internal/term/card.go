package term

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/view"
)

// Card sums a run up in a few lines: what happened, what was refused and why,
// what it cost, and what to do next.
func Card(run *view.Run, opt Options) string {
	s := run.Status(opt.now())
	var b strings.Builder
	b.WriteString(opt.paint(bold, view.Line(s.Run)+": ") + opt.paint(colour(run), headline(run)) + "\n")
	for _, r := range rows(run, s) {
		b.WriteString(r.layout(opt))
	}
	return b.String()
}

// row is a line of the card. A text that is too long goes on below itself.
type row struct{ label, text string }

// Wide enough for the longest label and two spaces.
const labelWidth = 14

func (r row) layout(opt Options) string {
	text := view.Line(r.text)
	if room := opt.width() - labelWidth; room >= narrowest {
		text = ansi.Wrap(text, room, "")
	}
	text = strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", labelWidth))
	return opt.paint(dim, fmt.Sprintf("  %-*s", labelWidth-2, r.label)) + text + "\n"
}

// rows are the facts of the card; those without content are left out.
func rows(run *view.Run, s view.Status) []row {
	list := []row{{"why", s.Why}, {"proof", proof(run)}}
	for _, refused := range run.Refused() {
		list = append(list, row{"refused", refused})
	}
	list = append(list,
		row{"iterations", iterations(s)},
		row{"time", view.Total(s.Elapsed.Duration())},
		row{"cost", cost(run)},
		row{"changed", changed(s.Totals)},
		row{"agent", agent(run)},
		row{"started", started(s.StartedAt)},
		row{"files", s.Dir},
	)
	if run.Finished != nil {
		for _, what := range run.Finished.Unsaved {
			list = append(list, row{"not saved", what})
		}
	}
	for _, command := range next(run) {
		list = append(list, row{"next", command})
	}
	kept := list[:0]
	for _, r := range list {
		if r.text != "" {
			kept = append(kept, r)
		}
	}
	return kept
}

func headline(run *view.Run) string {
	said := view.People(run.State, run.Reason(), run.Proven())
	if run.State.Ended() || run.Iteration == 0 {
		return said
	}
	if run.State == loop.Running {
		return said + ", " + position(run)
	}
	return position(run)
}

func colour(run *view.Run) style {
	switch run.State {
	case loop.Done:
		return green
	case loop.Aborted, loop.CouldNotRun, loop.Crashed:
		return red
	case loop.Exhausted, loop.Stopped:
		return yellow
	}
	return bold
}

func proof(run *view.Run) string {
	switch {
	case run.State != loop.Done:
		return ""
	case run.Proven():
		return "the runner's own gates agree"
	}
	return "none: claimed, unproven"
}

func iterations(s view.Status) string {
	text := view.Count(s.Totals.Iterations)
	if s.MaxIterations > 0 {
		text += " of " + view.Count(s.MaxIterations)
	}
	var parts []string
	for _, part := range []struct {
		n    int
		what string
	}{{s.Totals.OK, "ok"}, {s.Totals.Failed, "failed"}, {s.Totals.TimedOut, "timed out"}, {s.Totals.Skipped, "skipped"}} {
		if part.n > 0 {
			parts = append(parts, view.Count(part.n)+" "+part.what)
		}
	}
	if len(parts) > 0 {
		text += " (" + strings.Join(parts, ", ") + ")"
	}
	return text
}

func cost(run *view.Run) string {
	var parts []string
	if usd := run.Cost(); usd > 0 && run.CostEstimated() {
		parts = append(parts, "≈"+dollars(usd)+" (estimated)")
	} else if usd > 0 {
		parts = append(parts, dollars(usd))
	}
	if n := run.Tokens(); n > 0 {
		parts = append(parts, view.Plural(n, "token"))
	}
	return strings.Join(parts, ", ")
}

func changed(t loop.Totals) string {
	var parts []string
	if t.Files > 0 {
		parts = append(parts, fmt.Sprintf("%s (+%s -%s lines)", view.Plural(t.Files, "file"), view.Count(t.LinesAdded), view.Count(t.LinesRemoved)))
	}
	if t.Commits > 0 {
		parts = append(parts, view.Plural(t.Commits, "commit"))
	}
	return strings.Join(parts, ", ")
}

func agent(run *view.Run) string {
	text := run.Agent
	if run.Model != "" {
		text += " (" + run.Model + ")"
	}
	if run.Promise != "" {
		text += fmt.Sprintf(", until %q", run.Promise)
	}
	if o := run.Outcome; o != nil && o.BilledTo != "" {
		text += ", billed to " + words(o.BilledTo)
	}
	return text
}

func started(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format(time.DateTime)
}
