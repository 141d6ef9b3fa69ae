package tests

import (
	"slices"
)

// ctest reads CMake's ctest. Its own sum takes a skipped test for a passed one
// and leaves a disabled one out; the list that follows sets this right.
type ctest struct {
	run
	list byte   // which list after the sum is printed: 'f' for failed, 'n' for not run
	cut  []Test // failing tests, as they were printed before the sum
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
	{`^(.*)`, (*ctest).isTalking, func(c *ctest, m []string) { c.says(m[0]) }},
}}

func (c *ctest) test(m []string) {
	c.talking = nil
	if c.summed { // the next run
		c.endRun()
		c.cut = nil
	}
	switch status := m[3]; {
	case m[2] != "":
		c.ended(m[1], Passed, 0)
	case status == "Skipped" || status == "Not Run (Disabled)":
		c.ended(m[1], Skipped, 0)
	default:
		c.failed++
		c.names.put(m[1], Failed)
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
	c.summary(total-failed, failed, 0)
	c.list, c.talking = 0, nil
}

// listed reads one test of the lists after the sum.
func (c *ctest) listed(m []string) {
	switch name, reason := m[1], m[2]; {
	case c.list == 'f':
		c.fails(name, reason)
	case c.list == 'n' && reason == "Disabled":
		c.add(0, 0, 1)
	case c.list == 'n' && c.sum.Passed > c.before.passed:
		c.sum.Passed--
		c.sum.Skipped++
	}
}

func (c *ctest) fails(name, reason string) {
	test := Test{Name: name, Message: reason}
	if i := slices.IndexFunc(c.cut, func(t Test) bool { return t.Name == name }); i >= 0 {
		test.Duration = c.cut[i].Duration
	}
	if text := c.texts.of(name).String(); text != "" {
		test.Message = reason + "\n" + text
	}
	c.names.put(test.Name, Failed)
	c.explain(test.Name, test.Message, test.Duration)
}

func (c *ctest) report() (Report, bool) {
	end := *c
	if c.passed+c.failed+c.skipped > 0 { // cut off before the sum
		end.tally, end.names = c.fork(), c.names.fork()
		for _, t := range c.cut {
			end.fails(t.Name, t.Message)
		}
	}
	return end.run.report()
}
