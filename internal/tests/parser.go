package tests

import (
	"bytes"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/refrain-loop/refrain/internal/text"
)

// maxLine is how much of one line is read. Runners print short lines; longer
// ones are data, and their beginning says what there is to know.
const maxLine = 64 << 10

// Parser reads an output as it comes, in pieces of any size. Of each framework it
// makes a reader with the first line that can mean something to it, and most lines
// are given to none.
type Parser struct {
	entrants []entrant // as the frameworks; none before the first line that is for one
	awake    uint64    // those whose readers take any line, by their places
	line     []byte    // the line so far, at most maxLine of it
	returned bool      // a carriage return came last: more text overwrites the line
	scratch  []byte
}

// entrant is one framework in a parse.
type entrant struct {
	reader // nil: no line was for it
	line   func(string)
}

// New is a parser that has read nothing yet.
func New() *Parser { return &Parser{} }

// wakers is what wakes readers that are idle.
type wakers struct {
	sieve  *text.Sieve
	of     []int   // whose each form of the sieve is
	within [][]int // by a framework, those during whose runs the lines are not this one's
}

// whatWakes is made when a first output is read.
var whatWakes = sync.OnceValue(func() *wakers {
	w := &wakers{within: make([][]int, len(frameworks))}
	var all []*text.Form
	for i, f := range frameworks {
		for _, form := range f.wakes() {
			all, w.of = append(all, form), append(w.of, i)
		}
		for j, other := range frameworks {
			if slices.Contains(other.over, f.name) {
				w.within[i] = append(w.within[i], j)
			}
		}
	}
	w.sieve = text.NewSieve(all)
	return w
})

// Read reads a whole output at once.
func Read(text string) (Report, bool) {
	p := New()
	p.WriteString(text)
	return p.Report()
}

// Write reads on. It never fails, and keeps no more of an output than counts,
// names and the line it is in.
func (p *Parser) Write(data []byte) (int, error) {
	n := len(data)
	simple := isSimple(data)
	for {
		end := bytes.IndexByte(data, '\n')
		if end < 0 {
			p.extend(data)
			return n, nil
		}
		if simple && len(p.line) == 0 && !p.returned && end <= maxLine {
			p.give(data[:end])
		} else {
			p.extend(data[:end])
			p.finish()
		}
		data = data[end+1:]
	}
}

// scratchSize is how much of a text is read at once.
const scratchSize = 16 << 10

// WriteString is Write for a text.
func (p *Parser) WriteString(text string) {
	for len(text) > 0 {
		piece := text[:min(len(text), scratchSize)]
		if end := strings.LastIndexByte(piece, '\n'); end >= 0 {
			piece = piece[:end+1] // no character is cut
		}
		p.scratch = append(p.scratch[:0], piece...)
		p.Write(p.scratch)
		text = text[len(piece):]
	}
}

// isSimple tells of a piece of output that its lines are as a person sees them:
// nothing in them is for the terminal, and all of it is proper text.
func isSimple(data []byte) bool {
	for _, c := range []byte{'\x1b', '\r', 0} {
		if bytes.IndexByte(data, c) >= 0 {
			return false
		}
	}
	return utf8.Valid(data) && !bytes.Contains(data, []byte("\u009b"))
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
	for _, f := range frameworks {
		r, ok := reports[f.name]
		if !ok {
			continue
		}
		sum.add(r)
		names = append(names, f.name)
	}
	sum.Framework = strings.Join(names, "+")
	return sum, len(names) > 0
}

// reports is what each framework has to say, less those that only overheard
// another one.
func (p *Parser) reports() map[string]Report {
	reports := make(map[string]Report)
	for i, e := range p.entrants {
		if e.reader == nil {
			continue
		}
		if r, ok := e.report(); ok {
			reports[frameworks[i].name] = r
		}
	}
	for i, e := range p.entrants {
		_, seen := reports[frameworks[i].name]
		_, told := e.reader.(runner)
		if !seen || told {
			continue
		}
		for _, name := range frameworks[i].over {
			delete(reports, name)
		}
	}
	for _, f := range frameworks {
		if f.echo && repeats(f.name, reports) {
			delete(reports, f.name)
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

// finish gives on the line that was put together.
func (p *Parser) finish() {
	line := text.Valid(text.StripEscapes(string(p.line))) // as a person sees it
	p.line, p.returned = p.line[:0], false
	w := whatWakes()
	p.hand(w, line, text.May(w.sieve, line))
}

// give gives on a line that is as a person sees it.
func (p *Parser) give(line []byte) {
	w := whatWakes()
	if may := text.May(w.sieve, line); p.awake != 0 || may != (text.Forms{}) {
		p.hand(w, string(line), may)
	}
}

// hand gives a line to every reader that it may mean something to: those that are
// awake, and those that it wakes.
func (p *Parser) hand(w *wakers, line string, may text.Forms) {
	for to := p.awake | w.woken(line, may, p.awake); to != 0; to &= to - 1 {
		i := bits.TrailingZeros64(to)
		if p.overheard(w.within[i]) {
			continue
		}
		e := p.entrant(i)
		e.line(line)
		if p.awake &^= 1 << i; !e.idle() {
			p.awake |= 1 << i
		}
	}
}

// woken is those that a line wakes, of the ones that are not awake.
func (w *wakers) woken(line string, may text.Forms, awake uint64) (woken uint64) {
	for n, some := range may {
		for ; some != 0; some &= some - 1 {
			form := n*64 + bits.TrailingZeros64(some)
			if who := uint64(1) << w.of[form]; (awake|woken)&who == 0 && w.sieve.Likely(form, line) {
				woken |= who
			}
		}
	}
	return woken
}

func (p *Parser) entrant(i int) *entrant {
	if p.entrants == nil {
		p.entrants = make([]entrant, len(frameworks))
	}
	e := &p.entrants[i]
	if e.reader == nil {
		e.reader, e.line = frameworks[i].new()
	}
	return e
}

// overheard tells whether one of these runs, whose lines others do not hear.
func (p *Parser) overheard(within []int) bool {
	for _, i := range within {
		if p.entrants == nil {
			return false
		}
		if r, ok := p.entrants[i].reader.(runner); ok && r.running() {
			return true
		}
	}
	return false
}
