package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/refrain-loop/refrain/internal/control"
	"github.com/refrain-loop/refrain/internal/loop"
)

// press does what a key stands for.
func (m *model) press(key tea.KeyPressMsg) tea.Cmd {
	name := key.String()
	switch {
	case m.field != nil:
		cmd, done := m.field.press(key)
		if done {
			m.field = nil
		}
		return cmd
	case m.question != nil && name != "ctrl+c":
		return m.answer(name)
	}
	m.said = notice{}
	if m.scroll(name) {
		return nil
	}
	for _, c := range m.choices() {
		if c.key == name {
			return m.send(control.Command{Command: control.Approve, Text: c.answer})
		}
	}
	if cmd, ok := m.show(name); ok {
		return cmd
	}
	return m.steer(name)
}

// scroll moves in the pane.
func (m *model) scroll(key string) bool {
	r, page := m.page(), max(m.frame().body-1, 1)
	by, known := map[string]int{
		"up": -1, "down": 1, "pgup": -page, "pgdown": page, "ctrl+b": -page, "ctrl+f": page,
		"ctrl+u": -page / 2, "ctrl+d": page / 2, "home": -mostKept * 100, "end": mostKept * 100, "g": -mostKept * 100, "G": mostKept * 100,
	}[key]
	switch {
	case known && r == nil:
		m.table.move(m.book.rows, by)
	case known:
		r.move(by)
	}
	return known
}

// wheel scrolls with the mouse.
func (m *model) wheel(b tea.MouseButton) {
	const step = 3
	by := step
	switch b {
	case tea.MouseWheelUp:
		by = -step
	case tea.MouseWheelDown:
	default:
		return
	}
	if r := m.page(); r != nil {
		r.move(by)
	} else {
		m.table.move(m.book.rows, by)
	}
}

// show does what keys do to the screen.
func (m *model) show(key string) (tea.Cmd, bool) {
	searching := m.page() != nil && m.page().term != ""
	switch {
	case key == "?":
		m.toggleHelp()
	case key == "esc":
		m.back()
	case m.help != nil && key == "q":
		m.help = nil
	case key == "tab":
		return m.turn((m.pane + 1) % pane(len(panes))), true
	case key == "shift+tab":
		return m.turn((m.pane + pane(len(panes)) - 1) % pane(len(panes))), true
	case len(key) == 1 && key >= "1" && key <= "5":
		return m.turn(pane(key[0] - '1')), true
	case key == "d":
		return m.turn(changesPane), true
	case key == "/":
		return m.ask("/", func(term string) tea.Cmd { m.search(term); return nil }), true
	case searching && (key == "n" || key == "N"):
		m.again(key)
	case key == "m":
		m.mouse = !m.mouse
	case key == "x" && m.page() != nil:
		m.page().toggleAll()
	case key == "left", key == "right":
		return m.sideways(key), true
	case key == "enter", key == "space":
		return m.enter(), true
	default:
		return nil, false
	}
	return nil, true
}

// turn opens a pane. The transcript is the live one again when it is turned to
// from itself.
func (m *model) turn(to pane) tea.Cmd {
	m.help = nil
	if to == transcriptPane && m.pane == transcriptPane {
		m.past = nil
	}
	m.pane = to
	if to == changesPane {
		return m.compare()
	}
	return nil
}

func (m *model) sideways(key string) tea.Cmd {
	by := 1
	if key == "left" {
		by = -1
	}
	switch {
	case m.help != nil:
	case m.pane == transcriptPane:
		m.page().choose(by)
	case m.pane == changesPane:
		m.table.move(m.book.rows, by)
		return m.compare()
	}
	return nil
}

func (m *model) enter() tea.Cmd {
	switch {
	case m.help != nil:
	case m.pane == transcriptPane:
		m.page().toggle()
	case m.pane == iterationsPane:
		return m.open()
	}
	return nil
}

// back goes out of what was gone into last.
func (m *model) back() {
	r := m.page()
	switch {
	case m.help != nil:
		m.help = nil
	case r != nil && r.term != "":
		r.term = ""
	case r != nil && r.chosen != nil:
		r.chosen = nil
	case m.pane == transcriptPane && m.past != nil:
		m.past, m.pane = nil, iterationsPane
	}
}

func (m *model) search(term string) {
	r := m.page()
	if r == nil {
		m.pane = transcriptPane
		r = m.page()
		m.lay()
	}
	n, of := r.search(term)
	m.tellMatch(term, n, of)
}

func (m *model) again(key string) {
	r := m.page()
	by := 1
	if key == "N" != r.grows { // what grows is searched from its end
		by = -1
	}
	n, of := r.next(by)
	m.tellMatch(r.term, n, of)
}

func (m *model) tellMatch(term string, n, of int) {
	switch {
	case term == "":
	case of == 0:
		m.page().term = ""
		m.say(caution, fmt.Sprintf("%q is nowhere in here.", term))
	default:
		m.say(plain, fmt.Sprintf("%q: %d of %d · n next · N previous · Esc ends", term, n, of))
	}
}

// steer does what keys ask of the run.
func (m *model) steer(key string) tea.Cmd {
	run := m.book.run
	switch key {
	case "p":
		if run.State == loop.Paused || m.book.pausing {
			return m.send(control.Command{Command: control.Resume})
		}
		return m.send(control.Command{Command: control.Pause})
	case "c":
		return m.send(control.Command{Command: control.Resume})
	case "s":
		return m.sure("Stop after this iteration?", control.Stop)
	case "S":
		return m.sure("Stop now, and end the agent?", control.StopNow)
	case "k":
		return m.sure("Skip: end the agent and go on with the next iteration?", control.Skip)
	case "r":
		return m.sure("Reboot: give up the agent's session after this iteration?", control.Reboot)
	case "n":
		if m.deaf() {
			return nil
		}
		return m.ask("note: ", func(text string) tea.Cmd {
			if text == "" {
				return nil
			}
			return m.send(control.Command{Command: control.Note, Text: text})
		})
	case "a":
		return m.send(control.Command{Command: control.Approve})
	case "e":
		return m.edit()
	case "q":
		return m.leave()
	case "ctrl+c":
		return m.interrupt()
	case "ctrl+z":
		if m.opt.Interrupt == nil { // a run of our own would stand still
			return tea.Suspend
		}
	}
	return nil
}

// sure asks before a command that cannot be taken back, if it could be sent.
func (m *model) sure(text, command string) tea.Cmd {
	if m.deaf() {
		return nil
	}
	return m.confirm(text, func() tea.Cmd { return m.send(control.Command{Command: command}) })
}

// leave closes the screen. A run that this process drives would end with it.
func (m *model) leave() tea.Cmd {
	if m.opt.Interrupt == nil || m.book.run.State.Ended() {
		return tea.Quit
	}
	stop := func(command string) func() tea.Cmd {
		return func() tea.Cmd {
			m.leaving = true
			return m.send(control.Command{Command: command})
		}
	}
	m.question = &question{
		text: "The run ends with this screen. Stop it?", keys: "s after this iteration  S now  Esc stay",
		answers: map[string]func() tea.Cmd{"s": stop(control.Stop), "S": stop(control.StopNow)},
	}
	return nil
}

// interrupt does what Ctrl+C does elsewhere: it asks a run of our own to stop,
// and leaves any other alone.
func (m *model) interrupt() tea.Cmd {
	m.question = nil
	if m.opt.Interrupt == nil || m.book.run.State.Ended() {
		return tea.Quit
	}
	m.leaving = true
	interrupt := m.opt.Interrupt
	return func() tea.Msg {
		interrupt()
		return redraw{}
	}
}
