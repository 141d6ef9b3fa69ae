package tui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/refrain-loop/refrain/internal/view"
)

// pane is one of the views of a run that share the screen.
type pane int

const (
	transcriptPane pane = iota
	iterationsPane
	changesPane
	checksPane
	logPane
)

// panes are their names, in full and for narrow screens, by the key that opens
// them.
var panes = []struct{ name, short string }{
	{"Transcript", "Text"},
	{"Iterations", "List"},
	{"Changes", "Diff"},
	{"Gates", "Gates"},
	{"Log", "Log"},
}

// model is the screen: what of the book is shown, and what keys do.
type model struct {
	opt  Options
	look palette
	book *book
	work work

	width, height int
	pane          pane
	table         table
	changes       changes
	checks        roll
	past          *past     // an earlier iteration in place of the live transcript
	help          *roll     // in place of the pane
	field         *field    // a text that is being typed
	question      *question // one that a key answers
	said          notice
	mouse         bool
	leaving       bool // the screen closes when the run ends
}

// notice is what came of the last key. It goes with the next one, or after a while.
type notice struct {
	style style
	text  string
	at    time.Time
}

const noticeTime = 8 * time.Second

func (m *model) say(s style, text string) { m.said = notice{s, text, m.opt.now()} }

// redraw says that the book or the time has moved on.
type redraw struct{}

func newModel(b *book, w work, o Options) *model {
	return &model{opt: o, look: newPalette(o.Color), book: b, work: w}
}

// Init starts nothing: the screen is drawn when its size is known.
func (m *model) Init() tea.Cmd { return nil }

// Update takes in a key, a new size, or something that was waited for.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m.book.mu.Lock()
	defer m.book.mu.Unlock()
	defer m.lay() // so that what the next key moves is what is seen
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.KeyPressMsg:
		return m, m.press(msg)
	case tea.PasteMsg:
		if m.field != nil {
			m.field.insert(msg.Content)
		}
	case tea.MouseWheelMsg:
		m.wheel(msg.Button)
	case redraw:
		return m, m.catchUp()
	case answered:
		m.say(msg.told())
	case diffRead:
		m.changes.take(msg, m.book.run.Name)
	case pastRead:
		m.take(msg)
	case edited:
		m.say(msg.told())
	}
	return m, nil
}

// catchUp does what follows from events.
func (m *model) catchUp() tea.Cmd {
	if m.leaving && m.book.run.State.Ended() {
		return tea.Quit
	}
	if m.pane == changesPane {
		return m.compare()
	}
	return nil
}

// View draws the screen: every line is there and none is too long, however small
// the terminal is.
func (m *model) View() tea.View {
	m.book.mu.Lock()
	defer m.book.mu.Unlock()
	v := tea.View{AltScreen: true}
	if m.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	v.Content = strings.Join(m.draw(), "\n")
	if !m.opt.Unicode {
		v.Content = ascii(v.Content)
	}
	return v
}

// frame says which parts a screen of a height has room for.
type frame struct {
	header, tabs, question, footer int // lines each
	body                           int
}

func (m *model) frame() frame {
	f := frame{header: 1, tabs: 1, footer: 1}
	switch {
	case m.height < 3:
		f = frame{}
	case m.height < 6:
		f.tabs = 0
	case m.height >= 14:
		f.header = 2
	}
	if m.height >= 8 {
		f.question = len(m.asked(m.opt.now()))
	}
	f.body = max(m.height-f.header-f.tabs-f.question-f.footer, 0)
	return f
}

func (m *model) draw() []string {
	if m.width < 1 || m.height < 1 {
		return nil
	}
	f, now := m.frame(), m.opt.now()
	var lines []string
	if f.header > 0 {
		lines = append(lines, m.book.position(m.look, now, m.width))
	}
	if f.header > 1 {
		lines = append(lines, m.book.condition(m.look, now, m.width))
	}
	if f.tabs > 0 {
		lines = append(lines, m.tabs())
	}
	body := m.body(f.body, now)
	for i := range f.body {
		text := ""
		if i < len(body) {
			text = body[i]
		}
		lines = append(lines, text)
	}
	if f.question > 0 {
		lines = append(lines, m.asked(now)...)
	}
	if f.footer > 0 {
		lines = append(lines, m.footer(now))
	}
	for i := range lines {
		lines[i] = cut(lines[i], m.width)
	}
	return lines
}

// lay makes the page ready that keys move in.
func (m *model) lay() {
	if r, height := m.page(), m.frame().body; r != nil {
		if m.pane == changesPane && m.help == nil {
			height--
		}
		r.lay(m.width, max(height, 1))
	}
}

// page is the roll that is shown; nil when it is the table.
func (m *model) page() *roll {
	switch {
	case m.help != nil:
		return m.help
	case m.pane == transcriptPane && m.past != nil:
		return &m.past.roll
	case m.pane == transcriptPane:
		return &m.book.transcript
	case m.pane == changesPane:
		return &m.changes.roll
	case m.pane == checksPane:
		m.checks.blocks = m.book.checks()
		return &m.checks
	case m.pane == logPane:
		return &m.book.log
	}
	return nil
}

func (m *model) body(height int, now time.Time) []string {
	switch {
	case height < 1:
		return nil
	case m.help == nil && m.pane == iterationsPane:
		return m.table.show(m.book.rows, m.look, now, m.width, height)
	case m.help == nil && m.pane == changesPane:
		return m.changes.show(m.look, m.width, height)
	}
	r := m.page()
	r.lay(m.width, height)
	return r.show(m.look)
}

// tabs names the panes, and where in the open one we are.
func (m *model) tabs() string {
	full := 0
	for _, p := range panes {
		full += len(p.name) + 5
	}
	var b strings.Builder
	for i, p := range panes {
		name := p.name
		if m.width < full {
			name = p.short
		}
		text := fmt.Sprintf(" %d %s ", i+1, name)
		s := faint
		if pane(i) == m.pane && m.help == nil {
			s = marked
		}
		b.WriteString(m.look.paint(s, text))
	}
	return ends(b.String(), m.look.paint(faint, m.place()), m.width)
}

func (m *model) place() string {
	if m.help != nil {
		return "help"
	}
	where := ""
	if r := m.page(); r != nil {
		where = r.place()
	}
	if where == atEnd && !m.book.run.State.Ended() {
		where = "following"
	}
	if m.pane == transcriptPane && m.past != nil {
		return strings.TrimSpace("iteration " + m.past.of.number() + " " + where)
	}
	return where
}

// footer is what is being typed or asked, what came of the last key, or the keys.
func (m *model) footer(now time.Time) string {
	switch {
	case m.field != nil:
		return m.field.show(m.look, m.width)
	case m.question != nil:
		return m.look.facts([]part{{m.question.text, caution, 0}, {m.question.keys, strong, 0}}, "  ", m.width)
	case m.said.text != "" && now.Sub(m.said.at) < noticeTime:
		return m.look.paint(m.said.style, view.Fit(m.said.text, m.width))
	}
	return m.hints()
}
