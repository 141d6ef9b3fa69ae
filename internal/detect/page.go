package detect

import (
	"regexp"
	"strings"
)

// place is where in a markdown text a line stands.
type place int

const (
	prose place = iota
	indented
	quoted
	enclosed
	fenced
)

// page follows the blocks of a markdown text, line by line: code fences, block
// quotes and indented code. It errs towards code, so that an example is never
// taken for the agent's word.
type page struct {
	fence  byte // the character of the open fence, 0 when there is none
	length int
	indent int
	until  string // what ends the block that is open, empty when none is
}

// blocks are what a model puts around text that it does not say to anybody: its
// thoughts, comments, text as it stands.
var blocks = map[string]string{"<think>": "</think>", "<thinking>": "</thinking>", "<!--": "-->", "<pre>": "</pre>", "<example>": "</example>"}

// block follows such blocks, and tells whether the line belongs to one.
func (p *page) block(line string) bool {
	if p.until != "" {
		if strings.Contains(line, p.until) {
			p.until = ""
		}
		return true
	}
	start := strings.TrimSpace(line)
	for open, end := range blocks {
		if rest, ok := strings.CutPrefix(start, open); ok {
			if !strings.Contains(rest, end) {
				p.until = end
			}
			return true
		}
	}
	return false
}

// place says where the next line stands. The fences themselves are fenced.
func (p *page) place(line string) place {
	indent, rest := indentOf(line)
	if p.fence != 0 {
		if mark, n, info := fenceOf(rest); mark == p.fence && n >= p.length && info == "" && indent <= p.indent+3 {
			p.fence = 0
		}
		return fenced
	}
	if p.block(line) {
		return enclosed
	}
	switch {
	case indent > 3:
		return indented
	case strings.HasPrefix(rest, ">"):
		return quoted
	}
	if bullets := listItem.FindString(rest); bullets != "" {
		indent += len(bullets)
		rest = rest[len(bullets):]
	}
	mark, n, info := fenceOf(rest)
	if mark == 0 || mark == '`' && strings.Contains(info, "`") { // the latter is code within a line
		return prose
	}
	p.fence, p.length, p.indent = mark, n, indent
	return fenced
}

// listItem is the start of a list item, or of items within items: a fence may
// open right after it.
var listItem = regexp.MustCompile(`^(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)+`)

// indentOf counts the columns before the first other character, tab stops being
// four apart.
func indentOf(line string) (columns int, rest string) {
	for i := range len(line) {
		switch line[i] {
		case ' ':
			columns++
		case '\t':
			columns += 4 - columns%4
		default:
			return columns, line[i:]
		}
	}
	return columns, ""
}

// fenceOf reads a code fence at the start of a text: its character, its length
// and what follows. The character is 0 when there is no fence.
func fenceOf(text string) (mark byte, length int, info string) {
	if !strings.HasPrefix(text, "```") && !strings.HasPrefix(text, "~~~") {
		return 0, 0, ""
	}
	mark = text[0]
	rest := strings.TrimLeft(text, string(mark))
	return mark, len(text) - len(rest), strings.TrimSpace(rest)
}
