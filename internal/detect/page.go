package detect

import (
	"strings"

	"github.com/refrain-loop/refrain/internal/text"
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
	unsaid text.Unsaid
}

// place says where the next line stands. The fences themselves are fenced.
func (p *page) place(line string) place {
	indent, rest := text.Indent(line, 0)
	if p.fence != 0 {
		if mark, n, info := text.Fence(rest); mark == p.fence && n >= p.length && info == "" && indent <= p.indent+3 {
			p.fence = 0
		}
		return fenced
	}
	if p.unsaid.Has(line) {
		return enclosed
	}
	switch {
	case indent > 3:
		return indented
	case strings.HasPrefix(rest, ">"):
		return quoted
	}
	if bullets := bulletsOf(rest); bullets != "" {
		indent += len(bullets)
		rest = rest[len(bullets):]
	}
	if rest == "" || rest[0] != '`' && rest[0] != '~' {
		return prose
	}
	mark, n, info := text.Fence(rest)
	if !text.OpensFence(mark, info) {
		return prose
	}
	p.fence, p.length, p.indent = mark, n, indent
	return fenced
}

// listItem is the start of a list item, or of items within items: a fence may
// open right after it.
var listItem = text.NewPattern(`^(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)+`)

// bulletsOf is what listItem finds. Most lines show with their first character that
// they are none.
func bulletsOf(rest string) string {
	if rest == "" {
		return ""
	}
	switch c := rest[0]; {
	case c == '-', c == '*', c == '+', '0' <= c && c <= '9':
		return listItem().FindString(rest)
	}
	return ""
}
