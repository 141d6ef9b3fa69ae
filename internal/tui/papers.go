package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/refrain-loop/refrain/internal/text"
)

// prompt is the pane with what an attempt was told.
type prompt struct {
	of   attempt
	said string // in place of it
	text scrollback
}

// promptRead is a prompt, or why there is none.
type promptRead struct {
	of   attempt
	text string
	err  error
}

// chosenRow is the attempt that is chosen in the list, or the latest.
func (p *panes) chosenRow() (row, bool) {
	rows := p.data.rows
	if len(rows) == 0 {
		return row{}, false
	}
	return rows[p.table.at(rows)], true
}

func (p *panes) readPrompt() tea.Cmd {
	r, ok := p.chosenRow()
	of := attempt{r.iter, r.attempt}
	switch {
	case !ok || p.work.prompt == nil:
		p.prompt = prompt{said: "No agent has been told anything yet."}
		return nil
	case p.prompt.of == of:
		return nil
	}
	p.prompt = prompt{of: of, said: "reading…"}
	name := p.data.run.Name
	return p.work.inBackground(func() tea.Msg {
		text, err := p.work.prompt(name, r)
		return promptRead{of, text, err}
	})
}

// take shows a prompt that was read, if it is still wanted.
func (p *prompt) take(read promptRead) {
	if read.of != p.of {
		return
	}
	p.said = ""
	if read.err != nil {
		p.said = text.Line(read.err.Error())
		p.of = attempt{} // it may not be written yet
		return
	}
	p.text.add(&block{text: strings.Trim(text.Clean(read.text), "\n"), rich: true})
}

// GateOutput is what a gate printed, and which tests failed in it.
type GateOutput struct {
	Name, Text string
	Failing    []Failure
}

// Failure is what a failing test said.
type Failure struct{ Test, Said string }

// How much of failing tests is shown before the whole output.
const (
	maxFailing = 20
	maxSaid    = 12
)

// gateOutput is what the gates of the chosen attempt printed.
type gateOutput struct {
	of   attempt
	list []GateOutput
}

// gatesRead is the output of gates.
type gatesRead struct {
	of   attempt
	list []GateOutput
}

func (p *panes) readGates() tea.Cmd {
	r, ok := p.wanted()
	of := attempt{r.iter, r.attempt}
	if !ok || p.work.gates == nil || p.gates.of == of {
		return nil
	}
	p.gates = gateOutput{of: of}
	name := p.data.run.Name
	return p.work.inBackground(func() tea.Msg {
		list, err := p.work.gates(name, r)
		if err != nil {
			list = []GateOutput{{Name: "gates", Text: err.Error()}}
		}
		return gatesRead{of, list}
	})
}

func (g *gateOutput) take(read gatesRead) {
	if read.of == g.of {
		g.list = read.list
	}
}

// failing shows what the failing tests said, each test once.
func (g *gateOutput) failing() []*block {
	var s sheet
	seen := map[string]bool{}
	for _, o := range g.list {
		for _, f := range o.Failing {
			if seen[f.Test] || len(seen) == maxFailing {
				continue
			}
			if len(seen) == 0 {
				s.head("What failed")
			}
			seen[f.Test] = true
			s.item(bad, "✗ "+f.Test)
			lines := strings.Split(strings.Trim(text.Clean(f.Said), "\n"), "\n")
			for _, l := range lines[:min(len(lines), maxSaid)] {
				s = append(s, &block{text: "    " + strings.TrimSpace(text.Cut(l, maxLine)), indent: "      "})
			}
		}
	}
	if len(s) > 0 {
		s = append(s, &block{})
	}
	return s
}

// blocks shows what the gates printed, the end of each: what failed stands there.
func (g *gateOutput) blocks() []*block {
	var s sheet
	for _, o := range g.list {
		s = append(s, &block{}, &block{text: "Output of " + text.Line(o.Name), style: heading})
		lines := strings.Split(strings.Trim(text.Clean(o.Text), "\n"), "\n")
		if more := len(lines) - maxNames; more > 0 {
			s.item(faint, "("+text.Plural(more, "line")+" before)")
			lines = lines[more:]
		}
		for _, l := range lines {
			s = append(s, &block{text: "  " + text.Cut(l, maxLine), style: outputStyle(l), indent: "    "})
		}
	}
	return s
}

// outputStyle sets off the lines that say what failed.
func outputStyle(l string) style {
	small := strings.ToLower(l)
	for _, word := range []string{"fail", "error", "expected", "assert", "panic", "want ", "✗", "✕"} {
		if strings.Contains(small, word) {
			return bad
		}
	}
	return plain
}
