package text

import (
	"regexp/syntax"
	"strings"
)

// Form is how a line of some kind looks: a regular expression from the beginning of
// the line on, with what can be told without it. Who looks for a few kinds of lines
// among very many asks May first.
type Form struct {
	edges                  edges
	prefix, within, suffix string
	exact                  bool // the prefix is all
	simple                 bool // a text between prefix and suffix, and no more
	least                  int  // how long that has to be
	expression             Pattern
}

// NewForm reads a form, which begins with ^. It panics on what is none.
func NewForm(text string) *Form {
	tree, err := syntax.Parse(text, syntax.Perl) // as regexp does, which is asked only when a line may be one
	if err != nil {
		panic(err)
	}
	f := &Form{expression: NewPattern(text), edges: edgesOf(tree)}
	parts := []*syntax.Regexp{tree}
	if tree.Op == syntax.OpConcat {
		parts = tree.Sub
	}
	parts = parts[1:] // each form begins with ^
	ends := len(parts) > 0 && parts[len(parts)-1].Op == syntax.OpEndText
	if ends {
		parts = parts[:len(parts)-1]
	}
	if len(parts) > 0 && parts[0].Op == syntax.OpLiteral {
		f.prefix, parts = string(parts[0].Rune), parts[1:]
	}
	if last := len(parts) - 1; ends && last >= 0 && parts[last].Op == syntax.OpLiteral {
		f.suffix, parts = string(parts[last].Rune), parts[:last]
	}
	for _, part := range parts {
		f.require(part)
	}
	switch {
	case len(parts) == 0:
		f.exact, f.simple = ends, !ends
	case len(parts) == 1 && parts[0].Op == syntax.OpCapture:
		hole := parts[0].Sub[0]
		any := len(hole.Sub) == 1 && hole.Sub[0].Op == syntax.OpAnyCharNotNL
		f.simple = any && (hole.Op == syntax.OpStar || hole.Op == syntax.OpPlus)
		if hole.Op == syntax.OpPlus {
			f.least = 1
		}
	}
	f.least += len(f.prefix) + len(f.suffix)
	return f
}

// FirstBytes is how many things a line can begin with: a byte, or nothing.
const FirstBytes = 257

// FirstByte is what a line begins with.
func FirstByte(line string) int {
	if line == "" {
		return FirstBytes - 1
	}
	return int(line[0])
}

// MayBegin tells whether a line of this form can begin so.
func (f *Form) MayBegin(first int) bool { return f.edges.first.has(first) }

// require looks for the longest text that no line of this form is without.
func (f *Form) require(part *syntax.Regexp) {
	switch part.Op {
	case syntax.OpLiteral:
		if text := string(part.Rune); len(text) > len(f.within) {
			f.within = text
		}
	case syntax.OpConcat, syntax.OpCapture, syntax.OpPlus:
		for _, one := range part.Sub {
			f.require(one)
		}
	}
}

// May tells cheaply whether a line can be of this form. It is one that begins as
// it may.
func (f *Form) May(line string) bool {
	if len(line) < f.least || len(f.prefix) > 1 && (line[1] != f.prefix[1] || line[:len(f.prefix)] != f.prefix) {
		return false // the first byte is right already, and the second mostly wrong
	}
	return f.suffix == "" || line[len(line)-len(f.suffix):] == f.suffix
}

// Match is the line and what the form has in brackets; nil when it is of another.
// The line is one that may be.
func (f *Form) Match(line string) []string {
	inner := line[len(f.prefix) : len(line)-len(f.suffix)]
	switch {
	case f.simple, f.exact && inner == "":
		return []string{line, inner}
	case f.exact, !strings.Contains(inner, f.within):
		return nil
	}
	m := f.expression().FindStringSubmatch(line)
	if m != nil {
		m[0] = line // all of it, wherever the form ends
	}
	return m
}
