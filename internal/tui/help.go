package tui

import (
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
)

// keys is every key, for the help.
var keys = []struct{ key, does string }{
	{"", "The run"},
	{"p", "pause after this iteration, or go on"},
	{"c", "go on at once: cut a wait short"},
	{"s", "stop after this iteration"},
	{"S", "stop now: the agent is ended"},
	{"k", "skip: end the agent, go on with the next iteration"},
	{"r", "reboot: a fresh session after this iteration"},
	{"n", "note: tell the next agent something"},
	{"a", "approve: answer what the run asks"},
	{"e", "edit the next prompt, when it is offered"},
	{"", "The screen"},
	{"Tab 1-5", "the panes"},
	{"↑ ↓ PgUp PgDn", "scroll; in the list: choose an iteration"},
	{"g G", "to the start, to the end (and follow it)"},
	{"← →", "choose a tool call; in the changes: another iteration"},
	{"Enter Space", "unfold it; in the list: open its transcript"},
	{"x", "fold or unfold all tool calls"},
	{"d", "changes of the chosen iteration"},
	{"/", "search; then n and N: next, previous"},
	{"m", "mouse wheel on or off (on: select text with Shift)"},
	{"Esc", "back: from a search, an opened iteration, this help"},
	{"?", "this help"},
	{"q", "leave"},
}

// toggleHelp shows every key, or no longer does.
func (m *model) toggleHelp() {
	if m.help != nil {
		m.help = nil
		return
	}
	m.help = &roll{}
	for _, k := range keys {
		if k.key == "" {
			if len(m.help.blocks) > 0 {
				m.help.add(&block{})
			}
			m.help.add(&block{text: k.does, style: heading})
			continue
		}
		m.help.add(&block{text: "  " + pad(k.key, 15) + k.does, indent: strings.Repeat(" ", 17)})
	}
}

// hints are the keys that matter most now.
func (m *model) hints() string {
	switch r := m.page(); {
	case m.help != nil:
		return m.hint(part{"Esc back", faint, 0})
	case r != nil && r.term != "":
		return m.hint(part{"n next", faint, 0}, part{"N previous", faint, 1}, part{"Esc ends the search", faint, 0}, part{"? help", faint, 2})
	case m.pane == iterationsPane:
		return m.hint(append([]part{{"Enter transcript", faint, 2}}, m.usual()...)...)
	case m.pane == transcriptPane && m.past != nil:
		return m.hint(append([]part{{"Esc back", faint, 0}}, m.usual()...)...)
	case m.pane == transcriptPane:
		return m.hint(append(m.usual(), part{"← → Enter tool calls", faint, 9})...)
	}
	return m.hint(m.usual()...)
}

func (m *model) hint(parts ...part) string { return m.look.facts(parts, "  ", m.width) }

// usual is the keys that do the same in every pane.
func (m *model) usual() []part {
	if m.book.run.State.Ended() {
		return []part{{"? help", faint, 0}, {"q leave", faint, 1}}
	}
	pause := "p pause"
	if m.book.run.State == loop.Paused || m.book.pausing {
		pause = "p go on"
	}
	return []part{
		{pause, faint, 2},
		{"s stop", faint, 3},
		{"k skip", faint, 4},
		{"r reboot", faint, 6},
		{"n note", faint, 5},
		{"d diff", faint, 7},
		{"/ search", faint, 8},
		{"? help", faint, 0},
		{"q leave", faint, 1},
	}
}
