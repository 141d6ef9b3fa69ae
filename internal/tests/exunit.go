package tests

import (
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/figures"
)

// exunit reads ExUnit. Tests that were excluded count as skipped, those whose
// module could not be set up as failed, and a test file that does not compile
// as one failed test.
type exunit struct {
	run
	took     time.Duration
	module   string // the one whose tests are being traced
	finished bool   // the time was printed: the counts come next
	counts   string // counts that may be another runner's, unless the seed follows
}

func (e *exunit) idle() bool { return e.current == nil && !e.finished }

var exunitRules = rules[*exunit]{list: []rule[*exunit]{
	{`^$`, nil, func(*exunit, []string) {}},
	{`^  \d+\) ((?:test|doctest|property|feature) .+ \([A-Z][\w.]*\))$`, nil, func(e *exunit, m []string) { e.ended(m[1], Failed, 0) }},
	{`^  \d+\) ([A-Z][\w.]*): failure on setup_all callback`, nil, func(e *exunit, m []string) { e.fail(m[1], 0) }},
	{`^  \* (\S.*) \((\d+(?:\.\d+)?ms|skipped|excluded)\)(?: \[L#\d+\])?$`, nil, (*exunit).traced},
	{`^ +stacktrace:$`, (*exunit).explaining, func(e *exunit, _ []string) { e.endDetail() }},
	{`^ +\* `, (*exunit).explaining, func(e *exunit, _ []string) { e.endDetail() }},
	{`^ +[^ ]*\.exs:[^ ]*$`, (*exunit).explaining, func(*exunit, []string) {}}, // where the test is
	{`^(?:\d+ (?:doctests?|tests?|property|properties|features?), )*\d+ failures?(?:, \d+ (?:excluded|invalid|skipped))*$`, nil, (*exunit).counted},
	{`^Finished in (.*)`, nil, func(e *exunit, m []string) {
		took, _, _ := strings.Cut(m[1], " (")
		e.took, e.finished = figures.Spelt(took), true
		e.endDetail()
	}},
	{`^Randomized with seed `, func(e *exunit) bool { return e.counts != "" }, func(e *exunit, _ []string) { e.end(e.counts) }},
	{`^== Compilation error in file (.*_test\.exs) ==$`, nil, func(e *exunit, m []string) { e.ended(m[1], Failed, 0) }},
	{`^There are no tests to run$`, nil, func(e *exunit, _ []string) { e.summary(0, 0, 0); e.endRun() }},
}, other: (*exunit).other, wakes: []string{`^Randomized with seed `, `^(.*)\.exs\]$`}}

// other is a line that no rule is for.
func (e *exunit) other(text string) {
	e.detail(text)
	if text[0] == ' ' {
		return
	}
	if module, ok := strings.CutSuffix(text, ".exs]"); ok {
		module, _, _ = strings.Cut(module, " [")
		e.module = keep(module)
	}
	e.finished = false
}

// traced names a test of a run with --trace. One that failed looks as if it had
// passed, and is explained next.
func (e *exunit) traced(m []string) {
	e.endDetail()
	if e.module == "" {
		return
	}
	status := Passed
	if m[2] == "skipped" || m[2] == "excluded" {
		status = Skipped
	}
	e.names.timed(m[1]+" ("+e.module+")", status, figures.Duration(m[2]))
}

// counted reads the counts. Other runners have such a line too: it is ExUnit's
// with the time before it or the seed after it.
func (e *exunit) counted(m []string) {
	if e.finished {
		e.end(m[0])
		return
	}
	e.counts = strings.Clone(short(m[0]))
}

func (e *exunit) end(text string) {
	counts := figures.Parts(text, ", ")
	failed := counts["failure"] + counts["failures"] + counts["invalid"]
	skipped := counts["excluded"] + counts["skipped"]
	total := -counts["excluded"] - counts["skipped"] - failed
	for _, n := range counts {
		total += n
	}
	e.summary(total-failed-skipped, failed, skipped)
	e.endRun()
	e.sum.Duration += e.took
	*e = exunit{run: e.run}
}
