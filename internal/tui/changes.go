package tui

import (
	"fmt"
	"strings"

	"github.com/refrain-loop/refrain/internal/text"
)

// changes is the pane with what an iteration did to the files.
type changes struct {
	of      row // the attempt that it shows, or is about to
	reading bool
	made    string // what the diff comes to, in a few words
	diff    scrollback
}

// How much of a diff is shown: its lines of eighty columns, and the bytes of one
// line, which may be a whole program in a row.
const (
	maxDiff = maxKept / 2
	maxLine = 2_000
)

// diffRead is a diff, or why there is none.
type diffRead struct {
	iter, attempt int
	text          string
	err           error
}

// take shows a diff that was read, if it is still wanted.
func (c *changes) take(d diffRead, run string) {
	if d.iter != c.of.iter || d.attempt != c.of.attempt {
		return
	}
	c.reading = false
	if d.err != nil {
		c.diff.add(&block{text: text.Line(d.err.Error()), style: caution})
		return
	}
	said := strings.TrimRight(text.Clean(d.text), "\n")
	if said == "" {
		c.diff.add(&block{text: "It changed nothing.", style: faint})
		return
	}
	lines := strings.Split(said, "\n")
	c.made = comesTo(lines)
	for i, l := range lines {
		if c.diff.weight >= maxDiff {
			c.diff.add(&block{text: fmt.Sprintf("(%s more: refrain diff %s/%d)", text.Plural(len(lines)-i, "line"), run, d.iter), style: faint})
			return
		}
		looks := diffStyle(l)
		if len(l) > maxLine {
			l = text.Cut(l, maxLine) + "…"
		}
		c.diff.add(&block{text: l, style: looks})
	}
}

// comesTo counts what a diff changes. An iteration of several attempts has one diff,
// so the figures of one of them would be wrong beside it.
func comesTo(lines []string) string {
	files, added, removed := 0, 0, 0
	for _, l := range lines {
		switch {
		case strings.HasPrefix(l, "diff --git"):
			files++
		case strings.HasPrefix(l, "+++ "), strings.HasPrefix(l, "--- "):
		case strings.HasPrefix(l, "+"):
			added++
		case strings.HasPrefix(l, "-"):
			removed++
		}
	}
	return fmt.Sprintf("%s, +%s −%s", text.Plural(files, "file"), text.Count(added), text.Count(removed))
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
		{c.made, plain, 1},
		{"←/→ another one", faint, 2},
	}, "  ", width)
	if c.reading {
		return []string{head, p.paint(faint, "reading…")}
	}
	c.diff.lay(width, max(height-1, 1))
	return append([]string{head}, c.diff.show(p)...)
}
