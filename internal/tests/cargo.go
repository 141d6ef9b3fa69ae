package tests

import (
	"cmp"

	"github.com/refrain-loop/refrain/internal/figures"
)

// cargo reads cargo test: one summary for each test binary and for the doc-tests
// of each crate. Tests go by the name of their binary, since two crates may well
// have a tests::it_works each. Benchmarks count as passed tests, and what a
// filter left out does not count.
type cargo struct {
	run
	open     bool    // a binary runs that has not summed up yet
	listing  bool    // its failing tests are listed
	compiler message // the errors of what is being compiled
}

func (c *cargo) idle() bool { return !c.open && !c.listing && c.talking == nil }

func (c *cargo) isOpen() bool    { return c.open }
func (c *cargo) isListing() bool { return c.listing }

var cargoStatus = map[string]Status{"ok": Passed, "FAILED": Failed, "ignored": Skipped}

var cargoRules = rules[*cargo]{list: []rule[*cargo]{
	{`^$`, nil, func(*cargo, []string) {}},

	// What is printed of failing tests before a binary sums up: the output of each,
	// which may look like anything, and then their names.
	{`^failures:$`, (*cargo).isOpen, func(c *cargo, _ []string) { c.talking, c.listing = nil, true }},
	{`^---- (.*) stdout ----$`, (*cargo).isOpen, func(c *cargo, m []string) { c.talking, c.listing = c.texts.of(m[1]), false }},
	{`^    (.*)`, (*cargo).isListing, func(c *cargo, m []string) { c.fail(m[1], 0) }},
	// That a binary failed. One that has not summed up died, if its tests ran one by
	// one in the middle of a line.
	{"^(?:test (.+?)(?: - should panic)? \\.\\.\\. )?error: (?:doc)?test failed, to rerun pass `(.+)`$", nil, func(c *cargo, m []string) {
		if c.open {
			c.ended(cmp.Or(m[1], m[2]), Failed, 0)
		}
		c.end()
	}},
	{`^(.*)`, (*cargo).isTalking, func(c *cargo, m []string) { c.says(m[0]) }},

	// A binary: it begins, its tests end, it sums up.
	{`^ +Running .*\((?:.*[/\\])?([^/\\]+)-[0-9a-f]{16}(?:\.exe)?\)$`, nil, func(c *cargo, m []string) { c.end(); c.prefix = keep(m[1]) + "::" }},
	{`^ +Doc-tests `, nil, func(c *cargo, _ []string) { c.end(); c.prefix = "" }}, // they are named after their files
	{`^running \d+ tests?$`, nil, func(c *cargo, _ []string) { c.end(); c.open = true }},
	{`^test (.+?)(?: - (?:should panic|compile fail|compile|ignore))? \.\.\. (ok|FAILED|ignored)(?:, .*)?(?: <(\d+\.\d+s)>)?$`, (*cargo).isOpen, func(c *cargo, m []string) { c.ended(m[1], cargoStatus[m[2]], figures.Duration(m[3])) }},
	{`^test result: (?:ok|FAILED)\. (\d{1,9}) passed; (\d{1,9}) failed; (\d{1,9}) ignored; (\d{1,9}) measured; \d+ filtered out(?:; finished in (\d+\.\d+s))?$`, nil, func(c *cargo, m []string) {
		n := figures.Ints(m[1:5])
		c.summary(n[0]+n[3], n[1], n[2])
		c.sum.Duration += figures.Duration(m[5])
		c.open = false
		c.end()
	}},

	// The compiler: what is wrong, and where; and that it gave up.
	{"^error: could not compile `(.+)` (\\((?:lib|bin \"[^\"]+\") test\\)|\\(test \"[^\"]+\"\\)) due to ", nil, func(c *cargo, m []string) {
		c.add(0, 1, 0)
		c.name(m[1]+" "+m[2], c.compiler.String(), 0)
		c.known.broke(m[1]+" "+m[2], true)
		c.compiler = message{}
	}},
	{`^error`, nil, func(c *cargo, m []string) { c.compiler.add(m[0]) }},
	{`^ +(--> .*)$`, nil, func(c *cargo, m []string) { c.compiler.add(m[1]) }},
}}

// end counts the open binary, if there is one.
func (c *cargo) end() {
	if c.open {
		c.summary(c.passed, c.failed, c.skipped)
	}
	c.endRun()
	c.open, c.listing = false, false
}
