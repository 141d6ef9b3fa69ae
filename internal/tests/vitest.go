package tests

import (
	"regexp"
	"strings"
)

// vitestFile is a test file that has ended, such as
// " ❯ src/a.test.ts (3 tests | 2 failed) 7ms".
var vitestFile = regexp.MustCompile(`^ (?:✓|❯|↓|×) (.+) \((\d+) tests?((?: \| \d+ (?:failed|skipped|todo))*)\)`)

// vitest reads Vitest. It does not count the tests of a file that could not be
// loaded, nor errors outside of tests; here each counts as one failed test.
type vitest struct {
	run
	on      bool   // the tests are running
	file    string // the one whose tests may be listed now
	crashed int    // files that did not load
	files   int    // failed files in the summary that is being read
	ending  bool   // the summary has more lines
}

func (v *vitest) line(text string) {
	switch {
	case text == "":
	case text[0] == ' ':
		v.indented(text)
	case strings.HasPrefix(text, "⎯⎯"):
		v.banner(strings.Trim(text, "⎯ "))
	case strings.HasPrefix(text, "No test files found, exiting with code "):
		v.sumUp(0, 0, 0)
		v.end()
	default:
		v.say(text)
	}
}

func (v *vitest) indented(text string) {
	switch {
	case strings.HasPrefix(text, " RUN  v"):
		v.end()
		v.on = true
	case strings.HasPrefix(text, " FAIL  "):
		v.problem(strings.TrimPrefix(text, " FAIL  "))
	case strings.HasPrefix(text, " Test Files  "), strings.HasPrefix(text, "      Tests  "),
		strings.HasPrefix(text, "     Errors  "), strings.HasPrefix(text, "   Duration  "):
		label, value, _ := strings.Cut(strings.TrimLeft(text, " "), "  ")
		v.summary(label, value)
	case strings.HasPrefix(text, " ❯ ") && v.telling != nil:
		// A place in a stack.
	case v.on && v.telling == nil:
		v.ended(text)
	case v.telling != nil && !excerpt(strings.TrimLeft(text, " ")):
		v.say(text)
	}
}

// problem reads the title of a failing test, "file > suite > test", or of a file
// that did not load, "file [ file ]".
func (v *vitest) problem(title string) {
	if file, again, ok := strings.Cut(title, " [ "); ok && again == file+" ]" {
		if v.tell(file, 0) {
			v.crashed++
		}
		return
	}
	if strings.Contains(title, " > ") {
		v.tell(title, 0)
	}
}

// banner reads what stands between two rules. An error that belongs to no test
// is named after its banner.
func (v *vitest) banner(title string) {
	if strings.HasPrefix(title, "Unhandled ") && title != "Unhandled Errors" {
		v.tell(title, 0)
		return
	}
	v.hush()
}

// ended counts the tests of a file, or one test where the reporter prints them
// one by one. It matters only when the summary never comes.
func (v *vitest) ended(text string) {
	if strings.HasPrefix(text, "   ") {
		v.listed(text[len("   "):])
		return
	}
	marked := strings.HasPrefix(text, " ✓ ") || strings.HasPrefix(text, " × ") || strings.HasPrefix(text, " ❯ ") || strings.HasPrefix(text, " ↓ ") || strings.HasPrefix(text, " □ ")
	if !marked {
		return
	}
	if m := vitestFile.FindStringSubmatch(text); m != nil {
		v.file = keep(m[1])
		total, ok := number(m[2])
		counts := parts(strings.TrimPrefix(m[3], " | "), " | ")
		if ok {
			v.failed += counts["failed"]
			v.skipped += counts["skipped"] + counts["todo"]
			v.passed += max(0, total-counts["failed"]-counts["skipped"]-counts["todo"])
		}
		return
	}
	if !strings.Contains(text, " > ") {
		return
	}
	mark, name, _ := strings.Cut(text[1:], " ")
	status, ok := vitestStatus(mark)
	switch {
	case !ok:
		return
	case status == Passed:
		v.passed++
	case status == Failed:
		v.failed++
	case status == Skipped:
		v.skipped++
	}
	v.names.put(vitestName(name), status)
}

// listed names a test that is listed below its file, as version 3 does it when one
// of the file's tests failed: "× sum > adds 6ms". Version 4 leaves the suites out,
// and so these tests have no full names there.
func (v *vitest) listed(text string) {
	mark, name, _ := strings.Cut(text, " ")
	status, ok := vitestStatus(mark)
	if !ok || v.file == "" || status != Skipped && vitestName(name) == name {
		return
	}
	v.names.put(v.file+" > "+vitestName(name), status)
}

func vitestStatus(mark string) (Status, bool) {
	switch mark {
	case "✓":
		return Passed, true
	case "×":
		return Failed, true
	case "↓", "□":
		return Skipped, true
	}
	return "", false
}

// vitestName is a test's name without its time, and without how often it was
// tried.
func vitestName(text string) string {
	i := strings.LastIndexByte(text, ' ')
	if i <= 0 || !strings.HasSuffix(text, "ms") {
		return text
	}
	if _, ok := number(text[i+1 : len(text)-len("ms")]); !ok {
		return text
	}
	text = text[:i]
	if i := strings.LastIndex(text, " (retry x"); i > 0 && strings.HasSuffix(text, ")") {
		text = text[:i]
	}
	return text
}

// summary reads one line of the block that Vitest ends with.
func (v *vitest) summary(label, value string) {
	value, total, _ := strings.Cut(value, " (")
	counts := parts(value, " | ")
	switch label {
	case "Test Files":
		v.files = counts["failed"]
	case "Tests":
		n, ok := number(strings.TrimSuffix(total, ")"))
		if !ok && value != "no tests" {
			return
		}
		failed, skipped := counts["failed"], counts["skipped"]+counts["todo"]
		if failed+v.crashed == 0 {
			v.crashed = v.files
		}
		v.sumUp(n-failed-skipped, failed+v.crashed, skipped)
		v.end()
		v.ending = true
	case "Errors":
		if v.ending {
			v.add(0, counts["error"]+counts["errors"], 0)
		}
	case "Duration":
		if v.ending {
			v.sum.Duration += spelt(value)
			v.ending = false
		}
	}
}

func (v *vitest) end() {
	v.next()
	*v = vitest{run: v.run}
}

// report counts, for an output that was cut off, the failures that were
// explained as well as those that were only listed.
func (v *vitest) report() (Report, bool) {
	end := *v
	end.failed = max(v.failed, len(v.failing))
	return end.run.report()
}
