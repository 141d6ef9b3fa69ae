package tests

import (
	"cmp"
	"slices"
)

// cargo reads cargo test: one summary for each test binary and for the doc-tests
// of each crate. Tests go by the name of their binary, since two crates may well
// have a tests::it_works each. Benchmarks count as passed tests, and what a
// filter left out does not count.
type cargo struct {
	tally
	binary   string // with its colons: what the tests' names begin with
	open     cargoBinary
	compiler message // the errors of what is being compiled
}

// cargoBinary is what is known of a binary that runs.
type cargoBinary struct {
	open                    bool // it has not summed up yet
	passed, failed, skipped int
	failing                 []string
	pending                 names
	texts                   said
	talking                 *message // the failing test whose output is printed
	listing                 bool     // the failing tests are listed
}

func (c *cargo) isOpen() bool    { return c.open.open }
func (c *cargo) isListing() bool { return c.open.open && c.open.listing }
func (c *cargo) isTalking() bool { return c.open.open && c.open.talking != nil }

var cargoRules = rules[*cargo]{list: []rule[*cargo]{
	{`^$`, nil, func(*cargo, []string) {}},

	// What is printed of failing tests before a binary sums up: the output of each,
	// which may look like anything, and then their names.
	{`^failures:$`, (*cargo).isOpen, func(c *cargo, _ []string) { c.open.talking, c.open.listing = nil, true }},
	{`^---- (.*) stdout ----$`, (*cargo).isOpen, func(c *cargo, m []string) { c.open.talking, c.open.listing = c.open.texts.of(m[1]), false }},
	{`^    (.*)`, (*cargo).isListing, func(c *cargo, m []string) { c.fails(m[1]) }},
	// That a binary failed. One that has not summed up died, if its tests ran one by
	// one in the middle of a line.
	{"^(?:test (.+?)(?: - should panic)? \\.\\.\\. )?error: (?:doc)?test failed, to rerun pass `(.+)`$", nil, func(c *cargo, m []string) {
		if c.open.open {
			c.open.failed++
			c.fails(cmp.Or(m[1], m[2]))
		}
		c.end()
	}},
	{`^(.*)`, (*cargo).isTalking, func(c *cargo, m []string) { c.open.talking.add(m[0]) }},

	// A binary: it begins, its tests end, it sums up.
	{`^ +Running .*\((?:.*[/\\])?([^/\\]+)-[0-9a-f]{16}(?:\.exe)?\)$`, nil, func(c *cargo, m []string) { c.end(); c.binary = keep(m[1]) + "::" }},
	{`^ +Doc-tests `, nil, func(c *cargo, _ []string) { c.end(); c.binary = "" }}, // they are named after their files
	{`^running \d+ tests?$`, nil, func(c *cargo, _ []string) { c.end(); c.open.open = true }},
	{`^test (.+?)(?: - (?:should panic|compile fail|compile|ignore))? \.\.\. (ok|FAILED|ignored)(?:, .*)?(?: <\d+\.\d+s>)?$`, (*cargo).isOpen, (*cargo).test},
	{`^test result: (?:ok|FAILED)\. (\d{1,9}) passed; (\d{1,9}) failed; (\d{1,9}) ignored; (\d{1,9}) measured; \d+ filtered out(?:; finished in (\d+\.\d+s))?$`, nil, func(c *cargo, m []string) {
		n := ints(m[1:5])
		c.open.passed, c.open.failed, c.open.skipped = n[0]+n[3], n[1], n[2]
		c.sum.Duration += duration(m[5])
		c.open.open = true
		c.end()
	}},

	// The compiler: what is wrong, and where; and that it gave up.
	{"^error: could not compile `(.+)` (\\((?:lib|bin \"[^\"]+\") test\\)|\\(test \"[^\"]+\"\\)) due to ", nil, func(c *cargo, m []string) {
		c.add(0, 1, 0)
		c.name(m[1]+" "+m[2], c.compiler.String(), 0)
		c.compiler = message{}
	}},
	{`^error`, nil, func(c *cargo, m []string) { c.compiler.add(m[0]) }},
	{`^ +(--> .*)$`, nil, func(c *cargo, m []string) { c.compiler.add(m[1]) }},
}}

func (c *cargo) test(m []string) {
	switch m[2] {
	case "ok":
		c.open.passed++
		c.open.pending.put(m[1], Passed)
	case "ignored":
		c.open.skipped++
		c.open.pending.put(m[1], Skipped)
	case "FAILED":
		c.open.failed++
		c.fails(m[1])
	}
}

func (c *cargo) fails(name string) {
	c.open.pending.put(name, Failed)
	if len(c.open.failing) < mostFailing && !slices.Contains(c.open.failing, name) {
		c.open.failing = append(c.open.failing, keep(name))
	}
}

// end counts the open binary, if there is one.
func (c *cargo) end() {
	if b := &c.open; b.open {
		c.add(b.passed, b.failed, b.skipped)
		c.take(&b.pending, c.binary, b.passed, b.skipped)
		for _, name := range b.failing {
			c.name(c.binary+name, b.texts.of(name).String(), 0)
		}
	}
	c.open = cargoBinary{}
}

func (c *cargo) report() (Report, bool) {
	end := *c
	end.tally = c.fork()
	if c.open.passed+c.open.failed+c.open.skipped > 0 {
		end.end() // cut off before the summary
	}
	return end.tally.report()
}
