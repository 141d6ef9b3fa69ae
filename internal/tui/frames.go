package tui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/refrain-loop/refrain/internal/text"
)

// From these sizes on there is a frame around the pane, and the list and a pane stand
// side by side.
const (
	frameWidth  = 60
	frameHeight = 12
	splitWidth  = 100
	splitHeight = 14
)

// area is the room that the panes have, and how many of them share it.
type area struct {
	width, height int
	frames        int // side by side; 0: one pane without a frame
}

// framesFor is how many frames a screen of a size has room for.
func framesFor(width, height int) int {
	switch {
	case width >= splitWidth && height >= splitHeight:
		return 2
	case width >= frameWidth && height >= frameHeight:
		return 1
	}
	return 0
}

// split tells whether the list stands beside a pane.
func (a area) split() bool { return a.frames == 2 }

// listWidth is how wide the frame of the list is.
func (a area) listWidth() int {
	if !a.split() {
		return 0
	}
	return min(max(a.width*2/5, 40), 64)
}

// inner is the room that the main pane has for its lines.
func (a area) inner() (width, height int) {
	if a.frames == 0 {
		return a.width, a.height
	}
	return a.width - a.listWidth() - 4, a.height - 2
}

// frames draws a pane, at its left the tasks and iterations where there is room, and in
// its lower edge how the run fares.
func (p *panes) frames(now time.Time) []string {
	looks := func(focused bool) style {
		if focused {
			return accent
		}
		return edge
	}
	wide := p.listWidth()
	width, height := p.inner()
	place := p.place()
	main := box{
		title: p.names(width), foot: p.data.condition(p.look, now, width-ansi.StringWidth(place)-3), place: p.look.paint(faint, place),
		width: p.width - wide, height: p.height, edge: looks(p.help != nil || p.main() == p.open),
	}.draw(p.look, p.one(now, width, height))
	if !p.split() {
		return main
	}
	left := p.leftFrame(now, wide, looks(p.help == nil && p.open == iterationsPane))
	lines := make([]string, 0, p.height)
	for i := range main {
		lines = append(lines, left[i]+main[i])
	}
	return lines
}

func (p *panes) leftFrame(now time.Time, wide int, s style) []string {
	s2 := strong
	if p.open == iterationsPane && p.help == nil {
		s2 = marked
	}
	title := p.look.paint(s2, fmt.Sprintf(" %d %s ", iterationsPane+1, paneNames[iterationsPane].name))
	n := p.tasks.room(p.height - 2)
	if n == 0 {
		return box{title: title, width: wide, height: p.height, edge: s}.draw(p.look, p.attempts(now, wide-4, p.height-2))
	}
	tasks := p.look.paint(strong, " Tasks ") + p.look.paint(faint, p.tasks.count()+" ")
	upper := box{title: tasks, width: wide, height: n + 2, edge: s}.draw(p.look, p.tasks.show(p.look, p.data.did, wide-4, n))
	lower := box{title: title, width: wide, height: p.height - n - 1, edge: s}.draw(p.look, p.attempts(now, wide-4, p.height-n-3))
	lower[0] = strings.Replace(strings.Replace(lower[0], "╭", "├", 1), "╮", "┤", 1)
	return append(upper[:n+1], lower...)
}

// box is a frame around lines, with words in its edges.
type box struct {
	title         string // in the upper edge
	foot, place   string // in the lower one, at its left and its right
	width, height int
	edge          style
}

// draw puts the box around lines.
func (b box) draw(p palette, body []string) []string {
	lines := []string{b.line(p, "╭", b.title, "", "╮")}
	for i := range b.height - 2 {
		text := ""
		if i < len(body) {
			text = ansi.Truncate(body[i], b.width-4, "")
		}
		lines = append(lines, p.paint(b.edge, "│")+" "+pad(text, b.width-4)+" "+p.paint(b.edge, "│"))
	}
	foot, place := b.foot, b.place
	if foot != "" {
		foot = " " + foot + " "
	}
	if place != "" {
		place = " " + place + " "
	}
	return append(lines, b.line(p, "╰", foot, place, "╯"))
}

// line is an edge with words in it. The right ones go where there is no room for both.
func (b box) line(p palette, from, left, right, to string) string {
	left = ansi.Truncate(left, b.width-4, "")
	room := b.width - 4 - ansi.StringWidth(left)
	if ansi.StringWidth(right) >= room {
		right = ""
	}
	rule := strings.Repeat("─", max(room-ansi.StringWidth(right), 0))
	return p.paint(b.edge, from+"─") + left + p.paint(b.edge, rule) + right + p.paint(b.edge, "─"+to)
}

