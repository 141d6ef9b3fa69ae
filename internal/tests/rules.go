package tests

import (
	"sync"

	"github.com/refrain-loop/refrain/internal/text"
)

// rule is one kind of line that a runner prints, and what is done with it.
type rule[R any] struct {
	form string            // a regular expression, from the beginning of the line on
	when func(R) bool      // in which state of the reader it holds; nil for any
	act  func(R, []string) // what it means, given the line and what is in the brackets of the form
}

// rules is how a runner's output is read: the first rule that fits takes the line.
// Most lines of an output are of no runner, and every reader is given all of them.
// So few of them ever meet a regular expression (text.Form).
type rules[R any] struct {
	list  []rule[R]
	first func(R, string) bool // looks at each line before the rules, and tells whether it took it; may be nil
	other func(R, string)      // what a line means that no rule is for; nil for nothing
	wakes []string             // the forms of lines that mean something to an idle reader, beside the rules that hold for a new one

	once sync.Once // not when the program starts: few of its runs read tests
	all  []*ready[R]
	by   [text.FirstBytes]uint8 // by what the line begins with: which of the sets
	sets [][]*ready[R]          // the rules for lines that begin so; few bytes differ
}

type ready[R any] struct {
	*text.Form
	when func(R) bool
	act  func(R, []string)
}

// waking is the forms of lines that an idle reader takes. One that is idle is as new,
// as far as its rules ask.
func (r *rules[R]) waking(fresh R) (list []*text.Form) {
	r.once.Do(r.compile)
	for _, one := range r.all {
		if one.when == nil || one.when(fresh) {
			list = append(list, one.Form)
		}
	}
	return append(list, forms(r.wakes)...)
}

func forms(texts []string) (list []*text.Form) {
	for _, one := range texts {
		list = append(list, text.NewForm(one))
	}
	return list
}

// on gives lines to a reader, each to the rule that it is for.
func (r *rules[R]) on(reader R) func(line string) {
	r.once.Do(r.compile)
	return func(line string) {
		if r.first != nil && r.first(reader, line) {
			return
		}
		for _, one := range r.sets[r.by[text.FirstByte(line)]] {
			if !one.May(line) || one.when != nil && !one.when(reader) {
				continue
			}
			if m := one.Match(line); m != nil {
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
	var lists [text.FirstBytes][]*ready[R]
	var keys [text.FirstBytes]string
	for i, rule := range r.list {
		one := &ready[R]{text.NewForm(rule.form), rule.when, rule.act}
		r.all = append(r.all, one)
		for b := range lists {
			if one.MayBegin(b) {
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
