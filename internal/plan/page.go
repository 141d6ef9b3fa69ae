package plan

import (
	"strings"

	"github.com/refrain-loop/refrain/internal/text"
)

// page is a text in lines, with what hides some of them: code fences and
// comments.
type page struct {
	lines []line

	// endless remembers where a search for an end has failed, so that a file
	// of nothing but beginnings is not read over and over.
	endless map[hider]failed

	// patience is how many bytes such searches may still read. No honest file
	// uses it up; in one that does, nothing more is hidden.
	patience int
}

// maxReadings is how often the whole text may be searched in vain.
const maxReadings = 8

// line is one line: the columns before its text, and the text.
type line struct {
	indent int
	rest   string // without white space at its end; empty for a blank line
}

// hider is a kind of block, where its container begins.
type hider struct {
	mark   byte // of a fence, or '<' of a comment
	column int
}

type failed struct {
	length int // of the fence
	until  int // the line up to which there is no end
}

func newPage(all string) page {
	p := page{endless: map[hider]failed{}, patience: maxReadings * len(all)}
	for one := range strings.SplitSeq(all, "\n") {
		indent, rest := text.Indent(one, 0)
		p.lines = append(p.lines, line{indent, strings.TrimRight(rest, " \t\r")})
	}
	return p
}

// text is that of some lines.
func (p *page) text(from, to int) string {
	var b strings.Builder
	for _, l := range p.lines[from:to] {
		b.WriteString(l.rest + " ")
	}
	return b.String()
}

// hidden tells whether the text on a line begins a fence or a comment, and
// gives the line with its end. What has no end before its list item ends hides
// nothing: a slip of the pen would otherwise make every task after it vanish.
func (p *page) hidden(at int, rest string, column int) (end int, ok bool) {
	if comment(rest) {
		if strings.Contains(rest[len("<!--"):], "-->") {
			return at, true
		}
		return p.search(at, hider{'<', column}, 0)
	}
	mark, length, info := text.Fence(rest)
	if !text.OpensFence(mark, info) {
		return 0, false
	}
	return p.search(at, hider{mark, column}, length)
}

// search finds the line that ends what begins at the given one.
func (p *page) search(at int, h hider, length int) (end int, ok bool) {
	if before, known := p.endless[h]; known && at < before.until && length >= before.length {
		return 0, false
	}
	if p.patience < 0 {
		return 0, false
	}
	read := 0
	end = at + 1
	for ; end < len(p.lines); end++ {
		l := p.lines[end]
		if l.rest != "" && l.indent < h.column {
			break
		}
		if h.ends(l, length) {
			return end, true
		}
		read += len(l.rest) + 1
	}
	p.patience -= read
	p.endless[h] = failed{length, end}
	return 0, false
}

func (h hider) ends(l line, length int) bool {
	if h.mark == '<' {
		return strings.Contains(l.rest, "-->")
	}
	mark, n, info := text.Fence(l.rest)
	return mark == h.mark && n >= length && info == "" && l.indent <= h.column+3
}

func comment(rest string) bool { return strings.HasPrefix(rest, "<!--") }
