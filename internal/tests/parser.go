package tests

import (
	"bytes"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/text"
)

// maxLine is how much of one line is read. Runners print short lines; longer
// ones are data, and their beginning says what there is to know.
const maxLine = 64 << 10

// Parser reads an output as it comes, in pieces of any size.
type Parser struct {
	entrants []entrant
	line     []byte // the line so far, at most maxLine of it
	returned bool   // a carriage return came last: more text overwrites the line
}

// entrant is one framework in a parse.
type entrant struct {
	framework
	reader
	line   func(string)
	within []runner // while one of these runs, the lines are not this one's
}

// New is a parser that has read nothing yet.
func New() *Parser {
	p := &Parser{entrants: make([]entrant, len(frameworks))}
	for i, f := range frameworks {
		reader, line := f.new()
		p.entrants[i] = entrant{framework: f, reader: reader, line: line}
	}
	for _, e := range p.entrants {
		r, ok := e.reader.(runner)
		if !ok {
			continue
		}
		for i := range p.entrants {
			if slices.Contains(e.over, p.entrants[i].name) {
				p.entrants[i].within = append(p.entrants[i].within, r)
			}
		}
	}
	return p
}

// Read reads a whole output at once.
func Read(text string) (Report, bool) {
	p := New()
	p.Write([]byte(text))
	return p.Report()
}

// Write reads on. It never fails, and keeps no more of an output than counts,
// names and the line it is in.
func (p *Parser) Write(data []byte) (int, error) {
	n := len(data)
	for {
		end := bytes.IndexByte(data, '\n')
		if end < 0 {
			p.extend(data)
			return n, nil
		}
		p.extend(data[:end])
		p.finish()
		data = data[end+1:]
	}
}

// Report is what the output showed so far, false when no test runner was seen in
// it. The line that is being read counts as if it ended here.
func (p *Parser) Report() (Report, bool) {
	if len(p.line) > 0 {
		p.finish()
	}
	var sum Report
	var names []string
	reports := p.reports()
	for _, e := range p.entrants {
		r, ok := reports[e.name]
		if !ok {
			continue
		}
		sum.add(r)
		names = append(names, e.name)
	}
	sum.Framework = strings.Join(names, "+")
	return sum, len(names) > 0
}

// reports is what each framework has to say, less those that only overheard
// another one.
func (p *Parser) reports() map[string]Report {
	reports := make(map[string]Report)
	for _, e := range p.entrants {
		if r, ok := e.report(); ok {
			reports[e.name] = r
		}
	}
	for _, e := range p.entrants {
		_, seen := reports[e.name]
		_, told := e.reader.(runner)
		if !seen || told {
			continue
		}
		for _, name := range e.over {
			delete(reports, name)
		}
	}
	for _, e := range p.entrants {
		if e.echo && repeats(e.name, reports) {
			delete(reports, e.name)
		}
	}
	return reports
}

// repeats tells whether a framework says what another one said.
func repeats(name string, reports map[string]Report) bool {
	one, ok := reports[name]
	if !ok {
		return false
	}
	for other, r := range reports {
		if other != name && r.Total == one.Total && r.Failed == one.Failed {
			return true
		}
	}
	return false
}

// extend adds to the line. What a carriage return takes back is dropped here,
// so that a progress bar of any length can't hide what it ends with.
func (p *Parser) extend(data []byte) {
	text := bytes.TrimRight(data, "\r")
	if len(text) > 0 {
		if p.returned {
			p.line = p.line[:0]
		}
		if bytes.IndexByte(text, '\r') >= 0 { // most have none, and looking from the end is slow
			p.line, text = p.line[:0], text[bytes.LastIndexByte(text, '\r')+1:]
		}
		p.returned = false
		p.line = append(p.line, text[:min(len(text), maxLine-len(p.line))]...)
	}
	if bytes.HasSuffix(data, []byte{'\r'}) {
		p.returned = true
	}
}

// finish gives the line to every reader whose line it can be.
func (p *Parser) finish() {
	line := text.Valid(text.StripEscapes(string(p.line))) // as a person sees it
	p.line, p.returned = p.line[:0], false
	for i := range p.entrants {
		if !p.entrants[i].overheard() {
			p.entrants[i].line(line)
		}
	}
}

func (e *entrant) overheard() bool {
	for _, r := range e.within {
		if r.running() {
			return true
		}
	}
	return false
}
