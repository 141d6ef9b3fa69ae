package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/refrain-loop/refrain/internal/text"
)

// changes is the pane with what an iteration did to the files.
type changes struct {
	of      row // the attempt that it shows, or is about to
	reading bool
	roll    roll
}

// How much of a diff is shown: its lines of eighty columns, and the bytes of one
// line, which may be a whole program in a row.
const (
	mostDiff = mostKept / 2
	mostLine = 2_000
)

// diffRead is a diff, or why there is none.
type diffRead struct {
	iter, attempt int
	text          string
	err           error
}

// wanted is the attempt whose changes a reader means: the chosen one, or the
// last that ended.
func (m *model) wanted() (row, bool) {
	rows := m.book.rows
	for i := m.table.at(rows); i >= 0; i-- {
		if rows[i].done {
			return rows[i], true
		}
	}
	return row{}, false
}

// compare reads the changes that are wanted, if they are not there already.
func (m *model) compare() tea.Cmd {
	r, ok := m.wanted()
	if !ok || r.iter == m.changes.of.iter && r.attempt == m.changes.of.attempt {
		return nil
	}
	m.changes = changes{of: r, reading: true}
	name := m.book.run.Name
	return m.errand(func() tea.Msg {
		text, err := m.work.diff(name, r.iter)
		return diffRead{r.iter, r.attempt, text, err}
	})
}

// take shows a diff that was read, if it is still wanted.
func (c *changes) take(d diffRead, run string) {
	if d.iter != c.of.iter || d.attempt != c.of.attempt {
		return
	}
	c.reading = false
	if d.err != nil {
		c.roll.add(&block{text: text.Line(d.err.Error()), style: caution})
		return
	}
	said := strings.TrimRight(text.Clean(d.text), "\n")
	if said == "" {
		c.roll.add(&block{text: "It changed nothing.", style: faint})
		return
	}
	lines := strings.Split(said, "\n")
	for i, l := range lines {
		if c.roll.weight >= mostDiff {
			c.roll.add(&block{text: fmt.Sprintf("(%s more: refrain diff %s/%d)", text.Plural(len(lines)-i, "line"), run, d.iter), style: faint})
			return
		}
		looks := diffStyle(l)
		if len(l) > mostLine {
			l = text.Cut(l, mostLine) + "…"
		}
		c.roll.add(&block{text: l, style: looks})
	}
}

// diffStyle tells the lines of a unified diff apart.
func diffStyle(l string) style {
	switch {
	case strings.HasPrefix(l, "diff --git"), strings.HasPrefix(l, "+++"), strings.HasPrefix(l, "---"):
		return strong
	case strings.HasPrefix(l, "@@"):
		return heading
	case strings.HasPrefix(l, "+"):
		return good
	case strings.HasPrefix(l, "-"):
		return bad
	case strings.HasPrefix(l, " "), l == "":
		return plain
	}
	return faint
}

// show draws the pane: whose changes they are, then what they are.
func (c *changes) show(p palette, width, height int) []string {
	if c.of.iter == 0 {
		return []string{p.paint(faint, "No iteration has ended yet: there are no changes to show.")}
	}
	head := p.facts([]part{
		{"Iteration " + c.of.number(), strong, 0},
		{c.of.change, plain, 1},
		{"←/→ another one", faint, 2},
	}, "  ", width)
	if c.reading {
		return []string{head, p.paint(faint, "reading…")}
	}
	c.roll.lay(width, max(height-1, 1))
	return append([]string{head}, c.roll.show(p)...)
}
