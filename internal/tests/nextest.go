package tests

import (
	"strings"

	"github.com/refrain-loop/refrain/internal/figures"
	"github.com/refrain-loop/refrain/internal/text"
)

// nextest reads cargo nextest run. What it calls skipped includes what a filter
// left out. It prints each failing test's own output, which looks like cargo
// test: while it runs, cargo is not listened to. The doc-tests that people run
// after it are cargo's again.
type nextest struct {
	run
	started bool // and has not summed up; then the failing tests are listed once more
}

func (n *nextest) idle() bool { return !n.inRun() && n.talking == nil }

func (n *nextest) running() bool { return n.started }
func (n *nextest) inRun() bool   { return n.started || n.summed }

var nextestRules = rules[*nextest]{list: []rule[*nextest]{
	{`^$`, nil, func(*nextest, []string) {}},
	{`^ +Starting \d+ tests? across \d+ binar(?:y|ies)(?: .*)?$`, nil, func(n *nextest, _ []string) { n.endRun(); n.started = true }},
	{`^ +Summary \[ *(\d+\.\d+s)\] (?:\d+/)?\d+ tests? run: (.+)$`, nil, (*nextest).sums},
	// Without a time, it did not run: skipped, or about to be tried again.
	{`^ *(SKIP) \[ *(\d+\.\d+s)?\] (?:\[\d+(?:/\d+)?\] )?(?:\([ \d/─]+\) )?(\S+ +\S.*)$`, (*nextest).inRun, (*nextest).test},
	{`^ *([A-Z][A-Z0-9 +/-]*?) \[ *(\d+\.\d+s)\] (?:\[\d+(?:/\d+)?\] )?(?:\([ \d/─]+\) )?(\S+ +\S.*)$`, (*nextest).inRun, (*nextest).test},
	{`^ *Cancell?ing `, (*nextest).inRun, func(n *nextest, _ []string) { n.talking = nil }},
	{`^(?:  stderr ───|--- STDERR: )`, (*nextest).isTalking, func(n *nextest, _ []string) { *n.talking = message{} }}, // the reason is here, not in what was printed before
	{`^ *(?:stdout ───|output ───|──|---|running 1 test|test \S+ \.\.\. |failures:|test result: )`, (*nextest).isTalking, func(*nextest, []string) {}},
	{`^(.*)`, (*nextest).isTalking, func(n *nextest, m []string) { n.says(m[0]) }},
}}

var nextestPass = text.NewPattern(`^(?:PASS|LEAK|TIMEOUT-PASS|SLOW.*|FLAKY .*|TRY \d+ PASS)$`)

func (n *nextest) test(m []string) {
	n.talking = nil
	status, name := m[1], keep(strings.Join(strings.Fields(m[3]), " "))
	switch {
	case nextestPass().MatchString(status):
		n.names.timed(name, Passed, figures.Duration(m[2]))
		if n.started {
			n.passed++
		}
		return
	case status == "SKIP":
		n.names.put(name, Skipped)
		return
	case n.started:
		n.talking = n.texts.of(name)
		if strings.HasPrefix(status, "TRY ") {
			return // it may be tried again
		}
	}
	if n.fail(name, figures.Duration(m[2])) && n.current != nil {
		n.current.why = status
	}
	if n.started {
		n.failed = len(n.failing)
	}
}

var nextestAside = text.NewPattern(` \([^)]*\)`)

// sums reads the counts: "5 passed (1 slow), 2 failed, 1 timed out, 2 skipped".
func (n *nextest) sums(m []string) {
	n.sum.Duration += figures.Duration(m[1])
	counts := figures.Parts(nextestAside().ReplaceAllString(m[2], ""), ", ")
	if counts == nil {
		return
	}
	passed, skipped, failed := counts["passed"], counts["skipped"], 0
	for _, count := range counts {
		failed += count
	}
	failed -= passed + skipped // failed, exec failed, timed out, setup script failed, …
	if passed+failed == 0 {
		skipped = 0 // a filter that left everything out is not a test that was skipped
	}
	n.before.passed, n.before.skipped = n.sum.Passed, n.sum.Skipped // of two summaries, the last is the one for the names
	n.summary(passed, failed, skipped)
	n.started, n.talking = false, nil
}
