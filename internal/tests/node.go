package tests

import (
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/figures"
	"github.com/refrain-loop/refrain/internal/text"
)

// nodeResult is what follows a mark: the name, the time, and "# SKIP" or the
// like. The fractions of a millisecond tell it from other runners' lists.
var nodeResult = text.NewPattern(`^(.+) \((\d+\.\d+)ms\)( # .*)?$`)

// node reads the spec reporter of node:test. Tests that are marked as to do
// count as skipped whatever came of them, as they do for Node.
type node struct {
	run
	path    nodePath
	ending  nodeSummary
	located bool // in the list at the end: a failing test's place was printed
	// parents are what has tests in it. They look the same whether they are
	// suites, which are no tests, or tests with subtests, which are.
	parents names
}

func (n *node) line(text string) {
	inner := strings.TrimLeft(text, " ")
	indent := len(text) - len(inner)
	mark, rest, _ := strings.Cut(inner, " ")
	if len(inner) < 4 || inner[0] < 0x80 || indent%2 != 0 {
		mark = ""
	}
	switch mark {
	case "ℹ":
		n.endDetail()
		if indent == 0 && n.ending.line(rest) {
			n.summary(n.ending.counts())
			n.sum.Duration += n.ending.took
			n.adopt()
			n.ending = nodeSummary{}
		}
	case "▶":
		// Older versions close a suite with the same mark, and its time.
		if !nodeResult().MatchString(rest) {
			n.begin()
			n.path.enter(indent/2, rest)
		}
	case "✔", "✖", "﹣", "⚠":
		n.result(mark, indent/2, rest)
	default:
		if n.summed && strings.HasPrefix(text, "test at ") {
			n.located = true
			n.endDetail()
		}
		n.detail(inner)
	}
}

// begin ends the run before, when it was summed up.
func (n *node) begin() {
	if n.summed {
		n.endRun()
	}
	n.endDetail()
}

func (n *node) result(mark string, depth int, text string) {
	m := nodeResult().FindStringSubmatch(text)
	if m == nil {
		return
	}
	name, took := m[1], figures.Duration(m[2]+"ms")
	if n.located {
		n.located = false
		n.explain(name, took)
		return
	}
	n.begin()
	full := n.path.name(depth, name, " > ")
	status, known := marks[mark]
	if strings.HasPrefix(m[3], " # TODO") {
		status, known = Skipped, true
	}
	if !known {
		return
	}
	if n.path.leave(depth, name) {
		n.parents.timed(full, status, took)
		return
	}
	n.ended(full, status, took)
}

// adopt names the parents when the summary says that none of them is a suite.
// Where some are, nobody can tell which.
func (n *node) adopt() {
	if n.ending.of["suites"] == 0 {
		n.names.merge(n.parents.list)
		n.names.more = n.names.more || n.parents.more
	}
	n.parents = names{}
}

// explain finds the test that the list at the end has a message for. Only its own
// name is printed there, but its time is the same to the last digit.
func (n *node) explain(name string, took time.Duration) {
	n.endDetail()
	for _, f := range n.failing {
		if f.took == took && strings.HasSuffix(f.name, short(name)) && f.text.String() == "" {
			n.current = f
			return
		}
	}
}

// nodePath is the suites that a test is in.
type nodePath []string

// maxDepth is how deep suites are followed.
const maxDepth = 30

// enter begins a suite.
func (p *nodePath) enter(depth int, name string) {
	if depth < maxDepth {
		*p = append((*p)[:min(depth, len(*p))], strings.Clone(short(name)))
	}
}

// leave tells whether a result is that of the suite that is open at its depth,
// and ends it.
func (p *nodePath) leave(depth int, name string) bool {
	if depth >= len(*p) || (*p)[depth] != short(name) {
		return false
	}
	*p = (*p)[:depth]
	return true
}

// name is a test's name behind those of its suites.
func (p nodePath) name(depth int, name, between string) string {
	suites := p[:min(depth, len(p))]
	return strings.Join(append(suites[:len(suites):len(suites)], name), between)
}

// nodeSummary is the eight lines that node:test ends with in each of its
// reporters: tests, suites, pass, fail, cancelled, skipped, todo, duration_ms.
type nodeSummary struct {
	of   map[string]int
	took time.Duration
}

// line reads one of them, and tells whether it was the last.
func (s *nodeSummary) line(text string) bool {
	what, value, _ := strings.Cut(text, " ")
	n, ok := figures.Number(value)
	switch what {
	case "duration_ms":
		s.took = figures.Duration(value + "ms")
		return len(s.of) >= 6
	case "tests", "suites", "pass", "fail", "cancelled", "skipped", "todo":
		if ok && (s.of == nil || what == "tests") {
			s.of = map[string]int{}
		}
		if ok {
			s.of[what] = n
		}
	}
	return false
}

// counts is passed, failed and skipped.
func (s *nodeSummary) counts() (int, int, int) {
	return s.of["pass"], s.of["fail"] + s.of["cancelled"], s.of["skipped"] + s.of["todo"]
}
