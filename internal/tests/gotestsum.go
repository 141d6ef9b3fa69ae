package tests

import (
	"regexp"
	"strings"
)

var (
	gotestsumDone = regexp.MustCompile(`^DONE (?:\d+ runs, )?(\d+) tests?(?:, (\d+) skipped)?(?:, (\d+) failures?)?(?:, (\d+) errors?)? in (\d+\.\d+s)$`)
	gotestsumFail = regexp.MustCompile(`^=== (?:FAIL|SKIP): (\S+) (\S*) \((?:(\d+\.\d+s)|unknown|cached)\)(?: \(re-run \d+\))?$`)
	gotestsumTest = regexp.MustCompile(`^(PASS|FAIL|SKIP) (\S+) \(\d+\.\d\ds\)$`)
)

// gotestsum reads the end of what gotestsum prints, which is the same in each of
// its formats, and the names that its format testname prints before that. In
// other formats tests that pass go by the full paths of their packages, if at all,
// and these can't be told from the short ones that the end has. It counts a
// package that did not build as a failure but not as a test; here it is both.
type gotestsum struct {
	tally
	packages int // failures that are packages
	named    int // failures since the last summary
	current  *Test
	text     message
	pending  names
}

func (g *gotestsum) line(text string) {
	if strings.HasPrefix(text, "=== FAIL: ") || strings.HasPrefix(text, "=== SKIP: ") {
		if m := gotestsumFail.FindStringSubmatch(text); m != nil {
			g.flush()
			if text[4] == 'S' {
				g.pending.put(gotestsumName(m[1], m[2]), Skipped)
				return
			}
			g.named++
			if m[2] == "" {
				g.packages++
			}
			g.pending.put(gotestsumName(m[1], m[2]), Failed)
			g.current = &Test{Name: gotestsumName(m[1], m[2]), Duration: duration(m[3])}
			return
		}
	}
	if strings.HasPrefix(text, "DONE ") {
		if m := gotestsumDone.FindStringSubmatch(text); m != nil {
			g.flush()
			g.done(m[1], m[2], m[3], m[4])
			g.sum.Duration += duration(m[5])
			return
		}
	}
	if g.current == nil {
		g.test(text)
		return
	}
	if strings.HasPrefix(text, "=== ") {
		g.flush()
		return
	}
	g.text.add(text)
}

// test reads a test as the format testname has it: "PASS good.TestGood (0.00s)".
func (g *gotestsum) test(text string) {
	if !strings.HasSuffix(text, "s)") || text[0] != 'P' && text[0] != 'S' && text[0] != 'F' {
		return
	}
	m := gotestsumTest.FindStringSubmatch(text)
	if m == nil {
		return
	}
	switch m[1] {
	case "PASS":
		g.pending.put(m[2], Passed)
	case "SKIP":
		g.pending.put(m[2], Skipped)
	case "FAIL":
		g.pending.put(m[2], Failed)
	}
}

// done reads the counts of a summary.
func (g *gotestsum) done(tests, skipped, failures, errors string) {
	total, ok := number(tests)
	if !ok {
		return
	}
	skip, _ := number(skipped)
	failed, _ := number(failures)
	broken, _ := number(errors)
	passed := max(0, total-skip-(failed-g.packages))
	// An error without a failure is what go itself refused.
	if failed == 0 {
		failed = broken
	}
	g.add(passed, failed, skip)
	g.take(&g.pending, "", passed, skip)
	g.packages, g.named, g.pending = 0, 0, names{}
}

func (g *gotestsum) flush() {
	if g.current == nil {
		return
	}
	g.explain(g.current.Name, g.text.String(), g.current.Duration)
	g.current, g.text = nil, message{}
}

func (g *gotestsum) report() (Report, bool) {
	end := *g
	end.tally = g.fork()
	end.flush()
	if g.named > 0 {
		end.add(0, g.named, 0) // cut off before the summary
		end.take(&g.pending, "", 0, 0)
	}
	return end.tally.report()
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
