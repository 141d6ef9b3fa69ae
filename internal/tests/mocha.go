package tests

import (
	"strconv"
	"strings"

	"github.com/refrain-loop/refrain/internal/figures"
	"github.com/refrain-loop/refrain/internal/text"
)

// mocha reads the end of what Mocha prints, which its reporters for people have
// in common: the counts, then the failures one by one. What comes before looks
// like many other lists; names are taken from it, but nothing is counted there.
type mocha struct {
	run
	counting bool     // the counts are being printed
	listing  bool     // the failures are
	listed   int      // how many of them so far
	title    []string // the failure's suites and name, as far as they were read
	stack    bool     // its stack is being printed
	tree     mochaTree
}

func (m *mocha) idle() bool {
	return !m.counting && !m.listing && m.title == nil && !m.stack && m.current == nil
}

func (m *mocha) isCounting() bool { return m.counting }

var mochaRules = rules[*mocha]{list: []rule[*mocha]{
	{`^  (\d+) passing \((\d+(?:ms|s|m|h|d))\)$`, nil, (*mocha).begin},
	{`^  (\d{1,9}) pending$`, (*mocha).isCounting, func(m *mocha, sub []string) {
		n := figures.Ints(sub)[1]
		m.add(0, 0, n)
		m.names.merge(m.tree.take(Skipped, n))
		m.tree = mochaTree{}
	}},
	{`^  (\d{1,9}) failing$`, (*mocha).isCounting, func(m *mocha, sub []string) {
		m.add(0, figures.Ints(sub)[1], 0)
		m.counting, m.listing = false, true
	}},
	{`^  (\d+)\)(?: (.*))?$`, func(m *mocha) bool { return m.listing }, (*mocha).numbered},
	{`^  (.+)`, func(m *mocha) bool { return m.title != nil }, func(m *mocha, sub []string) { m.titled(sub[1]) }},
	{`^Error: No test files found`, nil, func(m *mocha, _ []string) { m.endRun(); m.summary(0, 0, 0) }},
	{`^ ?Exception during run: (.*)`, nil, func(m *mocha, sub []string) {
		m.endRun()
		m.summary(0, 1, 0)
		m.fail("exception during run", 0)
		m.detail(sub[1])
		m.stack = true
	}},
	{`^\s*$`, func(m *mocha) bool { return m.stack }, func(m *mocha, _ []string) { m.endDetail() }},
	{`^> `, nil, func(m *mocha, sub []string) { m.tree = mochaTree{}; m.during(sub[0]) }}, // another script of npm's
}, other: (*mocha).during, wakes: []string{`^  +[^ ]`}}

func (m *mocha) during(text string) {
	inner := strings.TrimLeft(text, " ")
	if !m.listing || strings.HasPrefix(inner, "✔ ") {
		m.tree.line(text)
	}
	if m.current != nil {
		m.stack = strings.HasPrefix(inner, "at ")
		m.detail(text)
	}
}

// begin reads "  2 passing (84ms)", which begins a summary.
func (m *mocha) begin(sub []string) {
	n := figures.Ints(sub)[1]
	m.endRun()
	*m = mocha{run: m.run, counting: true, tree: m.tree}
	m.summary(n, 0, 0)
	m.names.merge(m.tree.take(Passed, n))
	m.tree = mochaTree{tests: of(m.tree.tests, Skipped)}
	m.sum.Duration += figures.Duration(sub[2])
}

// numbered reads "  1) suite", which begins a failure.
func (m *mocha) numbered(sub []string) {
	if sub[1] != strconv.Itoa(m.listed+1) {
		if m.title != nil {
			m.titled(sub[0])
			return
		}
		m.during(sub[0])
		return
	}
	m.listed++
	m.endDetail()
	m.title, m.stack = []string{}, false
	m.titled(sub[2])
}

// titled reads the suites that a failing test is in, a line each, and its own
// name, which ends with a colon.
func (m *mocha) titled(text string) {
	name, last := strings.CutSuffix(strings.TrimSpace(text), ":")
	if len(m.title) < 20 {
		m.title = append(m.title, strings.Clone(short(name)))
	}
	if last {
		m.fail(strings.Join(m.title, " "), 0)
		m.title = nil
	}
}

// mochaTree follows the reporter spec: suites, and below them "✔ adds" and
// "- is pending". Many tools print lists like that, so it is the counts at the
// end that say whether this was Mocha's. Failing tests are listed after them.
type mochaTree struct {
	path  nodePath
	tests []Test
}

var mochaTime = text.NewPattern(`^(.*) \((\d{1,9}ms)\)$`)

func (t *mochaTree) line(text string) {
	inner := strings.TrimLeft(text, " ")
	indent := len(text) - len(inner)
	if inner == "" || indent < 2 || indent%2 != 0 || indent/2 > maxDepth || len(text) > 2*maxMessage {
		return
	}
	depth := indent/2 - 1
	if name, ok := strings.CutPrefix(inner, "✔ "); ok {
		took := ""
		if m := mochaTime().FindStringSubmatch(name); m != nil {
			name, took = m[1], m[2]
		}
		t.add(depth, Test{Name: name, Status: Passed, Duration: figures.Duration(took)})
		return
	}
	if name, ok := strings.CutPrefix(inner, "- "); ok {
		t.add(depth, Test{Name: name, Status: Skipped})
		return
	}
	if depth <= len(t.path) {
		t.path = append(t.path[:depth], inner) // the line is short enough to be held
	}
}

func (t *mochaTree) add(depth int, test Test) {
	if len(t.tests) == maxNamed {
		return
	}
	test.Name = keep(t.path.name(depth, test.Name, " "))
	t.tests = append(t.tests, test)
}

// take gives the tests that ended in one way, if they are as many as there were.
func (t *mochaTree) take(status Status, number int) []Test {
	tests := of(t.tests, status)
	if len(tests) != number {
		return nil
	}
	return tests
}
