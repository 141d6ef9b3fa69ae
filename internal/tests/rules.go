package tests

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
	"unicode/utf8"
)

// rule is one kind of line that a runner prints, and what is done with it.
type rule[R any] struct {
	form string            // a regular expression, from the beginning of the line on
	when func(R) bool      // in which state of the reader it holds; nil for any
	act  func(R, []string) // what it means, given the line and what is in the brackets of the form
}

// rules is how a runner's output is read: the first rule that fits takes the line.
// Most lines of an output are of no runner, and every reader is given all of them.
// So what a form begins with, ends with and cannot do without is looked at first,
// and few lines ever meet a regular expression.
type rules[R any] struct {
	list  []rule[R]
	first func(R, string) bool // looks at each line before the rules, and tells whether it took it; may be nil
	other func(R, string)      // what a line means that no rule is for; nil for nothing

	once sync.Once     // not when the program starts: few of its runs read tests
	by   [257]uint8    // by the first byte of the line, or noByte for an empty one: which of the sets
	sets [][]*ready[R] // the rules for lines that begin so; few bytes differ
}

type ready[R any] struct {
	form
	when func(R) bool
	act  func(R, []string)
}

const noByte = 256

// on gives lines to a reader, each to the rule that it is for.
func (r *rules[R]) on(reader R) func(line string) {
	r.once.Do(r.compile)
	return func(line string) {
		if r.first != nil && r.first(reader, line) {
			return
		}
		first := noByte
		if line != "" {
			first = int(line[0])
		}
		for _, one := range r.sets[r.by[first]] {
			if !one.may(line) || one.when != nil && !one.when(reader) {
				continue
			}
			if m := one.match(line); m != nil {
				one.act(reader, m)
				return
			}
		}
		if r.other != nil {
			r.other(reader, line)
		}
	}
}

func (r *rules[R]) compile() {
	var lists [257][]*ready[R]
	var keys [257]string
	for i, rule := range r.list {
		form, tree := newForm(rule.form)
		one := &ready[R]{form, rule.when, rule.act}
		var begins [257]bool
		prog, _ := syntax.Compile(tree.Simplify()) // as regexp does
		firstBytes(prog, uint32(prog.Start), &begins)
		for b, can := range begins {
			if can {
				lists[b] = append(lists[b], one)
				keys[b] += string(rune(i))
			}
		}
	}
	known := make(map[string]uint8)
	for b, key := range keys {
		if _, ok := known[key]; !ok {
			known[key] = uint8(len(r.sets))
			r.sets = append(r.sets, lists[b])
		}
		r.by[b] = known[key]
	}
}

// form is a regular expression with what can be told without it.
type form struct {
	prefix, within, suffix string
	exact                  bool // the prefix is all
	simple                 bool // a text between prefix and suffix, and no more
	least                  int  // how long that has to be
	expression             *regexp.Regexp
}

func newForm(text string) (form, *syntax.Regexp) {
	f := form{expression: regexp.MustCompile(text)}
	tree, _ := syntax.Parse(text, syntax.Perl) // it compiled
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
	return f, tree
}

// require looks for the longest text that no line of this form is without.
func (f *form) require(part *syntax.Regexp) {
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

// may tells cheaply whether a line can be of this form.
func (f *form) may(line string) bool {
	if len(line) < f.least || len(f.prefix) > 1 && (line[1] != f.prefix[1] || line[:len(f.prefix)] != f.prefix) {
		return false // the first byte is right already, and the second mostly wrong
	}
	return f.suffix == "" || line[len(line)-len(f.suffix):] == f.suffix
}

// match is the line and what the form has in brackets; nil when it is of another.
// The line is one that may be.
func (f *form) match(line string) []string {
	inner := line[len(f.prefix) : len(line)-len(f.suffix)]
	switch {
	case f.simple, f.exact && inner == "":
		return []string{line, inner}
	case f.exact, !strings.Contains(inner, f.within):
		return nil
	}
	m := f.expression.FindStringSubmatch(line)
	if m != nil {
		m[0] = line // all of it, wherever the form ends
	}
	return m
}

// firstBytes notes the bytes that a match can begin with, from a place in its
// program on; noByte when there need be none.
func firstBytes(prog *syntax.Prog, at uint32, to *[257]bool) {
	switch inst := &prog.Inst[at]; inst.Op {
	case syntax.InstAlt:
		firstBytes(prog, inst.Out, to)
		firstBytes(prog, inst.Arg, to)
	case syntax.InstCapture, syntax.InstNop, syntax.InstEmptyWidth:
		firstBytes(prog, inst.Out, to)
	case syntax.InstMatch:
		to[noByte] = true
	case syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		for b := range noByte {
			to[b] = true
		}
	default:
		last := inst.Rune[len(inst.Rune)-1]
		for b := range noByte {
			to[b] = to[b] || b < utf8.RuneSelf && inst.MatchRune(rune(b)) || b >= utf8.RuneSelf && last >= utf8.RuneSelf
		}
	}
}