// list draws the tasks and the iterations where they have the screen to themselves.
func (p *panes) list(now time.Time, width, height int) []string {
	n := p.tasks.room(height)
	if n == 0 {
		return p.attempts(now, width, height)
	}
	lines := append([]string{p.look.paint(heading, "Tasks "+p.tasks.count())}, p.tasks.show(p.look, p.data.did, width, n)...)
	return append(append(lines, ""), p.attempts(now, width, height-n-2)...)
}

// click chooses what the mouse points at: a pane by its name or its place, an
// iteration, a tool call. A second click opens what is chosen.
func (m *model) click(x, y int) tea.Cmd {
	f, p := m.frame(), &m.panes
	if m.runs != nil {
		return m.runs.click(m, y-f.header-f.tabs)
	}
	wide := p.listWidth()
	x, y = x-wide, y-f.header
	if x < 0 && p.help == nil {
		p.open = iterationsPane
		if n := p.tasks.room(p.height - 2); n > 0 {
			return p.clickRow(y - n - 2)
		}
		return p.clickRow(y - 1)
	}
	above := f.tabs
	if p.area.frames > 0 {
		x, above = x-2, 1
	}
	width, height := p.inner()
	switch {
	case y == 0 && above > 0:
		return p.clickTab(x, width)
	case p.help == nil:
		p.open = p.main()
		return p.clickBody(y-above, height)
	}
	return nil
}

// wheel moves what the mouse is over.
func (m *model) wheel(msg tea.MouseWheelMsg) tea.Cmd {
	by := map[tea.MouseButton]int{tea.MouseWheelUp: -3, tea.MouseWheelDown: 3}[msg.Button]
	switch p := &m.panes; {
	case by == 0 || m.runs != nil:
	case !p.split() || p.help != nil:
		p.move(by)
	case msg.X < p.listWidth():
		p.table.move(p.data.rows, by)
		return p.follow()
	default:
		p.pageOf(p.main()).move(by)
	}
	return nil
}

func (p *panes) clickTab(x, width int) tea.Cmd {
	for _, t := range p.tabsFor(width) {
		if x >= t.from && x < t.to {
			return p.turn(t.pane)
		}
	}
	return nil
}

func (p *panes) clickBody(y, height int) tea.Cmd {
	switch {
	case p.help != nil || y < 0 || y >= height:
	case p.open == iterationsPane:
		if n := p.tasks.room(height); n > 0 {
			y -= n + 2
		}
		return p.clickRow(y)
	case p.open == transcriptPane:
		page := p.page()
		if i, into := page.at(page.top + y); i >= 0 && into == 0 && page.blocks[i].call != nil {
			page.chosen = page.blocks[i]
			page.toggle()
		}
	}
	return nil
}

// clickRow chooses a row of the list by its line, below the head; one that is chosen
// already is opened.
func (p *panes) clickRow(y int) tea.Cmd {
	rows, i := p.data.rows, p.table.top+y-1
	if y < 1 || i >= len(rows) {
		return nil
	}
	if i == p.table.at(rows) {
		return p.read()
	}
	p.table.move(rows, i-p.table.at(rows))
	return p.follow()
}

// attempts draws the list of iterations, and below it, where there is room, all of what
// is to be said of the chosen one.
func (p *panes) attempts(now time.Time, width, height int) []string {
	lines := p.table.show(p.data.rows, p.look, now, width, height)
	r, ok := p.chosenRow()
	if !ok {
		return lines
	}
	more := r.detail(p.look, now, width)
	if len(lines)+1+len(more) > height || len(p.data.rows)+1 > len(lines) {
		return lines
	}
	return append(append(lines, ""), more...)
}

// detail says all of an attempt.
func (r row) detail(p palette, now time.Time, width int) []string {
	lines := []string{p.facts([]part{
		{"Iteration " + r.number(), strong, 0}, {r.result, r.style, 0}, {r.time(now), plain, 1}, {r.tests, plain, 3}, {r.gates, plain, 2}, {r.cost, plain, 4},
	}, "  ", width)}
	if r.why == "" {
		return lines
	}
	for _, l := range wrap(text.Line(r.why), width, plain, "") {
		lines = append(lines, p.paint(faint, l.text))
	}
	return lines
}
