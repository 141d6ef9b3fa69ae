package agent

import (
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// grumbles is what a program says in nobody's dialect before the agent has begun: one
// that dies there, without a sign-in say, has told why on stderr and nowhere else.
type grumbles struct {
	lines []string // the last that calls itself an error and what follows it, or the last few
	error bool
}

// maxGrumbles and maxGrumble are how many lines are kept, and how much of each.
const (
	maxGrumbles = 12
	maxGrumble  = 300
)

func (g *grumbles) heed(line []byte) {
	said := strings.TrimSpace(text.Valid(string(line[:min(len(line), maxGrumble)])))
	switch isError := text.IsError(said); {
	case said == "" || !isError && explainsNothing(said):
	case isError:
		g.lines, g.error = append(g.lines[:0], said), true
	case len(g.lines) < maxGrumbles:
		g.lines = append(g.lines, said)
	case !g.error:
		g.lines = append(g.lines[:0], append(g.lines[1:], said)...)
	}
}

// explainsNothing is a line of help, of a trace, or a warning, whatever words it has.
func explainsNothing(said string) bool {
	said = strings.ToLower(said[:min(len(said), len("usage: "))])
	return slices.ContainsFunc([]string{"-", "at ", "usage:", "warning"}, func(begin string) bool { return strings.HasPrefix(said, begin) })
}

// fault is what they come to, and the one of them to show. Where none calls itself an
// error the last counts most: of those before only what nobody says in passing.
func (g *grumbles) fault() (f fault, shown string) {
	f = fault{text: strings.Join(g.lines, "\n")}
	if answer := answerIn(f); answer != f {
		return answer, answer.text
	}
	if g.error {
		return f, g.lines[0]
	}
	for _, line := range slices.Backward(g.lines) {
		one := fault{text: line}
		switch one.class() {
		case loop.ErrAuth, loop.ErrModel, loop.ErrContextOverflow:
			return one, line
		}
	}
	last := g.lines[len(g.lines)-1]
	return fault{text: last}, last
}

// chatterer is a dialect whose agent says things on stderr that explain nothing.
type chatterer interface{ chatter(line string) bool }

// confessor is a dialect whose agent begins its last words on stderr in a way of its
// own, which no tool would by chance.
type confessor interface {
	// confesses gives what such a line says.
	confesses(line string) (why string, ok bool)
}

func (d *jsonDecoder) isChatter(line []byte) bool {
	c, ok := d.dialect.(chatterer)
	return ok && c.chatter(string(line))
}

// grumble heeds a line until the agent has begun.
func (d *jsonDecoder) grumble(line []byte) {
	if d.report.begun || d.isChatter(line) {
		return
	}
	if v, ok := d.parser.parse(line); ok && v.has("message") { // cline
		line = []byte("error: " + v.str("message"))
	}
	d.grumbles.heed(line)
}

// confess heeds the agent's last words, whenever they come.
func (d *jsonDecoder) confess(line []byte) {
	c, ok := d.dialect.(confessor)
	if !ok || d.isChatter(line) {
		return
	}
	if why, ok := c.confesses(bare(line)); ok {
		d.confession = grumbles{error: true}
		line = []byte(why)
	} else if !d.confession.error {
		return
	}
	d.confession.heed(line)
}

// died explains by what the agent said on stderr why it ended without a result that
// tells. What that does not put clearly is left to whoever tells people of it.
func (d *jsonDecoder) died(exit loop.Exit) {
	r := &d.report
	if exit.Cause != loop.Exited || exit.Zero() || r.result != nil && (!r.vague || r.result.Error == nil) {
		return
	}
	g := &d.confession
	if !r.begun && r.result == nil && len(g.lines) == 0 {
		g = &d.grumbles
	}
	if len(g.lines) == 0 {
		return
	}
	f, shown := g.fault()
	if f.class() == loop.ErrAgent {
		return
	}
	r.failed(f)
	r.result.Error.Message = shown
}

// holdsAny tells whether one of the parts stands in a line.
func holdsAny(line string, parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(line, part) })
}
