package agent

import (
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// grumbles is what a program says in nobody's dialect before the agent has begun: one
// that dies there, without a sign-in say, has told why on stderr and nowhere else.
type grumbles struct {
	lines []string // the last that calls itself an error and what follows it, or the last
	error bool
}

// maxGrumbles and maxGrumble are how many lines of an error are kept, and how much of each.
const (
	maxGrumbles = 12
	maxGrumble  = 300
)

func (g *grumbles) heed(line []byte) {
	said := strings.TrimSpace(text.Valid(string(line[:min(len(line), maxGrumble)])))
	switch isError := text.IsError(said); {
	case said == "":
	case isError || !g.error:
		g.lines, g.error = append(g.lines[:0], said), isError
	case len(g.lines) < maxGrumbles:
		g.lines = append(g.lines, said)
	}
}

// chatterer is a dialect whose agent says things on stderr that explain nothing.
type chatterer interface{ chatter(line string) bool }

// grumble heeds a line until the agent has begun.
func (d *jsonDecoder) grumble(line []byte) {
	if c, ok := d.dialect.(chatterer); d.report.begun || ok && c.chatter(string(line)) {
		return
	}
	if v, ok := d.parser.parse(line); ok && v.has("message") { // cline
		line = []byte("error: " + v.str("message"))
	}
	d.grumbles.heed(line)
}

// died explains by its grumbles why an agent ended before it had begun. What they do
// not put clearly is left to whoever tells people of them.
func (d *jsonDecoder) died(exit loop.Exit) {
	r := &d.report
	if r.result != nil || r.begun || exit.Cause != loop.Exited || exit.Zero() || len(d.grumbles.lines) == 0 {
		return
	}
	f := fault{text: strings.Join(d.grumbles.lines, "\n")}
	if f.class() == loop.ErrAgent {
		return
	}
	r.failed(f)
	r.result.Error.Message = d.grumbles.lines[0]
}
