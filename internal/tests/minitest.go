package tests

import (
	"time"

	"github.com/refrain-loop/refrain/internal/figures"
)

// minitest reads Minitest and the tests of Rails, which print a failure when it
// happens rather than at the end.
type minitest struct {
	run
	title string // Failure, Error or Skipped: the test's name comes next
	took  time.Duration
}

func (m *minitest) idle() bool { return m.title == "" && m.current == nil }

func (m *minitest) titled() bool { return m.title != "" }

var minitestRules = rules[*minitest]{list: []rule[*minitest]{
	{`^$`, nil, func(m *minitest, _ []string) { m.endDetail() }},
	// The line after a title: "SumTest#test_adds [sum_test.rb:3]:".
	{`^(.+?)(?: \[[^\]]+:\d+\])?:$`, (*minitest).titled, func(m *minitest, sub []string) {
		if m.title == "Skipped" {
			m.names.put(sub[1], Skipped)
		} else {
			m.fail(sub[1], 0)
		}
		m.names.broke(sub[1], m.title == "Error")
		m.title = ""
	}},
	{`^(.*)`, (*minitest).titled, func(m *minitest, _ []string) { m.title = "" }},
	{`^(?:  \d+\) )?(Failure|Error|Skipped):$`, nil, func(m *minitest, sub []string) { m.title = sub[1] }},
	{`^(\d+) (?:runs|tests), \d+ assertions, (\d+) failures, (\d+) errors, (\d+) skips$`, nil, (*minitest).sums},
	{`^Finished in ([^,]*),.* assertions/s\.$`, nil, func(m *minitest, sub []string) { m.took = figures.Duration(sub[1]) }},
	{`^(.*) assertions/s\.$`, nil, func(*minitest, []string) {}},
	{`^([\pL_].*#test_.+) = (\d+\.\d\d) s = ([.FES])$`, nil, (*minitest).verbose},
}, other: (*minitest).detail}

// verbose reads a test of a verbose run: "SumTest#test_adds = 0.00 s = F".
func (m *minitest) verbose(sub []string) {
	m.ended(sub[1], map[string]Status{".": Passed, "S": Skipped, "F": Failed, "E": Failed}[sub[3]], figures.Duration(sub[2]))
	if sub[3] == "F" || sub[3] == "E" {
		m.endDetail()
	}
}

func (m *minitest) sums(sub []string) {
	n := figures.Ints(sub[1:])
	m.summary(n[0]-n[1]-n[2]-n[3], n[1]+n[2], n[3])
	m.sum.Duration += m.took
	m.took = 0
	m.endRun()
}
