package tui

import (
	"fmt"
	"iter"

	tea "charm.land/bubbletea/v2"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// past is the transcript of an attempt that was opened from the list.
type past struct {
	of   row
	roll roll
}

// pastRead is such a transcript, or why there is none.
type pastRead struct {
	of   row
	roll roll
	err  error
}

// open reads the transcript of the chosen attempt. That of the one under way is
// on the screen already.
func (m *model) open() tea.Cmd {
	rows := m.book.rows
	if len(rows) == 0 {
		return nil
	}
	r := rows[m.table.at(rows)]
	m.pane = transcriptPane
	if !r.done {
		m.past = nil
		return nil
	}
	m.say(faint, fmt.Sprintf("reading iteration %s…", r.number()))
	name, page := m.book.run.Name, newBook(m.opt)
	return m.errand(func() tea.Msg {
		err := page.read(m.work.past(name, r.after), r)
		return pastRead{r, page.transcript, err}
	})
}

// read takes in the events of one attempt. What comes before it is only to know
// how things stood.
func (b *book) read(events iter.Seq2[loop.Event, error], of row) error {
	silent := true
	for e, err := range events {
		if err != nil {
			return err
		}
		if _, ok := e.Payload.(*loop.IterationStarted); ok {
			b.transcript = roll{}
		}
		b.observe(e)
		mine := e.Iter == of.iter && e.Attempt == of.attempt
		switch e.Payload.(type) {
		case *loop.AgentText, *loop.AgentTool:
			silent = silent && !mine
		case *loop.IterationFinished:
			if !mine {
				continue
			}
			if silent {
				b.note(faint, "(the agent said nothing, or it is no longer kept: see retention.transcripts)")
			}
			return nil
		}
	}
	return nil
}

func (m *model) take(p pastRead) {
	m.said = notice{}
	if p.err != nil {
		m.say(bad, fmt.Sprintf("Could not read iteration %s: %v", p.of.number(), text.Line(p.err.Error())))
		return
	}
	m.past = &past{of: p.of, roll: p.roll}
}
