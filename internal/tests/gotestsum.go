package tests

import "github.com/refrain-loop/refrain/internal/figures"

// gotestsum reads the end of what gotestsum prints, which is the same in each of
// its formats, and the names that its format testname prints before that. In
// other formats tests that pass go by the full paths of their packages, if at all,
// and these can't be told from the short ones that the end has. It counts a
// package that did not build as a failure but not as a test; here it is both.
type gotestsum struct {
	run
	packages int // failures that are packages
}

var gotestsumRules = rules[*gotestsum]{list: []rule[*gotestsum]{
	{`^=== (FAIL|SKIP): (\S+) (\S*) \((?:(\d+\.\d+s)|unknown|cached)\)(?: \(re-run \d+\))?$`, nil, func(g *gotestsum, m []string) {
		g.endDetail()
		if m[1] == "SKIP" {
			g.names.put(gotestsumName(m[2], m[3]), Skipped)
			return
		}
		if m[3] == "" {
			g.packages++
		}
		g.failAgain(gotestsumName(m[2], m[3]), figures.Duration(m[4]))
	}},
	{`^DONE (?:\d+ runs, )?(\d+) tests?(?:, (\d+) skipped)?(?:, (\d+) failures?)?(?:, (\d+) errors?)? in (\d+\.\d+s)$`, nil, (*gotestsum).done},
	{`^=== `, (*gotestsum).explaining, func(g *gotestsum, _ []string) { g.endDetail() }},
	{`^(.*)`, (*gotestsum).explaining, func(g *gotestsum, m []string) { g.current.text.add(m[0]) }},
	{`^(PASS|FAIL|SKIP) (\S+) \((\d+\.\d\ds)\)$`, nil, func(g *gotestsum, m []string) { g.names.timed(m[2], goStatus[m[1]], figures.Duration(m[3])) }},
}}

// done reads the counts of a summary.
func (g *gotestsum) done(m []string) {
	g.endDetail()
	g.sum.Duration += figures.Duration(m[5])
	total, ok := figures.Number(m[1])
	if !ok {
		return
	}
	n := figures.Ints(m[2:5])
	skipped, failed, broken := n[0], n[1], n[2]
	passed := max(0, total-skipped-(failed-g.packages))
	if failed == 0 {
		failed = broken // an error without a failure is what go itself refused
	}
	g.packages = 0
	g.summary(passed, failed, skipped)
	g.endRun()
}

// gotestsumName is a test's name behind its package, which is printed without the
// module's path, or as a dot.
func gotestsumName(pkg, test string) string {
	switch {
	case test == "":
		return pkg
	case pkg == ".":
		return test
	}
	return pkg + "." + test
}
