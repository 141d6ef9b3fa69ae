package tui

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/charmbracelet/x/ansi"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// pane is one of the views of a run that share the screen.
type pane int

const (
	transcriptPane pane = iota
	iterationsPane
	changesPane
	checksPane
	logPane
	promptPane
)

// paneNames are their names, in full and for narrow screens, by the key that opens
// them.
var paneNames = []struct{ name, short string }{
	{"Transcript", "Text"},
	{"Iterations", "List"},
	{"Changes", "Diff"},
	{"Gates", "Gates"},
	{"Log", "Log"},
	{"Prompt", "Said"},
}

// panes are the views of a run, of which one is open.
type panes struct {
	look    palette
	data    *runData
	work    work
	dialog  *dialog
	another func() *runData // to read an earlier iteration into

	open    pane // that keys act on
	beside  pane // what stands beside the list, where there is room for both
	table   table
	tasks   tasks
	changes changes
	prompt  prompt
	checks  scrollback
	gates   gateOutput
	past    *past       // an earlier iteration in place of the live transcript
	help    *scrollback // in place of the pane

	area
}

// past is the transcript of an attempt that was opened from the list.
type past struct {
	of    row
	lines scrollback
}

// update takes in what was read, and that the run has moved on.
func (p *panes) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case diffRead:
		p.changes.take(msg, p.data.run.Name)
	case pastRead:
		p.take(msg)
	case promptRead:
		p.prompt.take(msg)
	case gatesRead:
		p.gates.take(msg)
	case tasksRead:
		p.tasks.take(msg)
		return p.readTasks()
	case redraw:
		return tea.Batch(p.catchUp(), p.readTasks())
	}
	return nil
}

// page is the scrollback that keys act on; nil when that is the list.
func (p *panes) page() *scrollback { return p.pageOf(p.open) }

// pageOf is the scrollback of a pane; nil for the list.
func (p *panes) pageOf(of pane) *scrollback {
	switch {
	case p.help != nil:
		return p.help
	case of == transcriptPane && p.past != nil:
		return &p.past.lines
	case of == transcriptPane:
		return &p.data.transcript
	case of == changesPane:
		return &p.changes.diff
	case of == checksPane:
		p.checks.blocks = slices.Concat(p.gates.failing(), p.data.checks(), p.gates.blocks())
		return &p.checks
	case of == logPane:
		return &p.data.log
	case of == promptPane:
		return &p.prompt.text
	}
	return nil
}

// main is the pane that has the most room: the open one, or what stands beside the
// list.
func (p *panes) main() pane {
	if p.open == iterationsPane && p.split() {
		return p.beside
	}
	return p.open
}

// resize makes the page ready that is shown, for the room that there is.
func (p *panes) resize(to area) {
	p.area = to
	width, height := p.inner()
	if page := p.pageOf(p.main()); page != nil {
		if p.main() == changesPane && p.help == nil {
			height-- // its head
		}
		page.lay(max(width, 1), max(height, 1))
	}
}

// show draws the panes that there is room for.
func (p *panes) show(now time.Time) []string {
	switch {
	case p.height < 1:
		return nil
	case p.area.frames > 0:
		return p.frames(now)
	}
	return p.one(now, p.width, p.height)
}

// one draws the main pane.
func (p *panes) one(now time.Time, width, height int) []string {
	switch {
	case p.help != nil:
	case p.main() == iterationsPane:
		return p.list(now, width, height)
	case p.main() == changesPane:
		return p.changes.show(p.look, width, height)
	case p.main() == promptPane && p.prompt.said != "":
		return []string{p.look.paint(faint, p.prompt.said)}
	}
	return p.pageOf(p.main()).show(p.look)
}

// tab is where the name of a pane stands.
type tab struct {
	pane     pane
	text     string
	from, to int
}

