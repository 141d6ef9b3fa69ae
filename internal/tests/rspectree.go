package tests

import "strings"

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
	case depth == 0 && blank && inner[0] != '\t' && len(text) < mostMessage:
		t.groups = append(t.groups[:0], text)
	case depth > 0 && odd == 0 && t.descend(depth) && len(text) < mostMessage:
		t.last = inner
	default:
		*t = rspecTree{tests: t.tests[:0]}
	}
}

// descend decides what the line before was, and tells whether one at this depth
// may follow it.
func (t *rspecTree) descend(depth int) bool {
	if t.last != "" && depth == len(t.groups)+1 && depth < mostDepth {
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
	if len(t.tests) < mostNamed {
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
	var tests []Test
	for _, test := range t.tests {
		if test.Status == Passed {
			tests = append(tests, test)
		}
	}
	return tests
}
