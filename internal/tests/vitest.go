package tests

import (
	"strings"

	"github.com/refrain-loop/refrain/internal/figures"
)

// vitest reads Vitest. It does not count the tests of a file that could not be
// loaded, nor errors outside of tests; here each counts as one failed test.
type vitest struct {
	run
	on      bool   // the tests are running
	file    string // the one whose tests may be listed now
	crashed int    // files that did not load
	files   int    // failed files in the summary that is being read
	ending  bool   // the summary has more lines
}

func (v *vitest) idle() bool { return !v.on && v.current == nil }

func (v *vitest) listing() bool { return v.on && v.current == nil }

// vitestTimed is a test's name, how often it was tried, and its time.
const vitestTimed = `(.+?)(?:(?: \(retry x[^()]*\))? (\d{1,9}ms))?$`

var vitestRules = rules[*vitest]{list: []rule[*vitest]{
	{`^$`, nil, func(*vitest, []string) {}},
	{`^⎯⎯`, nil, (*vitest).banner},
	{`^No test files found, exiting with code `, nil, func(v *vitest, _ []string) { v.summary(0, 0, 0); v.end() }},
	{`^ RUN  v`, nil, func(v *vitest, _ []string) { v.end(); v.on = true }},
	{`^ FAIL  (.*)`, nil, (*vitest).problem},
	{`^ Test Files  (.*)`, nil, func(v *vitest, m []string) { v.files = vitestCounts(m)["failed"] }},
	{`^      Tests  (.*)`, nil, (*vitest).sums},
	{`^     Errors  (.*)`, nil, func(v *vitest, m []string) {
		if counts := vitestCounts(m); v.ending {
			v.add(0, counts["error"]+counts["errors"], 0)
		}
	}},
	{`^   Duration  (.*)`, nil, func(v *vitest, m []string) {
		if value, _, _ := strings.Cut(m[1], " ("); v.ending {
			v.sum.Duration += figures.Spelt(value)
			v.ending = false
		}
	}},
	{`^ ❯ `, (*vitest).explaining, func(*vitest, []string) {}}, // a place in a stack
	{`^   (✓|×|↓|□) ` + vitestTimed, (*vitest).listing, (*vitest).listed},
	// A test file that has ended, such as " ❯ src/a.test.ts (3 tests | 2 failed) 7ms".
	{`^ (?:✓|❯|↓|×) (.+) \((\d+) tests?((?: \| \d+ (?:failed|skipped|todo))*)\)`, (*vitest).listing, (*vitest).fileEnded},
	// One test, where the reporter prints them one by one.
	{`^ (✓|×|↓|□) ` + vitestTimed, (*vitest).listing, func(v *vitest, m []string) {
		if strings.Contains(m[2], " > ") {
			v.count(marks[m[1]], 1)
			v.names.timed(m[2], marks[m[1]], figures.Duration(m[3]))
		}
	}},
}, other: (*vitest).other}

// other is a line that may be said on a failing test.
func (v *vitest) other(text string) {
	if v.explaining() && (text[0] != ' ' || !excerpt(strings.TrimLeft(text, " "))) {
		v.detail(text)
	}
}

// problem reads the title of a failing test, "file > suite > test", or of a file
// that did not load, "file [ file ]".
func (v *vitest) problem(m []string) {
	if file, again, ok := strings.Cut(m[1], " [ "); ok && again == file+" ]" {
		if v.fail(file, 0) {
			v.crashed++
		}
		v.names.broke(file, true)
		return
	}
	if strings.Contains(m[1], " > ") {
		v.fail(m[1], 0)
	}
}

// banner reads what stands between two rules. An error that belongs to no test
// is named after its banner.
func (v *vitest) banner(m []string) {
	title := strings.Trim(m[0], "⎯ ")
	if strings.HasPrefix(title, "Unhandled ") && title != "Unhandled Errors" {
		v.fail(title, 0)
		return
	}
	v.endDetail()
}

// fileEnded counts the tests of a file. It matters only when the summary never
// comes.
func (v *vitest) fileEnded(m []string) {
	v.file = keep(m[1])
	if total, ok := figures.Number(m[2]); ok {
		counts := figures.Parts(strings.TrimPrefix(m[3], " | "), " | ")
		skipped := counts["skipped"] + counts["todo"]
		v.failed += counts["failed"]
		v.skipped += skipped
		v.passed += max(0, total-counts["failed"]-skipped)
	}
}

// listed names a test that is listed below its file, as version 3 does it when one
// of the file's tests failed: "× sum > adds 6ms". Version 4 leaves the suites out,
// and so these tests have no full names there.
func (v *vitest) listed(m []string) {
	if status := marks[m[1]]; v.file != "" && (status == Skipped || m[3] != "") {
		v.names.timed(v.file+" > "+m[2], status, figures.Duration(m[3]))
	}
}

// vitestCounts are those of a line of the block that Vitest ends with.
func vitestCounts(m []string) map[string]int {
	value, _, _ := strings.Cut(m[1], " (")
	return figures.Parts(value, " | ")
}

func (v *vitest) sums(m []string) {
	value, total, _ := strings.Cut(m[1], " (")
	n, ok := figures.Number(strings.TrimSuffix(total, ")"))
	if !ok && value != "no tests" {
		return
	}
	counts := vitestCounts(m)
	failed, skipped := counts["failed"], counts["skipped"]+counts["todo"]
	if failed+v.crashed == 0 {
		v.crashed = v.files
	}
	v.summary(n-failed-skipped, failed+v.crashed, skipped)
	v.end()
	v.ending = true
}

func (v *vitest) end() {
	v.endRun()
	*v = vitest{run: v.run}
}

func (v *vitest) report() (Report, bool) { return v.cutOff() }
