package tui

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// question is one that a key answers; any other key is a no.
type question struct {
	text    string
	keys    string // how to answer
	answers map[string]func() tea.Cmd
}

// confirm asks before something is done that cannot be taken back.
func (m *model) confirm(text string, yes func() tea.Cmd) tea.Cmd {
	m.question = &question{text: text, keys: "y/n", answers: map[string]func() tea.Cmd{"y": yes, "Y": yes}}
	return nil
}

// answer takes the key that a question was waiting for.
func (m *model) answer(key string) tea.Cmd {
	q := m.question
	m.question = nil
	if act, ok := q.answers[key]; ok {
		return act()
	}
	return nil
}

// letters are the keys for answers to what a run asks. The first answer of any
// question is approval.
var letters = map[string]string{"continue": "c", "skip": "k", "reboot": "r", "stop": "s", "done": "y"}

const approval = "a"

// choice is an answer that the run takes now, and its key.
type choice struct{ key, answer string }

func (m *model) choices() []choice {
	if m.book.run.Asked == nil {
		return nil
	}
	var list []choice
	for i, answer := range m.book.run.Asked.Choices {
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
	q := m.book.run.Asked
	if q == nil {
		return nil
	}
	question := text.Line(q.Question)
	wide := ansi.StringWidth(question)
	var parts []part
	for _, c := range m.choices() {
		said := c.key + " " + text.Line(c.answer)
		parts = append(parts, part{said, strong, 0})
		wide += 2 + ansi.StringWidth(said)
	}
	if m.opt.Edit != nil && q.Prompt != "" {
		parts = append(parts, part{"e edit the prompt", plain, 1})
	}
	if !q.Until.IsZero() {
		parts = append(parts, part{fmt.Sprintf("%s: %s", text.Left(q.Until.Sub(now)), text.Line(q.Default)), faint, 2})
	}
	if wide <= m.width {
		return []string{m.look.facts(append([]part{{question, caution, 0}}, parts...), "  ", m.width)}
	}
	return []string{m.look.paint(caution, view.Fit(question, m.width)), m.look.facts(parts, "  ", m.width)}
}
