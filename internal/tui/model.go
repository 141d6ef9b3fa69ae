package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// model is the screen: the run and its size, and what keys do. What the panes show
// is theirs, and what is typed, asked and answered in the last line the dialog's.
//
//	  position    header.go   where the run stands
//	╭ tabs ─────╮ panes.go    which pane is open
//	│ body      │             scrollback.go, attempts.go, changes.go, checks.go;
//	│           │ frames.go   the list and a pane side by side, where there is room
//	╰ condition ╯ header.go   how the run fares, and where in the pane we are
//	  question    model.go    what the run asks a person
//	  footer      dialog.go   what is typed or asked, else keys.go: hints
type model struct {
	opt    Options
	look   palette
	data   *runData
	work   work
	panes  panes
	dialog *dialog

	runs *runList // in place of the panes

	width, height int
	mouse         bool
	leaving       bool // the screen closes when the run ends
}

// redraw says that the run or the time has moved on.
type redraw struct{}

func newModel(d *runData, w work, o Options) *model {
	if o.Now == nil {
		o.Now = time.Now
	}
	look, said := newPalette(o.Color), &dialog{now: o.Now}
	m := &model{
		opt: o, look: look, data: d, work: w, dialog: said, mouse: true,
		panes: panes{look: look, data: d, work: w, dialog: said, another: func() *runData { return newRunData(o) }},
	}
	m.recall(o.Said)
	return m
}

// recall tells what was said where the screen has hidden it: the first line at once, and
// all of it at the top of the transcript and the log.
func (m *model) recall(said string) {
	for i, line := range strings.Split(strings.TrimSpace(said), "\n") {
		if line == "" {
			continue
		}
		if i == 0 {
			m.dialog.say(caution, text.Line(line))
		}
		m.data.note(caution, line)
		m.data.log.add(&block{text: oneLine(line), style: caution, indent: "  "})
	}
}

// Init starts nothing: the screen is drawn when its size is known.
func (m *model) Init() tea.Cmd { return nil }

// Update takes in a key, a new size, or something that was waited for.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m.data.mu.Lock()
	defer m.data.mu.Unlock()
	defer func() { m.panes.resize(m.frame().body) }() // so that what the next key moves is what is seen
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.KeyPressMsg:
		return m, m.press(msg)
	case tea.PasteMsg:
		m.dialog.paste(msg)
	case tea.MouseWheelMsg:
		return m, m.wheel(msg)
	case tea.MouseClickMsg:
		return m, m.click(msg.X, msg.Y)
	case told:
		m.dialog.say(msg.style, msg.text)
	case runsRead:
		m.runs.take(msg)
	case again:
		if m.opt.Switch != nil {
			m.opt.Switch(LiveRun{Said: msg.said})
			return m, tea.Quit
		}
		m.recall(msg.said)
	case redraw:
		if m.opt.Away != nil {
			m.data.run.Away = m.opt.Away()
		}
		if m.leaving && m.data.run.State.Ended() {
			return m, tea.Quit
		}
	}
	return m, m.panes.update(msg)
}

// View draws the screen: every line is there and none is too long, however small
// the terminal is.
func (m *model) View() tea.View {
	m.data.mu.Lock()
	defer m.data.mu.Unlock()
	v := tea.View{AltScreen: true}
	if m.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	v.Content = strings.Join(m.draw(), "\n")
	if !m.opt.Unicode {
		v.Content = view.ASCII(v.Content)
	}
	return v
}

// frame says which parts a screen has room for.
type frame struct {
	header, tabs, question, footer int // lines each
	body                           area
}

func (m *model) frame() frame {
	f := frame{header: 1, tabs: 1, footer: 1, body: area{width: m.width, frames: framesFor(m.width, m.height)}}
	switch {
	case m.height < 3:
		f.header, f.tabs, f.footer = 0, 0, 0
	case m.height < 6 || f.body.frames > 0: // the names are in the frame
		f.tabs = 0
	case m.height >= 14:
		f.header = len(m.header(m.opt.Now()))
	}
	if m.height >= 8 {
		f.question = len(m.asked(m.opt.Now()))
	}
	f.body.height = max(m.height-f.header-f.tabs-f.question-f.footer, 0)
	return f
}

// header says where the run stands, and how it fares where no frame does.
func (m *model) header(now time.Time) []string {
	position := m.data.position(m.look, m.panes.tasks.said(), now, m.width)
	if condition := m.data.condition(m.look, now, m.width); condition != "" {
		return []string{position, condition}
	}
	return []string{position}
}

func (m *model) draw() []string {
	if m.width < 1 || m.height < 1 {
		return nil
	}
	f, now := m.frame(), m.opt.Now()
	var lines []string
	if f.header > 0 {
		lines = append(lines, m.header(now)[:f.header]...)
	}
	if f.tabs > 0 {
		lines = append(lines, m.panes.tabs(m.width))
	}
	m.panes.resize(f.body)
	body := m.panes.show(now)
	if m.runs != nil {
		body = m.runs.show(m.look, f.body)
	}
	for i := range f.body.height {
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
		lines = append(lines, m.footer())
	}
	for i := range lines {
		if ansi.StringWidth(lines[i]) > m.width {
			lines[i] = ansi.Truncate(lines[i], m.width, "")
		}
	}
	return lines
}

// footer is what is being typed or asked, what came of the last key, or the keys.
func (m *model) footer() string {
	if said := m.dialog.show(m.look, m.width); said != "" {
		return said
	}
	return m.look.hints(m.hints(), m.width)
}

// letters are the keys for answers to what a run asks. The first answer of any
// question is approval.
var letters = map[string]string{"continue": "c", "skip": "K", "reboot": "r", "stop": "s", "done": "y"}

const approval = "a"

// choice is an answer that the run takes now, and its key.
type choice struct{ key, answer string }

func (m *model) choices() []choice {
	if m.data.run.Asked == nil {
		return nil
	}
	var list []choice
	for i, answer := range m.data.run.Asked.Choices {
		key := letters[answer]
		if i == 0 {
			key = approval
		}
		if key != "" {
			list = append(list, choice{key, answer})
		}
	}
	return list
}

// asked shows what the run asks, and how to answer: on one line, or on two where
// one is too short.
func (m *model) asked(now time.Time) []string {
	q := m.data.run.Asked
	if q == nil {
		return nil
	}
	question := text.Line(q.Question)
	wide := ansi.StringWidth(question)
	var parts []part
	for i, c := range m.choices() {
		answer := text.Line(c.answer)
		parts = append(parts, part{m.look.paint(accent, c.key) + " " + m.look.paint(strong, answer), plain, 3 + i})
		wide += 3 + ansi.StringWidth(c.key+answer)
	}
	if m.opt.Edit != nil && q.Prompt != "" {
		parts = append(parts, part{m.look.paint(accent, "e") + " edit the prompt", plain, 10})
	}
	if !q.Until.IsZero() {
		parts = append(parts, part{text.Left(q.Until.Sub(now)) + ": " + text.Line(q.Default), faint, 11})
	}
	if wide <= m.width {
		return []string{m.look.facts(append([]part{{question, caution, 0}}, parts...), "  ", m.width)}
	}
	return []string{m.look.paint(caution, view.Fit(question, m.width)), m.look.facts(parts, "  ", m.width)}
}