// tabsFor are the names of the panes, in short where a width is too small. Beside the
// list there is none for it.
func (p *panes) tabsFor(width int) []tab {
	if p.area.frames == 0 {
		width -= ansi.StringWidth(p.place()) + 2
	}
	var list []tab
	for level := range 3 { // all of the names, short ones, and that of the open pane alone
		list = nil
		at := 0
		for i, n := range paneNames {
			if pane(i) == iterationsPane && p.split() {
				continue
			}
			said := fmt.Sprintf(" %d %s ", i+1, n.name)
			switch {
			case level > 1 && pane(i) != p.main():
				said = fmt.Sprintf(" %d ", i+1)
			case level > 0:
				said = fmt.Sprintf(" %d %s ", i+1, n.short)
			}
			list = append(list, tab{pane(i), said, at, at + len(said)})
			at += len(said)
		}
		if at <= width {
			break
		}
	}
	return list
}

// tabs names the panes, and where in the open one we are.
func (p *panes) tabs(width int) string {
	return ends(p.names(width), p.look.paint(faint, p.place()), width)
}

func (p *panes) names(width int) string {
	var b strings.Builder
	for _, t := range p.tabsFor(width) {
		s := faint
		switch {
		case p.help != nil || t.pane != p.main():
		case t.pane == p.open:
			s = marked
		default:
			s = strong
		}
		b.WriteString(p.look.paint(s, t.text))
	}
	return b.String()
}

// ends sets one text at each end of a line. Where there is no room for both, the
// right one is left out.
func ends(left, right string, width int) string {
	room := width - ansi.StringWidth(left) - ansi.StringWidth(right)
	if right == "" || room < 2 {
		return left
	}
	return left + strings.Repeat(" ", room) + right
}

func (p *panes) place() string {
	if p.help != nil {
		return strings.TrimSpace("help " + p.help.place())
	}
	where := ""
	if page := p.pageOf(p.main()); page != nil {
		where = page.place()
	}
	if where == atEnd && !p.data.run.State.Ended() {
		where = "following"
	}
	if p.main() == transcriptPane && p.past != nil {
		return strings.TrimSpace("iteration " + p.past.of.number() + " " + where)
	}
	return where
}

// turn opens a pane. The transcript is the live one again when it is turned to
// from itself.
func (p *panes) turn(to pane) tea.Cmd {
	p.help = nil
	if to == transcriptPane && p.open == transcriptPane {
		p.past = nil
	}
	if p.open = to; to != iterationsPane {
		p.beside = to
	}
	return p.catchUp()
}

// catchUp reads what is wanted of an attempt, if it is looked at and not there
// already.
func (p *panes) catchUp() tea.Cmd {
	switch p.main() {
	case changesPane:
		return p.readChanges()
	case promptPane:
		return p.readPrompt()
	case checksPane:
		return p.readGates()
	}
	return nil
}

// wanted is the attempt whose changes a reader means: the chosen one, or the
// last that ended.
func (p *panes) wanted() (row, bool) {
	rows := p.data.rows
	for i := p.table.at(rows); i >= 0; i-- {
		if rows[i].done {
			return rows[i], true
		}
	}
	return row{}, false
}

// move scrolls by lines; in the list it chooses another row.
func (p *panes) move(by int) {
	if page := p.page(); page != nil {
		page.move(by)
	} else {
		p.table.move(p.data.rows, by)
	}
}

// sideways chooses another tool call, or the changes of another iteration.
func (p *panes) sideways(by int) tea.Cmd {
	switch {
	case p.help != nil:
	case p.open == transcriptPane:
		p.page().choose(by)
	case p.open == changesPane:
		p.table.move(p.data.rows, by)
		return p.catchUp()
	}
	return nil
}

// enter unfolds the chosen tool call, or opens the chosen iteration.
func (p *panes) enter() tea.Cmd {
	switch {
	case p.help != nil:
	case p.open == transcriptPane:
		p.page().toggle()
	case p.open == iterationsPane:
		return p.read()
	}
	return nil
}

