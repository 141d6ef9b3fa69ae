package tests

import "github.com/refrain-loop/refrain/internal/figures"

// ctest reads CMake's ctest. Its own sum takes a skipped test for a passed one
// and leaves a disabled one out; the list that follows sets this right.
type ctest struct {
	run
	list byte // which list after the sum is printed: 'f' for failed, 'n' for not run
}

func (c *ctest) idle() bool { return !c.summed && c.talking == nil }

func (c *ctest) isSummed() bool { return c.summed }

var ctestRules = rules[*ctest]{list: []rule[*ctest]{
	{`^$`, nil, func(*ctest, []string) {}},
	{`^ *\d+/\d+ Test +#\d+: (.+?) ?\.*(?: *(Passed)|\*\*\*(\S.*?)) +(\d+\.\d+) sec`, nil, (*ctest).test},
	{`^\d+% tests passed, (\d{1,9}) tests? failed out of (\d{1,9})$`, nil, (*ctest).sums},
	{`^    Start `, nil, func(c *ctest, _ []string) { c.talking = nil }},
	{`^The following tests FAILED:$`, (*ctest).isSummed, func(c *ctest, _ []string) { c.list = 'f' }},
	{`^The following tests did not run:$`, (*ctest).isSummed, func(c *ctest, _ []string) { c.list = 'n' }},
	{`^Total Test time \(real\) = +(\d+\.\d+) sec$`, (*ctest).isSummed, func(c *ctest, m []string) { c.sum.Duration += figures.Duration(m[1]) }},
	{`^\t *\d+ - (.+) \(([^()]+)\)(?:  .*)?$`, (*ctest).isSummed, (*ctest).listed},
	{`^\t`, (*ctest).isSummed, func(*ctest, []string) {}},
	{`^No tests were found!!!$`, nil, func(c *ctest, _ []string) { c.add(0, 0, 0) }},
	{`^(.*)`, (*ctest).isTalking, func(c *ctest, m []string) { c.says(m[0]) }},
}}

func (c *ctest) test(m []string) {
	c.talking = nil
	if c.summed { // the next run
		c.endRun()
	}
	switch status := m[3]; {
	case m[2] != "":
		c.ended(m[1], Passed, figures.Duration(m[4]))
	case status == "Skipped" || status == "Not Run (Disabled)":
		c.ended(m[1], Skipped, 0)
	default:
		c.ended(m[1], Failed, figures.Duration(m[4]))
		c.because(m[1], status)
	}
}

func (c *ctest) sums(m []string) {
	n := figures.Ints(m[1:])
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
		c.fail(name, 0)
		c.because(name, reason)
		c.talking = nil
	case c.list == 'n' && reason == "Disabled":
		c.add(0, 0, 1)
	case c.list == 'n' && c.sum.Passed > c.before.passed:
		c.sum.Passed--
		c.sum.Skipped++
	}
}

// because says in one word why a test failed; what it printed follows.
func (c *ctest) because(name, reason string) {
	for _, f := range c.failing {
		if f.name == short(name) {
			f.head, c.talking = keep(reason), f.text
		}
	}
	c.endDetail()
}
