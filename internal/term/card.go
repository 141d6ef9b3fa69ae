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
	b.WriteString(layout(rows(run, s), opt))
	return b.String()
}

// row is a line of the card. A text that is too long goes on below itself.
type row struct{ label, text string }

// Wide enough for the longest label and two spaces.
const labelWidth = 14

func (r row) layout(opt Options) string {
	text := view.Line(r.text)
	// A path stays in one piece: it is there to be copied.
	if room := opt.width() - labelWidth; room >= narrowest && strings.Contains(text, " ") {
		text = ansi.Wrap(text, room, "")
	}
	text = strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", labelWidth))
	return opt.paint(dim, fmt.Sprintf("  %-*s", labelWidth-2, r.label)) + text + "\n"
}

// layout is rows below each other; those without content are left out.
func layout(list []row, opt Options) string {
	var b strings.Builder
	for _, r := range list {
		if r.text != "" {
			b.WriteString(r.layout(opt))
		}
	}
	return b.String()
}

// rows are the facts of the card.
func rows(run *view.Run, s view.Status) []row {
	list := []row{{"why", s.Why}, {"proof", proof(run)}, {"gates", gates(run.Gates)}}
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
	return list
}

func headline(run *view.Run) string {
	said := view.People(run.State, run.Reason(), run.Proven())
	switch {
	case run.State == loop.Done && run.Proven() && len(run.Gates) > 0:
		return fmt.Sprintf("%s (gates: %s)", said, strings.TrimSpace(gateNames(run.Gates)+" "+view.Where(run.Sum.Proof)))
	case run.State == loop.Running && run.Iteration > 0:
		return said + ", " + position(run)
	case run.State.Ended():
		return said
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

// proof says where claims are proven, or that nothing was.
func proof(run *view.Run) string {
	switch {
	case run.State == loop.Done && !run.Proven():
		return "none: claimed, unproven"
	case run.State == loop.Done || run.Sum.Proof == "":
		return ""
	}
	return "claims are proven " + view.Where(run.Sum.Proof)
}

func gates(list []loop.Gate) string {
	var said []string
	for _, g := range list {
		said = append(said, g.Name+" "+view.Gate(g))
	}
	return strings.Join(said, "; ")
}

func gateNames(list []loop.Gate) string {
	var names []string
	for _, g := range list {
		names = append(names, view.Line(g.Name))
	}
	return strings.Join(names, ", ")
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
		files := view.Plural(t.Files, "file")
		if lines := lineCounts(t.LinesAdded, t.LinesRemoved); lines != "" {
			files += " (" + lines + " lines)"
		}
		parts = append(parts, files)
	}
	if t.Commits > 0 {
		parts = append(parts, view.Plural(t.Commits, "commit"))
	}
	return strings.Join(parts, ", ")
}

// lineCounts is empty where nobody counted.
func lineCounts(added, removed int) string {
	if added == 0 && removed == 0 {
		return ""
	}
	return fmt.Sprintf("+%s -%s", view.Count(added), view.Count(removed))
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
