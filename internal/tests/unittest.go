package tests

import (
	"regexp"
	"strings"
)

var (
	unittestRan   = regexp.MustCompile(`^Ran (\d+) tests? in (\d+\.\d+)s$`)
	unittestEnd   = regexp.MustCompile(`^(OK|FAILED|NO TESTS RAN)(?: \(([a-z ]+=\d+(?:, [a-z ]+=\d+)*)\))?$`)
	unittestTitle = regexp.MustCompile(`^(?:FAIL|ERROR|UNEXPECTED SUCCESS): (\S+) \((\S+)\)(.*)$`)
)

const (
	unittestDouble = "======================================================================"
	unittestSingle = "----------------------------------------------------------------------"
)

// unittest reads Python's unittest, and Django's tests, which print the same. An
// expected failure is skipped, since it proves nothing; an unexpected success
// failed, as unittest has it. Subtests count where they fail.
type unittest struct {
	tally
	before  string // the line before this one
	ran     int    // what the run said before its verdict; -1 when it did not
	current *Test
	text    message
	named   int // failing tests of a run that has not summed up
	extra   int // those of them that are no tests of the run
	parents names
	pending names
	begun   string // the test that runs now, in a verbose run
}

func newUnittest() reader { return &unittest{ran: -1} }

func (u *unittest) line(text string) {
	before := u.before
	u.before = text
	switch {
	case text == "":
		return
	case text == unittestDouble, text == unittestSingle && before == "":
		u.flush()
	case text == unittestSingle:
		u.text = message{} // what came before described the test
	case before == unittestDouble:
		if m := unittestTitle.FindStringSubmatch(text); m != nil {
			u.named++
			u.current = &Test{Name: unittestName(m[1], m[2]) + m[3]}
			u.pending.put(u.current.Name, Failed)
			u.apart(m[1], unittestName(m[1], m[2]), m[3])
		}
	case before == unittestSingle && strings.HasPrefix(text, "Ran "):
		u.flush()
		if m := unittestRan.FindStringSubmatch(text); m != nil {
			if n, ok := number(m[1]); ok {
				u.ran = n
				u.sum.Duration += duration(m[2])
			}
		}
	case u.ran >= 0:
		if m := unittestEnd.FindStringSubmatch(text); m != nil {
			u.end(m[2])
		}
		u.ran = -1
	case u.current == nil && u.result(text):
	case u.current != nil && text[0] != ' ' && !strings.HasPrefix(text, "Traceback "):
		// Without the places, so that the reason itself has room.
		u.text.add(text)
	}
}

// end reads the verdict's counts: "failures=2, errors=1, skipped=1".
func (u *unittest) end(counts string) {
	var failed, skipped int
	for part := range strings.SplitSeq(counts, ", ") {
		word, digits, _ := strings.Cut(part, "=")
		n, _ := number(digits)
		switch word {
		case "failures", "errors", "unexpected successes":
			failed += n
		case "skipped", "expected failures":
			skipped += n
		}
	}
	passed := max(0, u.ran-max(0, failed-u.extra)-skipped)
	u.add(passed, failed, skipped)
	u.take(&u.pending, "", passed, skipped)
	u.named, u.extra, u.parents, u.pending, u.begun = 0, 0, names{}, names{}, ""
}

// apart counts failures that are not in the number of tests that ran: that of a
// set-up, and of all failing subtests of a test but one.
func (u *unittest) apart(test, name, parameters string) {
	switch test {
	case "setUpClass", "tearDownClass", "setUpModule", "tearDownModule":
		u.extra++
		return
	}
	if parameters == "" {
		return
	}
	if _, again := u.parents.at[short(name)]; again {
		u.extra++
	}
	u.parents.put(name, Failed)
}

func (u *unittest) flush() {
	if u.current == nil {
		return
	}
	u.explain(u.current.Name, u.text.String(), 0)
	u.current, u.text = nil, message{}
}

func (u *unittest) report() (Report, bool) {
	end := *u
	end.tally = u.fork()
	end.flush()
	if u.named > 0 {
		end.add(0, u.named, 0) // cut off before the verdict
		end.take(&u.pending, "", 0, 0)
	}
	return end.tally.report()
}

// unittestName is a test's full name. Older Pythons leave the test itself out of
// what is in brackets.
func unittestName(test, in string) string {
	if strings.HasSuffix(in, "."+test) {
		return in
	}
	return in + "." + test
}
