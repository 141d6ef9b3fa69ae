package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/refrain-loop/refrain/internal/text"
)

// field is a text of one line that a person is typing.
type field struct {
	prompt string
	before []rune // the cursor
	after  []rune // and what stands behind it
	enter  func(text string) tea.Cmd
}

// mostTyped is how long a text may get: a pasted file is no note.
const mostTyped = 4000

// ask opens a field. What is typed goes to enter, unless it is given up.
func (m *model) ask(prompt string, enter func(string) tea.Cmd) tea.Cmd {
	m.field = &field{prompt: prompt, enter: enter}
	return nil
}

// press takes a key. done says that nothing more is typed.
func (f *field) press(key tea.KeyPressMsg) (cmd tea.Cmd, done bool) {
	switch key.String() {
	case "esc", "ctrl+c":
		return nil, true
	case "enter":
		return f.enter(strings.TrimSpace(string(f.before) + string(f.after))), true
	case "left", "ctrl+b":
		f.step(-1)
	case "right", "ctrl+f":
		f.step(1)
	case "home", "ctrl+a":
		f.step(-len(f.before))
	case "end", "ctrl+e":
		f.step(len(f.after))
	case "backspace", "ctrl+h":
		f.before = f.before[:max(len(f.before)-1, 0)]
	case "delete", "ctrl+d":
		f.after = f.after[min(1, len(f.after)):]
	case "ctrl+u":
		f.before = nil
	case "ctrl+k":
		f.after = nil
	case "ctrl+w", "alt+backspace":
		words := strings.TrimRight(string(f.before), " ")
		f.before = []rune(words[:strings.LastIndexByte(words, ' ')+1])
	default:
		f.insert(key.Text)
	}
	return nil, false
}

// insert puts a text at the cursor; a pasted one may have lines.
func (f *field) insert(pasted string) {
	room := mostTyped - len(f.before) - len(f.after)
	typed := []rune(strings.ReplaceAll(text.Clean(pasted), "\n", " "))
	f.before = append(f.before, typed[:min(len(typed), max(room, 0))]...)
}

// step moves the cursor.
func (f *field) step(by int) {
	all, at := append(f.before, f.after...), len(f.before)+by
	at = min(max(at, 0), len(all))
	f.before, f.after = all[:at:at], all[at:]
}

// show draws the field with its cursor in sight.
func (f *field) show(p palette, width int) string {
	prompt := ansi.Truncate(f.prompt, width/2, "")
	room := max(width-ansi.StringWidth(prompt), 1)
	before, under, after := string(f.before), " ", ""
	if len(f.after) > 0 {
		under, after = string(f.after[:1]), string(f.after[1:])
	}
	if over := ansi.StringWidth(before) + ansi.StringWidth(under) - room; over > 0 {
		before = ansi.TruncateLeft(before, over, "")
	}
	return prompt + before + p.paint(marked, under) + ansi.Truncate(after, max(room-ansi.StringWidth(before)-ansi.StringWidth(under), 0), "")
}
