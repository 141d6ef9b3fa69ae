package tui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/refrain-loop/refrain/internal/text"
)

// From this size on the list and a pane stand side by side, each in a frame.
const (
	splitWidth  = 100
	splitHeight = 14
)

// area is the room that the panes have.
type area struct{ width, height int }

// split tells whether there is room for two panes. What is given to the panes is the
// screen without its header and footer.
func (a area) split() bool { return a.width >= splitWidth && a.height >= splitHeight-4 }

// listWidth is how wide the frame of the list is.
func (a area) listWidth() int { return min(max(a.width*2/5, 40), 64) }

// inner is the room in the frame of the main pane.
func (a area) inner() (width, height int) { return a.width - a.listWidth() - 4, a.height - 2 }

// frames draws the tasks and iterations at the left, and a pane at the right.
func (p *panes) frames(now time.Time) []string {
	wide := p.listWidth()
	looks := func(focused bool) style {
		if focused && p.help == nil {
			return bright
		}
		return edge
	}
	left := p.leftFrame(now, wide, looks(p.open == iterationsPane))
	width, height := p.inner()
	right := p.look.frame(p.names(width), p.look.paint(faint, p.place()), p.one(width, height), p.width-wide, p.height, looks(p.open != iterationsPane))
	lines := make([]string, 0, p.height)
	for i := range right {
		lines = append(lines, left[i]+right[i])
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
		return p.look.frame(title, "", p.attempts(now, wide-4, p.height-2), wide, p.height, s)
	}
	upper := p.look.frame(p.look.paint(strong, " Tasks ")+p.look.paint(faint, p.tasks.count()+" "), "", p.tasks.show(p.look, p.data.did, wide-4, n), wide, n+2, s)
	lower := p.look.frame(title, "", p.attempts(now, wide-4, p.height-n-3), wide, p.height-n-1, s)
	lower[0] = strings.Replace(strings.Replace(lower[0], "╭", "├", 1), "╮", "┤", 1)
	return append(upper[:n+1], lower...)
}

// frame draws lines in a frame, with a title at each end of its upper edge.
func (p palette) frame(title, place string, body []string, width, height int, s style) []string {
	paint := func(text string) string { return p.paint(s, text) }
	title = ansi.Truncate(title, width-4, "")
	room := width - 4 - ansi.StringWidth(title)
	if place != "" && ansi.StringWidth(place)+3 < room {
		room -= ansi.StringWidth(place) + 2
		place = " " + place + " "
	} else {
		place = ""
	}
	lines := []string{paint("╭─") + title + paint(strings.Repeat("─", max(room, 0))) + place + paint("─╮")}
	for i := range height - 2 {
		text := ""
		if i < len(body) {
			text = ansi.Truncate(body[i], width-4, "")
		}
		lines = append(lines, paint("│")+" "+pad(text, width-4)+" "+paint("│"))
	}
	return append(lines, paint("╰"+strings.Repeat("─", width-2)+"╯"))
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
	y -= f.header
	if !p.split() {
		if f.tabs > 0 && y == 0 {
			return p.clickTab(x, p.width)
		}
		return p.clickBody(y-f.tabs, p.height)
	}
	wide := p.listWidth()
	switch {
	case x < wide && p.help == nil:
		p.open = iterationsPane
		if n := p.tasks.room(p.height - 2); n > 0 {
			return p.clickRow(y - n - 2)
		}
		return p.clickRow(y - 1)
	case y == 0:
		width, _ := p.inner()
		return p.clickTab(x-wide-2, width)
	case p.help == nil:
		p.open = p.main()
		return p.clickBody(y-1, p.height-2)
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
