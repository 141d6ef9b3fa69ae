package tests

import (
	"regexp"
	"slices"
	"strings"
)

// nextest reads cargo nextest run. What it calls skipped includes what a filter
// left out. It prints each failing test's own output, which looks like cargo
// test: while it runs, cargo is not listened to. The doc-tests that people run
// after it are cargo's again.
type nextest struct {
	tally
	started bool
	summed  bool // the summary is there; the failing tests are listed once more

	passed, failed int // until the summary says it
	failing        []Test
	pending        names
	counts         struct{ passed, skipped int } // as the summary has them
	texts          said
	talking        *message
}

func (n *nextest) running() bool   { return n.started }
func (n *nextest) inRun() bool     { return n.started || n.summed }
func (n *nextest) isTalking() bool { return n.talking != nil }

var nextestRules = rules[*nextest]{list: []rule[*nextest]{
	{`^$`, nil, func(*nextest, []string) {}},
	{`^ +Starting \d+ tests? across \d+ binar(?:y|ies)(?: .*)?$`, nil, func(n *nextest, _ []string) { n.end(); n.started = true }},
	{`^ +Summary \[ *(\d+\.\d+s)\] (?:\d+/)?\d+ tests? run: (.+)$`, nil, (*nextest).sums},
	// Without a time, it did not run: skipped, or about to be tried again.
	{`^ *(SKIP) \[ *(\d+\.\d+s)?\] (?:\[\d+(?:/\d+)?\] )?(?:\([ \d/─]+\) )?(\S+ +\S.*)$`, (*nextest).inRun, (*nextest).test},
	{`^ *([A-Z][A-Z0-9 +/-]*?) \[ *(\d+\.\d+s)\] (?:\[\d+(?:/\d+)?\] )?(?:\([ \d/─]+\) )?(\S+ +\S.*)$`, (*nextest).inRun, (*nextest).test},
	{`^ *Cancell?ing `, (*nextest).inRun, func(n *nextest, _ []string) { n.talking = nil }},
	{`^(?:  stderr ───|--- STDERR: )`, (*nextest).isTalking, func(n *nextest, _ []string) { *n.talking = message{} }}, // the reason is here, not in what was printed before
	{`^ *(?:stdout ───|output ───|──|---|running 1 test|test \S+ \.\.\. |failures:|test result: )`, (*nextest).isTalking, func(*nextest, []string) {}},
	{`^(.*)`, (*nextest).isTalking, func(n *nextest, m []string) { n.talking.add(m[0]) }},
}}

var nextestPass = regexp.MustCompile(`^(?:PASS|LEAK|TIMEOUT-PASS|SLOW.*|FLAKY .*|TRY \d+ PASS)$`)

func (n *nextest) test(m []string) {
	n.talking = nil
	status, name := m[1], keep(strings.Join(strings.Fields(m[3]), " "))
	if nextestPass.MatchString(status) {
		n.passed++
		n.pending.put(name, Passed)
		return
	}
	if status == "SKIP" {
		n.pending.put(name, Skipped)
		return
	}
	if !n.summed {
		n.talking = n.texts.of(name)
		if strings.HasPrefix(status, "TRY ") {
			return // it may be tried again
		}
	}
	n.pending.put(name, Failed)
	known := slices.ContainsFunc(n.failing, func(t Test) bool { return t.Name == name })
	if known || len(n.failing) == mostFailing {
		return
	}
	n.failed++
	n.failing = append(n.failing, Test{Name: name, Duration: duration(m[2]), Message: status})
}

var nextestAside = regexp.MustCompile(` \([^)]*\)`)

// sums reads the counts: "5 passed (1 slow), 2 failed, 1 timed out, 2 skipped".
func (n *nextest) sums(m []string) {
	n.sum.Duration += duration(m[1])
	counts := parts(nextestAside.ReplaceAllString(m[2], ""), ", ")
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
	n.add(passed, failed, skipped)
	n.counts.passed, n.counts.skipped = passed, skipped
	n.passed, n.failed = 0, 0
	n.started, n.summed, n.talking = false, true, nil
}

// end names the failing tests of a run, and counts what was never summed up.
func (n *nextest) end() {
	if n.started && n.passed+n.failed > 0 {
		n.add(n.passed, n.failed, 0)
		n.counts.passed, n.counts.skipped = n.passed, 0
	}
	if n.inRun() {
		n.take(&n.pending, "", n.counts.passed, n.counts.skipped)
	}
	for _, t := range n.failing {
		text := n.texts.of(t.Name).String()
		if text == "" {
			text = t.Message
		}
		n.name(t.Name, text, t.Duration)
	}
	*n = nextest{tally: n.tally}
}

func (n *nextest) report() (Report, bool) {
	end := *n
	end.tally = n.fork()
	end.end()
	return end.tally.report()
}
