package tests

import "strings"

// result reads a test of a verbose run: "test_add (calc.AddTest.test_add) ... ok".
// The first line of its docstring, and what it prints, may stand in between. Only
// names come of it; the counts are in the verdict.
func (u *unittest) result(text string) bool {
	title := strings.TrimPrefix(text, "  ") // a subtest is indented
	name, rest := unittestTest(title)
	if name == "" {
		return u.ended(text)
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
	return true
}

// ended reads how the test that runs ended, behind its title or docstring, or on
// a line of its own.
func (u *unittest) ended(text string) bool {
	if u.begun == "" {
		return false
	}
	status, ok := unittestStatus(text)
	for rest, more := text, true; !ok && more; {
		_, rest, more = strings.Cut(rest, " ... ")
		status, ok = unittestStatus(rest)
	}
	if !ok {
		return false
	}
	u.pending.put(u.begun, status)
	u.begun = ""
	return true
}

func unittestStatus(text string) (Status, bool) {
	switch text {
	case "ok":
		return Passed, true
	case "FAIL", "ERROR", "unexpected success":
		return Failed, true
	case "expected failure":
		return Skipped, true
	}
	return Skipped, strings.HasPrefix(text, "skipped ")
}

// unittestTest reads a test's title, "test_add (calc.AddTest)", and gives its full
// name, with the parameters of a subtest, and what follows.
func unittestTest(text string) (name, rest string) {
	test, after, _ := strings.Cut(text, " ")
	if test == "" || !strings.HasPrefix(after, "(") || strings.ContainsAny(test, "\t()") {
		return "", ""
	}
	in, after, ok := strings.Cut(after[1:], ")")
	if !ok || !strings.Contains(in, ".") || strings.ContainsAny(in, " \t(") {
		return "", ""
	}
	if after != "" && !strings.HasPrefix(after, " ") {
		return "", ""
	}
	parameters, _, ok := strings.Cut(after, " ... ")
	if !ok {
		parameters = "" // a docstring comes first
		if after != "" && !strings.HasSuffix(after, " ...") {
			return "", ""
		}
	}
	return unittestName(test, in) + parameters, after[len(parameters):]
}
