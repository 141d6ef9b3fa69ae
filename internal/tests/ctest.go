package tests

import (
	"regexp"
	"slices"
	"strings"
)

var (
	ctestTest = regexp.MustCompile(`^ *\d+/\d+ Test +#\d+: (.+?) ?\.*(?: *(Passed)|\*\*\*(\S.*?)) +(\d+\.\d+) sec`)
	ctestEnd  = regexp.MustCompile(`^\d+% tests passed, (\d+) tests? failed out of (\d+)$`)
	ctestTime = regexp.MustCompile(`^Total Test time \(real\) = +(\d+\.\d+) sec$`)
	ctestList = regexp.MustCompile(`^\t *\d+ - (.+) \(([^()]+)\)(?:  .*)?$`)
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

func (c *ctest) line(text string) {
	if text == "" {
		return
	}
	switch first := text[0]; {
	case first == ' ' || first >= '0' && first <= '9':
		if c.test(text) || c.end(text) {
			return
		}
		if strings.HasPrefix(text, "    Start ") {
			c.talking = nil
			return
		}
	case first == '\t' && c.summed:
		c.listed(text)
		return
	case first == 'T':
		if c.heading(text) {
			return
		}
	case text == "No tests were found!!!":
		c.add(0, 0, 0)
		return
	}
	if c.talking != nil {
		c.talking.add(text)
	}
}

func (c *ctest) test(text string) bool {
	if !strings.Contains(text, " Test ") {
		return false
	}
	m := ctestTest.FindStringSubmatch(text)
	if m == nil {
		return false
	}
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
	return true
}

func (c *ctest) end(text string) bool {
	m := ctestEnd.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	failed, ok1 := number(m[1])
	total, ok2 := number(m[2])
	if !ok1 || !ok2 || failed > total {
		return false
	}
	c.add(total-failed, failed, 0)
	c.summed, c.list, c.talking = true, 0, nil
	c.passed, c.failed, c.skipped = 0, 0, 0
	return true
}

// heading reads the titles of what follows the sum.
func (c *ctest) heading(text string) bool {
	if !c.summed {
		return false
	}
	switch text {
	case "The following tests FAILED:":
		c.list = 'f'
		return true
	case "The following tests did not run:":
		c.list = 'n'
		return true
	}
	m := ctestTime.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	c.sum.Duration += duration(m[1])
	return true
}

// listed reads one test of such a list.
func (c *ctest) listed(text string) {
	m := ctestList.FindStringSubmatch(text)
	if m == nil {
		return
	}
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
