package tests

import (
	"regexp"
	"strconv"
	"strings"
)

var mochaPassing = regexp.MustCompile(`^  (\d+) passing \((\d+(?:ms|s|m|h|d))\)$`)

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

func (m *mocha) line(text string) {
	if strings.HasPrefix(text, "  ") && len(text) > 2 {
		if text[2] >= '0' && text[2] <= '9' && m.numbered(text) {
			return
		}
		if m.title != nil {
			m.titled(text)
			return
		}
		if !m.listing || strings.HasPrefix(strings.TrimLeft(text, " "), "✔ ") {
			m.tree.line(text)
		}
	}
	if strings.HasPrefix(text, "> ") {
		m.tree = mochaTree{} // another script of npm's
	}
	switch {
	case strings.HasPrefix(text, "Error: No test files found"):
		m.next()
		m.sumUp(0, 0, 0)
	case strings.HasPrefix(strings.TrimPrefix(text, " "), "Exception during run: "):
		m.next()
		m.sumUp(0, 1, 0)
		m.tell("exception during run", 0)
		_, why, _ := strings.Cut(text, "Exception during run: ")
		m.say(why)
		m.stack = true
	case m.stack && strings.TrimSpace(text) == "":
		m.hush()
	case m.telling != nil:
		m.stack = strings.HasPrefix(strings.TrimLeft(text, " "), "at ")
		m.say(text)
	}
}

// numbered reads "  2 passing (84ms)", which begins a summary, the lines that
// follow it, and "  1) suite", which begins a failure.
func (m *mocha) numbered(text string) bool {
	if strings.HasSuffix(text, ")") {
		if sub := mochaPassing.FindStringSubmatch(text); sub != nil {
			n, _ := number(sub[1])
			m.next()
			*m = mocha{run: m.run, counting: true, tree: m.tree}
			m.sumUp(n, 0, 0)
			m.names.merge(m.tree.take(Passed, n))
			m.tree = mochaTree{tests: m.tree.take(Skipped, count(m.tree.tests, Skipped))}
			m.sum.Duration += duration(sub[2])
			return true
		}
	}
	count, what, _ := strings.Cut(text[2:], " ")
	if m.counting {
		n, ok := number(count)
		switch {
		case ok && what == "pending":
			m.add(0, 0, n)
			m.names.merge(m.tree.take(Skipped, n))
			m.tree = mochaTree{}
			return true
		case ok && what == "failing":
			m.add(0, n, 0)
			m.counting, m.listing = false, true
			return true
		}
	}
	if !m.listing || count != strconv.Itoa(m.listed+1)+")" {
		return false
	}
	m.listed++
	m.hush()
	m.title, m.stack = []string{}, false
	m.titled(what)
	return true
}

// titled reads the suites that a failing test is in, a line each, and its own
// name, which ends with a colon.
func (m *mocha) titled(text string) {
	name, last := strings.CutSuffix(strings.TrimSpace(text), ":")
	if len(m.title) < 20 {
		m.title = append(m.title, strings.Clone(short(name)))
	}
	if last {
		m.tell(strings.Join(m.title, " "), 0)
		m.title = nil
	}
}
