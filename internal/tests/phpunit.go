package tests

import (
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/figures"
)

// phpunit reads PHPUnit. Tests that are incomplete or risky, which checked
// nothing, count as skipped; what PHP itself gave up on counts as one failed test.
type phpunit struct {
	run
	on       bool // it began and has not ended
	listing  bool // failing tests are being printed
	errors   bool // as such that did not come to their end
	inactive bool // those that were skipped, are incomplete or risky are
	warnings bool // its verdict is that there were warnings
	fatal    string
	took     time.Duration
}

func (p *phpunit) idle() bool {
	return !p.on && !p.listing && !p.inactive && p.fatal == "" && p.current == nil
}

func (p *phpunit) inList() bool { return p.listing || p.inactive && p.on }

var phpunitRules = rules[*phpunit]{list: []rule[*phpunit]{
	{`^$`, nil, func(*phpunit, []string) {}},
	{`^PHPUnit (.*) by Sebastian Bergmann and contributors\.$`, nil, func(p *phpunit, _ []string) { p.end(); p.on = true }},
	{`^OK \((\d+) tests?, \d+ assertions?\)$`, nil, func(p *phpunit, m []string) { p.summary(figures.Ints(m)[1], 0, 0); p.end() }},
	{`^No tests executed!$`, nil, func(p *phpunit, _ []string) { p.summary(0, 0, 0); p.end() }},
	{`^Time: (.*)`, func(p *phpunit) bool { return p.on }, func(p *phpunit, m []string) { p.took = figures.Clock(m[1]) }},
	{`^There (?:was|were) \d+ (.+):$`, nil, (*phpunit).section},
	{`^Tests: (\d+, Assertions: \d+(?:, [A-Z][A-Za-z ]*: \d+)*)\.$`, nil, (*phpunit).sums},
	{`^WARNINGS!$`, nil, func(p *phpunit, m []string) { p.warnings = true; p.during(m[0]) }},
	// The format testdox: "✔ Adds two numbers". It has no name but this sentence.
	{`^ (✘|✔|↩|∅|☢)(?: (.*))?$`, func(p *phpunit) bool { return p.on }, func(p *phpunit, m []string) {
		p.named(m[2], marks[m[1]], 0)
	}},
	{`^#.*PHPUnit\\TextUI\\`, func(p *phpunit) bool { return p.fatal != "" }, func(p *phpunit, _ []string) { p.died() }},
	// In a run it may come right behind a line of progress; before one it is
	// PHPUnit's when its stack says so.
	{`^[.FEWRSIDN]*(?:PHP )?Fatal error: (.*)`, nil, func(p *phpunit, m []string) {
		p.fatal = strings.Clone(short("Fatal error: " + m[1]))
		if p.on {
			p.died()
		}
	}},
	{`^\d+\) (\S.*)$`, (*phpunit).inList, (*phpunit).listed},
	{`^([.FEWRSIDN]+) +\d+ / \d+ \( *\d+%\)$`, func(p *phpunit) bool { return p.on || p.listing }, (*phpunit).progress},
}, other: (*phpunit).during}

func (p *phpunit) section(m []string) {
	what := strings.TrimSuffix(m[1], "s")
	p.errors = what == "error"
	p.listing = what == "failure" || p.errors
	p.inactive = what == "skipped test" || what == "incomplete test" || what == "risky test"
	p.endDetail()
}

func (p *phpunit) sums(m []string) {
	counts := figures.Pairs("Tests: "+m[1], ": ")
	failed := counts["Errors"] + counts["Failures"]
	skipped := counts["Skipped"] + counts["Incomplete"] + counts["Risky"]
	if p.warnings {
		skipped += counts["Warnings"]
	}
	p.summary(counts["Tests"]-failed-skipped, failed, skipped)
	p.end()
}

func (p *phpunit) died() {
	p.summary(0, p.failed+1, 0)
	p.fail("PHP fatal error", 0)
	p.detail(strings.TrimPrefix(p.fatal, "Fatal error: "))
	p.end()
}

func (p *phpunit) listed(m []string) {
	switch {
	case strings.HasSuffix(m[1], "%)"):
	case p.inactive:
		p.names.put(m[1], Skipped)
	default:
		p.fail(m[1], 0)
		p.names.broke(m[1], p.errors)
	}
}

// during reads what is said on a failing test.
func (p *phpunit) during(text string) {
	switch {
	case !p.on && !p.listing, strings.HasSuffix(text, "%)"):
	case text == "--":
		p.listing, p.inactive = false, false
		p.endDetail()
	case p.inactive:
	case p.listing:
		p.detail(text)
	default:
		p.detail(strings.Trim(text, " │"))
	}
}

// progress counts the characters of a line such as "F.E.F   5 / 5 (100%)". It
// matters only when the summary never comes.
func (p *phpunit) progress(m []string) {
	for _, c := range m[1] {
		switch c {
		case 'F', 'E':
			p.failed++
		case 'S', 'I', 'R', 'W':
			p.skipped++
		default:
			p.passed++
		}
	}
}

func (p *phpunit) end() {
	p.endRun()
	p.sum.Duration += p.took
	*p = phpunit{run: p.run}
}
