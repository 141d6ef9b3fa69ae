package tui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/refrain-loop/refrain/internal/text"
)

// changes is the pane with what an iteration did to the files.
type changes struct {
	of      row       // the attempt that it shows, or is about to
	live    bool      // it is under way, so this is read again and again
	next    time.Time // when
	reading bool
	shown   string // the diff, as it was read
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
	live          bool
	text          string
	err           error
}

// diffEvery is the least time between two looks at what an agent is changing: each
// reads the whole work tree.
const diffEvery = 2 * time.Second

// readChanges reads what the chosen attempt has done to the files, so far if it is under
// way.
func (p *panes) readChanges() tea.Cmd {
	r, ok := p.chosenRow()
	live := ok && !r.done && p.work.live != nil && p.data.base != ""
	if !live {
		r, ok = p.wanted()
	}
	c, now := &p.changes, p.dialog.now()
	same := r.iter == c.of.iter && r.attempt == c.of.attempt && live == c.live
	if !ok || same && (!live || c.reading || now.Before(c.next)) {
		return nil
	}
	if !same {
		*c = changes{of: r, live: live}
	}
	c.reading, c.next = true, now.Add(diffEvery)
	name, base := p.data.run.Name, p.data.base
	read := func() (string, error) { return p.work.diff(name, r.iter) }
	if live {
		read = func() (string, error) { return p.work.live(name, base) }
	}
	return p.work.inBackground(func() tea.Msg {
		text, err := read()
		return diffRead{r.iter, r.attempt, live, text, err}
	})
}

// take shows a diff that was read, if it is still wanted.
func (c *changes) take(d diffRead, run string) {
	if d.iter != c.of.iter || d.attempt != c.of.attempt || d.live != c.live {
		return
	}
	c.reading = false
	if d.text == c.shown && d.err == nil && len(c.diff.blocks) > 0 {
		return // so that a search, and where the reader is, stay
	}
	c.shown, c.made, c.diff.blocks, c.diff.weight = d.text, "", nil, 0
	if d.err != nil {
		c.diff.add(&block{text: text.Line(d.err.Error()), style: caution})
		return
	}
	said := strings.TrimRight(text.Clean(d.text), "\n")
	if said == "" {
		nothing := "It changed nothing."
		if c.live {
			nothing = "Nothing has changed so far."
		}
		c.diff.add(&block{text: nothing, style: faint})
		return
	}
	lines := strings.Split(said, "\n")
	c.made = comesTo(lines)
	i := -1
	for l, in := range text.DiffLines(lines) {
		i++
		if c.diff.weight >= maxDiff {
			more := fmt.Sprintf("(%s more: refrain diff %s/%d)", text.Plural(len(lines)-i, "line"), run, d.iter)
			if c.live {
				more = fmt.Sprintf("(%s more, too many to show)", text.Plural(len(lines)-i, "line"))
			}
			c.diff.add(&block{text: more, style: faint})
			return
		}
		looks := diffStyle(l, in)
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
	for l, in := range text.DiffLines(lines) {
		switch {
		case !in && strings.HasPrefix(l, "diff --git"):
			files++
		case in && strings.HasPrefix(l, "+"):
			added++
		case in && strings.HasPrefix(l, "-"):
			removed++
		}
	}
	return fmt.Sprintf("%s, +%s −%s", text.Plural(files, "file"), text.Count(added), text.Count(removed))
}

// diffStyle tells the lines of a unified diff apart.
func diffStyle(l string, in bool) style {
	switch {
	case !in && (strings.HasPrefix(l, "diff --git") || strings.HasPrefix(l, "+++") || strings.HasPrefix(l, "---")):
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
	far := ""
	if c.live {
		far = "so far"
	}
	head := p.facts([]part{
		{"Iteration " + c.of.number(), strong, 0},
		{far, live, 0},
		{c.made, plain, 1},
		{"←/→ another one", faint, 2},
	}, "  ", width)
	if c.reading && len(c.diff.blocks) == 0 {
		return []string{head, p.paint(faint, "reading…")}
	}
	c.diff.lay(width, max(height-1, 1))
	return append([]string{head}, c.diff.show(p)...)
}
