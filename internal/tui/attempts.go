package tui

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// row is one attempt in the list of iterations.
type row struct {
	iter, attempt int
	began         time.Time
	after         int64 // events after this number tell how things stood before it, and of it
	done          bool

	result string
	style  style
	took   time.Duration
	tests  string
	gates  string
	cost   string
	why    string
}

func (r *row) finish(p *loop.IterationFinished) {
	o := &p.Outcome
	r.done, r.took = true, o.Duration.Duration()
	r.result = text.Words(string(o.Result))
	r.style = resultStyle(o)
	r.tests = view.Passed(o.Tests)
	r.gates = gates(o.Gates)
	if o.Usage.Cost() > 0 {
		r.cost = view.Dollars(o.Usage.Cost(), o.Usage.Estimated())
	}
	r.why = why(p)
}

// lose closes an attempt whose runner died.
func (r *row) lose(at time.Time) {
	r.done, r.result, r.style, r.why = true, string(loop.Lost), bad, "the runner died"
	r.took = at.Sub(r.began)
}

func resultStyle(o *loop.Outcome) style {
	switch o.Result {
	case loop.OK:
		if o.Claim.Refused() {
			return caution
		}
		return good
	case loop.Failed, loop.TimedOut, loop.Idle:
		return bad
	}
	return caution
}

// gates is how many passed, or which failed.
func gates(list []loop.Gate) string {
	var failed []string
	for _, g := range list {
		if !g.OK {
			failed = append(failed, "✗ "+text.Line(g.Name))
		}
	}
	if len(failed) == 0 && len(list) > 0 {
		return fmt.Sprintf("✓ %d", len(list))
	}
	return strings.Join(failed, " ")
}

// why is what a person would ask about an attempt: what was wrong with it, else
// what the runner made of it, else what the agent says it did.
func why(p *loop.IterationFinished) string {
	o := &p.Outcome
	said := o.Summary
	if o.Plan != nil && len(o.Plan.Ticked) > 0 {
		said = "✓ " + strings.Join(o.Plan.Ticked, ", ")
	}
	switch {
	case o.Claim.Refused():
		said = "claim refused: " + o.Claim.Why
	case o.Error != nil && o.Error.Message != "":
		said = o.Error.Message
	case o.Red():
		said = redGates(o.Gates)
	case p.Verdict.Action != loop.Continue && p.Verdict.Why != "":
		said = p.Verdict.Why
	}
	if p.Verdict.Restore != nil {
		said = fmt.Sprintf("rolled back to %d: %s", *p.Verdict.Restore, said)
	}
	return view.Fit(said, 400)
}

func redGates(list []loop.Gate) string {
	var said []string
	for _, g := range list {
		if !g.OK {
			said = append(said, g.Name+" "+view.Gate(g))
		}
	}
	return strings.Join(said, "; ")
}

// attempt names one attempt of an iteration; the zero one is the latest.
type attempt struct{ iter, n int }

// table is the list of iterations, with one of them chosen.
type table struct {
	chosen attempt
	top    int // the first row in the window
}

// at is the index of the chosen row. A choice that is gone is the latest.
func (t *table) at(rows []row) int {
	for i, r := range rows {
		if (attempt{r.iter, r.attempt}) == t.chosen {
			return i
		}
	}
	return len(rows) - 1
}

// move chooses another row. The last one stays the latest as others come.
func (t *table) move(rows []row, by int) {
	if len(rows) == 0 {
		return
	}
	i := min(max(t.at(rows)+by, 0), len(rows)-1)
	t.chosen = attempt{rows[i].iter, rows[i].attempt}
	if i == len(rows)-1 {
		t.chosen = attempt{}
	}
}

// column is one of the table's. Those with the highest rank are left out first
// where there is no room.
type column struct {
	head string
	rank int
	most int
	cell func(row, time.Time) string
}

var columns = []column{
	{"N", 0, 8, func(r row, _ time.Time) string { return r.number() }},
	{"RESULT", 0, 11, func(r row, _ time.Time) string { return r.result }},
	{"TIME", 1, 7, func(r row, now time.Time) string { return r.time(now) }},
	{"TESTS", 3, 11, func(r row, _ time.Time) string { return r.tests }},
	{"GATES", 2, 18, func(r row, _ time.Time) string { return r.gates }},
	{"COST", 4, 11, func(r row, _ time.Time) string { return r.cost }},
}

// Below this the reason says nothing, and a column makes room for it.
const leastWhy = 18

func (r row) number() string {
	if r.attempt > 1 {
		return fmt.Sprintf("%d.%d", r.iter, r.attempt)
	}
	return fmt.Sprint(r.iter)
}

func (r row) time(now time.Time) string {
	if !r.done && !r.began.IsZero() {
		return text.Seconds(now.Sub(r.began))
	}
	return text.Duration(r.took)
}

// show draws the table.
func (t *table) show(rows []row, p palette, now time.Time, width, height int) []string {
	if len(rows) == 0 {
		return []string{p.paint(faint, "No iteration has begun yet.")}
	}
	at, room := t.at(rows), max(height-1, 1)
	t.top = min(max(t.top, at-room+1), at)
	t.top = min(max(t.top, 0), max(len(rows)-room, 0))

	kept, widths := fitted(rows, now, width)
	var head strings.Builder
	for i, c := range kept {
		head.WriteString(pad(c.head, widths[i]) + "  ")
	}
	lines := []string{p.paint(faint, ansi.Truncate(head.String()+"WHY", width, ""))}
	for i := t.top; i < len(rows) && len(lines) < height; i++ {
		lines = append(lines, rows[i].show(kept, widths, p, now, width, i == at))
	}
	return lines
}

func (r row) show(kept []column, widths []int, p palette, now time.Time, width int, chosen bool) string {
	var b strings.Builder
	used := 0
	for i, c := range kept {
		text := pad(ansi.Truncate(c.cell(r, now), widths[i], "…"), widths[i])
		if c.head == "RESULT" && !chosen {
			text = p.paint(r.style, text)
		}
		b.WriteString(text + "  ")
		used += widths[i] + 2
	}
	if room := width - used; room > 0 {
		b.WriteString(view.Fit(r.why, room))
	}
	if chosen {
		return p.paint(marked, pad(ansi.Truncate(b.String(), width, ""), width))
	}
	return b.String()
}

// fitted is the columns that have something to say and find room, and how wide
// they are.
func fitted(rows []row, now time.Time, width int) (kept []column, widths []int) {
	used := 0
	for _, c := range columns {
		wide := 0
		for _, r := range rows {
			wide = max(wide, ansi.StringWidth(c.cell(r, now)))
		}
		if wide == 0 {
			continue
		}
		kept = append(kept, c)
		widths = append(widths, min(max(wide, len(c.head)), c.most))
		used += widths[len(widths)-1] + 2
	}
	for used+leastWhy > width {
		least := 0
		for i, c := range kept {
			if c.rank >= kept[least].rank {
				least = i
			}
		}
		if kept[least].rank == 0 {
			break
		}
		used -= widths[least] + 2
		kept = append(kept[:least], kept[least+1:]...)
		widths = append(widths[:least], widths[least+1:]...)
	}
	return kept, widths
}

// pad fills a text up to a width.
func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(width-ansi.StringWidth(text), 0))
}
