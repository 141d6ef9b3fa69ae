package tests

import (
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/figures"
)

// rspec reads RSpec. An error outside of examples, such as a file that does not
// load, counts as one failed test.
type rspec struct {
	run
	listing bool // the failures are being printed
	pending bool // the pending examples are
	tree    rspecTree
	summing bool // the lines after the examples are
	took    time.Duration
	unnamed bool // the summary came without the failures before it
}

func (r *rspec) idle() bool {
	return !r.inList() && !r.summing && !r.unnamed && r.current == nil && r.tree.bare()
}

func (r *rspec) inList() bool { return r.listing || r.pending }

var rspecRules = rules[*rspec]{list: []rule[*rspec]{
	{`^$`, nil, func(r *rspec, _ []string) { r.summing = false }},
	{`^(\d+) examples?, (\d+) failures?(?:, (\d+) pending)?(?:, (\d+) errors? occurred outside of examples)?$`, nil, (*rspec).sums},
	{`^Failures:$`, nil, func(r *rspec, _ []string) { r.begin(true) }},
	{`^Pending: \(`, nil, func(r *rspec, _ []string) { r.begin(false) }},
	{`^Finished in (.*)`, nil, (*rspec).finished},
	{`^An error occurred (?:while|in an?) (?:loading )?(.+)\.$`, nil, func(r *rspec, m []string) { r.fail(m[1], 0) }},
	{`^No examples found\.$`, nil, func(r *rspec, _ []string) { r.endDetail() }},
	{`^rspec \S+ # (.+)$`, func(r *rspec) bool { return r.unnamed }, func(r *rspec, m []string) { r.name(m[1], "", 0) }},
	{`^  \d+\) (.+)$`, (*rspec).inList, (*rspec).example},
	// Where the examples are printed one by one, one that has just failed.
	{`^(?:  )+[^\s\d].* \(FAILED - \d+\)$`, func(r *rspec) bool { return !r.inList() }, func(r *rspec, _ []string) { r.failed++ }},
	{`^ *# `, (*rspec).explaining, func(*rspec, []string) {}}, // a place in a stack
}, first: (*rspec).inTree, wakes: []string{`^ *$`}, other: (*rspec).detail}

// inTree follows the examples that are printed one by one.
func (r *rspec) inTree(text string) bool {
	if !r.listing && !r.pending && !r.summing {
		r.tree.line(text)
	}
	return false // a rule may be for it too
}

// begin begins the list of the failing or of the pending examples.
func (r *rspec) begin(failures bool) {
	r.listing, r.pending = failures, !failures
	r.tree.end()
	r.endDetail()
}

func (r *rspec) finished(m []string) {
	took, _, _ := strings.Cut(m[1], " (files took ")
	r.took, r.listing, r.pending, r.summing = figures.Spelt(took), false, false, true
	r.endDetail()
}

func (r *rspec) example(m []string) {
	if r.pending {
		r.names.put(m[1], Skipped)
		return
	}
	r.fail(strings.TrimSuffix(m[1], " FIXED"), 0)
}

func (r *rspec) sums(m []string) {
	n := figures.Ints(m[1:])
	passed, failed, pending := n[0]-n[1]-n[2], n[1], n[2]
	r.unnamed = failed > 0 && len(r.failing) == 0
	r.names.merge(r.tree.passing(passed, failed, pending))
	r.summary(passed, failed+n[3], pending)
	r.tree, r.pending = rspecTree{}, false
	r.sum.Duration += r.took
	r.took = 0
	r.endRun()
}

// rspecTree follows the format documentation: groups, and their examples below
// them, with nothing to tell one from the other but the indentation of the line
// after it. Every output has lines like that, so it is the counts at the end that
// say whether this was RSpec's.
type rspecTree struct {
	groups []string // those that are open
	last   string   // the line before: a group if a deeper one follows
	blank  bool     // an empty line came last
	tests  []Test
}

// line reads a line that may be one of the tree. A group without another around
// it comes after an empty line; anything else is what a test printed, and then
// nothing is known of the tree any more.
func (t *rspecTree) line(text string) {
	inner := strings.TrimLeft(text, " ")
	depth, odd := (len(text)-len(inner))/2, (len(text)-len(inner))%2
	blank := t.blank
	t.blank = false
	switch {
	case inner == "":
		t.end()
		t.blank = true
	case depth == 0 && blank && inner[0] != '\t' && len(text) < maxMessage:
		t.groups = append(t.groups[:0], text)
	case depth > 0 && odd == 0 && t.descend(depth) && len(text) < maxMessage:
		t.last = inner
	default:
		*t = rspecTree{tests: t.tests[:0]}
	}
}

// bare tells that there is no tree: only an empty line can come before one.
func (t *rspecTree) bare() bool {
	return len(t.groups) == 0 && t.last == "" && !t.blank && len(t.tests) == 0
}

// descend decides what the line before was, and tells whether one at this depth
// may follow it.
func (t *rspecTree) descend(depth int) bool {
	if t.last != "" && depth == len(t.groups)+1 && depth < maxDepth {
		t.groups = append(t.groups, t.last)
		t.last = ""
		return true
	}
	t.end()
	if depth > len(t.groups) {
		return false
	}
	t.groups = t.groups[:depth]
	return true
}

// end takes the line before for an example.
func (t *rspecTree) end() {
	if t.last == "" {
		return
	}
	name, status := t.last, Passed
	t.last = ""
	if i := strings.LastIndex(name, " (FAILED - "); i > 0 && strings.HasSuffix(name, ")") {
		name, status = name[:i], Failed
	} else if i := strings.LastIndex(name, " (PENDING: "); i > 0 && strings.HasSuffix(name, ")") {
		name, status = name[:i], Skipped
	}
	if len(t.tests) < maxNamed {
		t.tests = append(t.tests, Test{Name: short(t.full(name)), Status: status})
	}
}

// full is an example's name behind those of its groups. A method's name follows
// that of its class without a space.
func (t *rspecTree) full(name string) string {
	var full strings.Builder
	before := ""
	for _, group := range t.groups {
		method := strings.HasPrefix(group, "#") || strings.HasPrefix(group, ".") || strings.HasPrefix(group, "::")
		class := before != "" && before[0] >= 'A' && before[0] <= 'Z' && !strings.Contains(before, " ")
		if before != "" && (!method || !class) {
			full.WriteByte(' ')
		}
		full.WriteString(group)
		before = group
	}
	full.WriteByte(' ')
	full.WriteString(name)
	return full.String()
}

// passing are the examples that passed, if the tree has as many of each kind as
// there were.
func (t *rspecTree) passing(passed, failed, skipped int) []Test {
	t.end()
	if count(t.tests, Passed) != passed || count(t.tests, Failed) != failed || count(t.tests, Skipped) != skipped {
		return nil
	}
	return of(t.tests, Passed)
}
