package tui

import (
	"strings"
	"time"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// dialog is the last line of the screen while it is used to talk: a text is typed,
// a question waits for its key, or something is said for a while.
type dialog struct {
	now      func() time.Time
	input    *textInput
	question *question
	said     notice
}

// textInput is a text of one line that a person is typing, and what is done with
// it.
type textInput struct {
	textinput.Model
	enter func(text string) tea.Cmd
}

// question is one that a key answers; any other key is a no.
type question struct {
	text    string
	keys    string // how to answer
	answers map[string]func() tea.Cmd
}

// notice is what came of the last key. It goes with the next one, or after a while.
type notice struct {
	style style
	text  string
	at    time.Time
}

const noticeTime = 8 * time.Second

func (d *dialog) say(s style, text string) { d.said = notice{s, text, d.now()} }

// maxTyped is how long a text may get: a pasted file is no note.
const maxTyped = 4000

// ask opens a line to type in. What is typed goes to enter, unless it is given up.
func (d *dialog) ask(prompt string, enter func(string) tea.Cmd) tea.Cmd {
	in := textinput.New()
	in.Prompt, in.CharLimit = prompt, maxTyped
	in.KeyMap.Paste.SetEnabled(false) // it would run programs that read the clipboard; terminals paste by themselves
	in.SetStyles(textinput.Styles{})  // no colours of its own, and a cursor that stands still
	in.Focus()
	d.input = &textInput{in, enter}
	return nil
}

// press takes a key, if one is waited for.
func (d *dialog) press(key tea.KeyPressMsg) (cmd tea.Cmd, taken bool) {
	switch name := key.String(); {
	case d.input != nil:
		return d.typed(key), true
	case d.question != nil && name != "ctrl+c":
		q := d.question
		d.question = nil
		if act, ok := q.answers[name]; ok {
			return act(), true
		}
		return nil, true
	}
	d.said = notice{}
	return nil, false
}

func (d *dialog) typed(key tea.KeyPressMsg) tea.Cmd {
	in := d.input
	switch key.String() {
	case "esc", "ctrl+c":
		d.input = nil
	case "enter":
		d.input = nil
		return in.enter(strings.TrimSpace(in.Value()))
	default:
		in.Model, _ = in.Update(key) // a cursor that stands still asks for nothing
	}
	return nil
}

// paste puts a text at the cursor, on one line and without what a terminal would
// obey.
func (d *dialog) paste(msg tea.PasteMsg) {
	if d.input != nil {
		d.input.Model, _ = d.input.Update(tea.PasteMsg{Content: text.Clean(msg.Content)})
	}
}

// show draws the line; it is empty while the dialog has nothing to say.
func (d *dialog) show(p palette, width int) string {
	switch {
	case d.input != nil:
		return d.input.show(width)
	case d.question != nil:
		asked := view.Fit(d.question.text, max(width-2-ansi.StringWidth(d.question.keys), 0)) // its keys stay whole
		return p.facts([]part{{asked, caution, 0}, {d.question.keys, strong, 0}}, "  ", width)
	case d.said.text != "" && d.now().Sub(d.said.at) < noticeTime:
		return p.paint(d.said.style, view.Fit(d.said.text, width))
	}
	return ""
}

// show draws the text with its cursor in sight.
func (t textInput) show(width int) string {
	t.Prompt = ansi.Truncate(t.Prompt, width/2, "")
	t.SetWidth(max(width-ansi.StringWidth(t.Prompt)-1, 1))
	t.SetCursor(t.Position()) // which has it lay out the text for the width
	return t.View()
}
