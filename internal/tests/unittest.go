package tests

import (
	"strings"

	"github.com/refrain-loop/refrain/internal/figures"
	"github.com/refrain-loop/refrain/internal/text"
)

const (
	unittestDouble = "======================================================================"
	unittestSingle = "----------------------------------------------------------------------"
)

// unittest reads Python's unittest, and Django's tests, which print the same. An
// expected failure is skipped, since it proves nothing; an unexpected success
// failed, as unittest has it. Subtests count where they fail.
type unittest struct {
	run
	now     string // the line that is read
	above   string // the one before it
	ran     int    // how many the run said there were
	over    bool   // it said so: its verdict comes next
	extra   int    // failing tests that are no tests of the run
	parents names
	begun   string // the test that runs now, in a verbose run
}

func (u *unittest) idle() bool {
	return !u.over && u.current == nil && u.begun == "" && u.now != unittestDouble && u.now != unittestSingle
}

func (u *unittest) afterDouble() bool { return u.above == unittestDouble }
func (u *unittest) afterSingle() bool { return u.above == unittestSingle }
func (u *unittest) isOver() bool      { return u.over && !u.afterDouble() }

var unittestRules = rules[*unittest]{first: (*unittest).next, list: []rule[*unittest]{
	{`^` + unittestDouble + `$`, nil, func(u *unittest, _ []string) { u.endDetail() }},
	{`^` + unittestSingle + `$`, nil, func(u *unittest, _ []string) {
		if u.above == "" {
			u.endDetail()
		} else if u.current != nil {
			*u.current.text = message{} // what came before described the test
		}
	}},
	{`^(FAIL|ERROR|UNEXPECTED SUCCESS): (\S+) \((\S+)\)(.*)$`, (*unittest).afterDouble, func(u *unittest, m []string) {
		name := unittestName(m[2], m[3])
		u.failAgain(name+m[4], 0)
		u.names.broke(name+m[4], m[1] == "ERROR")
		u.apart(m[2], name, m[4])
	}},
	{`^Ran (\d{1,9}) tests? in (\d+\.\d+)s$`, (*unittest).afterSingle, func(u *unittest, m []string) {
		u.endDetail()
		u.ran, u.over = figures.Ints(m)[1], true
		u.sum.Duration += figures.Duration(m[2])
	}},
	{`^Ran `, (*unittest).afterSingle, func(u *unittest, _ []string) { u.endDetail() }},
	{`^(?:OK|FAILED|NO TESTS RAN)(?: \(([a-z ]+=\d+(?:, [a-z ]+=\d+)*)\))?$`, (*unittest).isOver, (*unittest).end},
}, other: (*unittest).during, wakes: []string{`^(?:  )?[^\s()]+ \([^\s()]*\.[^\s()]*\)`}}

func (u *unittest) next(text string) (blank bool) {
	u.above, u.now = u.now, text
	return text == ""
}

func (u *unittest) during(text string) {
	switch {
	case u.afterDouble():
	case u.over:
		u.over = false
	case u.current == nil:
		u.result(text)
	case text[0] != ' ' && !strings.HasPrefix(text, "Traceback "):
		u.current.text.add(text) // without the places, so that the reason itself has room
	}
}

// end reads the verdict's counts: "failures=2, errors=1, skipped=1".
func (u *unittest) end(m []string) {
	of := figures.Pairs(m[1], "=")
	failed := of["failures"] + of["errors"] + of["unexpected successes"]
	skipped := of["skipped"] + of["expected failures"]
	u.summary(u.ran-max(0, failed-u.extra)-skipped, failed, skipped)
	u.endRun()
	*u = unittest{run: u.run, now: u.now}
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

// unittestName is a test's full name. Older Pythons leave the test itself out of
// what is in brackets.
func unittestName(test, in string) string {
	if strings.HasSuffix(in, "."+test) {
		return in
	}
	return in + "." + test
}

// result reads a test of a verbose run: "test_add (calc.AddTest.test_add) ... ok".
// The first line of its docstring, and what it prints, may stand in between. Only
// names come of it; the counts are in the verdict.
func (u *unittest) result(text string) {
	title := strings.TrimPrefix(text, "  ") // a subtest is indented
	name, rest := unittestTest(title)
	if name == "" {
		u.ended(text)
		return
	}
	u.begun = name
	// A test with failing subtests has no ending of its own before Python 3.11:
	// the next test stands on the same line.
	for {
		_, after, more := strings.Cut(rest, " ... ")
		if !more {
			break
		}
		if next, ahead := unittestTest(after); next != "" {
			u.begun, rest = next, ahead
			continue
		}
		u.ended(after)
		break
	}
}

// ended reads how the test that runs ended, behind its title or docstring, or on
// a line of its own.
func (u *unittest) ended(text string) {
	if u.begun == "" {
		return
	}
	status, ok := unittestStatus(text)
	for rest, more := text, true; !ok && more; {
		_, rest, more = strings.Cut(rest, " ... ")
		status, ok = unittestStatus(rest)
	}
	if ok {
		u.names.put(u.begun, status)
		u.begun = ""
	}
}

func unittestStatus(text string) (Status, bool) {
	if strings.HasPrefix(text, "skipped ") {
		return Skipped, true
	}
	status, ok := unittestWords[text]
	return status, ok
}

var unittestWords = map[string]Status{"ok": Passed, "FAIL": Failed, "ERROR": Failed, "unexpected success": Failed, "expected failure": Skipped}

var unittestTitle = text.NewPattern(`^([^\s()]+) \(([^\s()]*\.[^\s()]*)\)( .*)?$`)

// unittestTest reads a test's title, "test_add (calc.AddTest)", and gives its full
// name, with the parameters of a subtest, and what follows.
func unittestTest(text string) (name, rest string) {
	if i := strings.IndexByte(text, ' '); i < 1 || !strings.HasPrefix(text[i:], " (") { // most lines are none
		return "", ""
	}
	m := unittestTitle().FindStringSubmatch(text)
	if m == nil {
		return "", ""
	}
	parameters, _, ok := strings.Cut(m[3], " ... ")
	if !ok {
		parameters = "" // a docstring comes first
		if m[3] != "" && !strings.HasSuffix(m[3], " ...") {
			return "", ""
		}
	}
	return unittestName(m[1], m[2]) + parameters, m[3][len(parameters):]
}
