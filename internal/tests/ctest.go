package tests

import (
	"slices"
)

// ctest reads CMake's ctest. Its own sum takes a skipped test for a passed one
// and leaves a disabled one out; the list that follows sets this right.
type ctest struct {
	tally
	summed bool // the lists after the sum are being printed
	list   byte // which one: 'f' for failed, 'n' for not run

	passed, failed, skipped int // of a run without its sum
	texts                   said
	talking                 *message
	cut                     []Test // failing tests of such a run
	pending                 names
	before                  struct{ passed, skipped int } // the sums of the runs before
}

func (c *ctest) isSummed() bool { return c.summed }

var ctestRules = rules[*ctest]{list: []rule[*ctest]{
	{`^$`, nil, func(*ctest, []string) {}},
	{`^ *\d+/\d+ Test +#\d+: (.+?) ?\.*(?: *(Passed)|\*\*\*(\S.*?)) +(\d+\.\d+) sec`, nil, (*ctest).test},
	{`^\d+% tests passed, (\d{1,9}) tests? failed out of (\d{1,9})$`, nil, (*ctest).sums},
	{`^    Start `, nil, func(c *ctest, _ []string) { c.talking = nil }},
	{`^The following tests FAILED:$`, (*ctest).isSummed, func(c *ctest, _ []string) { c.list = 'f' }},
	{`^The following tests did not run:$`, (*ctest).isSummed, func(c *ctest, _ []string) { c.list = 'n' }},
	{`^Total Test time \(real\) = +(\d+\.\d+) sec$`, (*ctest).isSummed, func(c *ctest, m []string) { c.sum.Duration += duration(m[1]) }},
	{`^\t *\d+ - (.+) \(([^()]+)\)(?:  .*)?$`, (*ctest).isSummed, (*ctest).listed},
	{`^\t`, (*ctest).isSummed, func(*ctest, []string) {}},
	{`^No tests were found!!!$`, nil, func(c *ctest, _ []string) { c.add(0, 0, 0) }},
	{`^(.*)`, func(c *ctest) bool { return c.talking != nil }, func(c *ctest, m []string) { c.talking.add(m[0]) }},
}}

func (c *ctest) test(m []string) {
	c.talking = nil
	if c.summed { // the next run
		c.settle()
		c.summed, c.cut, c.texts = false, nil, nil
	}
	switch status := m[3]; {
	case m[2] != "":
		c.passed++
		c.pending.put(m[1], Passed)
	case status == "Skipped" || status == "Not Run (Disabled)":
		c.skipped++
		c.pending.put(m[1], Skipped)
	default:
		c.failed++
		c.pending.put(m[1], Failed)
		name := keep(m[1])
		if len(c.cut) < mostFailing {
			c.cut = append(c.cut, Test{Name: name, Message: keep(status), Duration: duration(m[4])})
		}
		c.talking = c.texts.of(name)
	}
}

func (c *ctest) sums(m []string) {
	n := ints(m[1:])
	failed, total := n[0], n[1]
	if failed > total {
		return
	}
	c.add(total-failed, failed, 0)
	c.summed, c.list, c.talking = true, 0, nil
	c.passed, c.failed, c.skipped = 0, 0, 0
}

// listed reads one test of the lists after the sum.
func (c *ctest) listed(m []string) {
	switch name, reason := m[1], m[2]; {
	case c.list == 'f':
		c.names(name, reason)
	case c.list == 'n' && reason == "Disabled":
		c.add(0, 0, 1)
	case c.list == 'n' && c.sum.Passed > c.before.passed:
		c.sum.Passed--
		c.sum.Skipped++
	}
}

func (c *ctest) names(name, reason string) {
	test := Test{Name: name, Message: reason}
	if i := slices.IndexFunc(c.cut, func(t Test) bool { return t.Name == name }); i >= 0 {
		test.Duration = c.cut[i].Duration
	}
	if text := c.texts.of(name).String(); text != "" {
		test.Message = reason + "\n" + text
	}
	c.pending.put(test.Name, Failed)
	c.explain(test.Name, test.Message, test.Duration)
}

// settle takes the names of a run, whose counts are known when the next begins.
func (c *ctest) settle() {
	c.take(&c.pending, "", c.sum.Passed-c.before.passed, c.sum.Skipped-c.before.skipped)
	c.before.passed, c.before.skipped = c.sum.Passed, c.sum.Skipped
	c.pending = names{}
}

func (c *ctest) report() (Report, bool) {
	end := *c
	end.tally, end.pending = c.fork(), c.pending.fork()
	if c.passed+c.failed+c.skipped > 0 { // cut off before the sum
		end.add(c.passed, c.failed, c.skipped)
		for _, t := range c.cut {
			end.names(t.Name, t.Message)
		}
	}
	if end.seen {
		end.settle()
	}
	return end.tally.report()
}