// pastRead is the transcript of an attempt, or why there is none.
type pastRead struct {
	of    row
	lines scrollback
	err   error
}

// read opens the transcript of the chosen attempt. That of the one under way is
// on the screen already.
func (p *panes) read() tea.Cmd {
	if len(p.data.rows) == 0 {
		return nil
	}
	p.open, p.beside = transcriptPane, transcriptPane
	return p.load()
}

// follow shows the transcript of the attempt that was chosen in the list, where it
// stands beside it, and whatever else does.
func (p *panes) follow() tea.Cmd {
	if p.open == iterationsPane && p.main() == transcriptPane && len(p.data.rows) > 0 {
		return p.load()
	}
	return p.catchUp()
}

func (p *panes) load() tea.Cmd {
	rows := p.data.rows
	r := rows[p.table.at(rows)]
	if !r.done {
		p.past = nil
		return nil
	}
	p.dialog.say(faint, fmt.Sprintf("reading iteration %s…", r.number()))
	name, page := p.data.run.Name, p.another()
	return p.work.inBackground(func() tea.Msg {
		err := page.read(p.work.past(name, r.after), r)
		return pastRead{r, page.transcript, err}
	})
}

// read takes in the events of one attempt. What comes before it is only to know
// how things stood.
func (d *runData) read(events iter.Seq2[loop.Event, error], of row) error {
	silent := true
	for e, err := range events {
		if err != nil {
			return err
		}
		if _, ok := e.Payload.(*loop.IterationStarted); ok {
			d.transcript = scrollback{}
		}
		d.observe(e)
		mine := e.Iter == of.iter && e.Attempt == of.attempt
		switch e.Payload.(type) {
		case *loop.AgentText, *loop.AgentTool:
			silent = silent && !mine
		case *loop.IterationFinished:
			if !mine {
				continue
			}
			if silent {
				d.note(faint, "(the agent said nothing, or it is no longer kept: see retention.transcripts)")
			}
			return nil
		}
	}
	return nil
}

// take shows a transcript that was read.
func (p *panes) take(read pastRead) {
	p.dialog.said = notice{}
	if read.err != nil {
		p.dialog.say(bad, fmt.Sprintf("Could not read iteration %s: %v", read.of.number(), text.Line(read.err.Error())))
		return
	}
	if r, ok := p.chosenRow(); !ok || r.iter != read.of.iter || r.attempt != read.of.attempt {
		return // another one was chosen meanwhile
	}
	p.past = &past{of: read.of, lines: read.lines}
}

// back goes out of what was gone into last.
func (p *panes) back() {
	page := p.page()
	switch {
	case p.help != nil:
		p.help = nil
	case page != nil && page.term != "":
		page.term = ""
	case page != nil && page.chosen != nil:
		page.chosen = nil
	case p.open == transcriptPane && p.past != nil:
		p.past, p.open = nil, iterationsPane
	}
}

// searching tells whether n and N go to the next match.
func (p *panes) searching() bool { return p.page() != nil && p.page().term != "" }

// search looks for a text in the open pane, or for the list in the transcript.
func (p *panes) search(term string) {
	if p.page() == nil {
		p.open = p.main()
	}
	if p.page() == nil {
		p.open = transcriptPane
		p.resize(p.area)
	}
	n, of := p.page().search(term)
	p.tellMatch(term, n, of)
}

// again goes to the next match, or the one before.
func (p *panes) again(key string) {
	page := p.page()
	by := 1
	if key == "N" != page.grows { // what grows is searched from its end
		by = -1
	}
	n, of := page.next(by)
	p.tellMatch(page.term, n, of)
}

func (p *panes) tellMatch(term string, n, of int) {
	switch {
	case term == "":
	case of == 0:
		p.page().term = ""
		p.dialog.say(caution, fmt.Sprintf("%q is nowhere in here.", term))
	default:
		p.dialog.say(plain, fmt.Sprintf("%q: %d of %d · n next · N previous · Esc ends", term, n, of))
	}
}
