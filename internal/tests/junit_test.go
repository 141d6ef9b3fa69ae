package tests

import (
	"strings"
	"testing"
)

func TestJUnit(t *testing.T) {
	const head = `<?xml version="1.0" encoding="UTF-8"?>`
	check(t, []reading{
		{"on one line", head + `<testsuites><testsuite tests="2"><testcase classname="A" name="x"/><testcase classname="A" name="y"><failure/></testcase></testsuite></testsuites>`, "junit: 2 = 1 passed + 1 failed + 0 skipped; A.y"},
		{"a suite in a suite", lines(`<testsuite name="a" tests="2">`, `<testsuite name="b" tests="2">`, `<testcase name="x"/>`, `<testcase name="y"><skipped/></testcase>`, `</testsuite>`, `</testsuite>`), "junit: 2 = 1 passed + 0 failed + 1 skipped"},
		{"a tag over several lines", lines(`<testsuite`, `  name='a > b'`, `  tests="1"`, `>`, `<testcase`, ` name="x">`, `<error message="one`, `two"/>`, `</testcase>`, `</testsuite>`), "junit: 1 = 0 passed + 1 failed + 0 skipped; a > b.x"},
		{"what a test printed is not read", lines(`<testsuite tests="1">`, `<testcase name="x">`, `<system-out><![CDATA[<testcase name="fake"><failure/>`, `</testsuite>]]></system-out>`, `<!-- <failure/> --></testcase>`, `</testsuite>`), "junit: 1 = 1 passed + 0 failed + 0 skipped"},
		{"two documents", strings.Repeat(lines(head, `<testsuite tests="1">`, `<testcase name="x"/>`, `</testsuite>`), 2), "junit: 2 = 2 passed + 0 failed + 0 skipped"},
		{"one without an end, and another", lines(head, `<testsuites>`, `<testsuite tests="1">`, `<testcase name="x"/>`, head, `<testsuite tests="1">`, `<testcase name="x"/>`, `</testsuite>`), "junit: 2 = 2 passed + 0 failed + 0 skipped"},
		{"a line too long to read", head + `<testsuites><testsuite tests="9000" failures="2" errors="1" skipped="4">` + strings.Repeat(`<testcase name="x"/>`, 9000) + `</testsuite></testsuites>`, "junit: 9000 = 8993 passed + 3 failed + 4 skipped"},
		{"no tests", head + `<testsuites/>`, "junit: 0 = 0 passed + 0 failed + 0 skipped"},
		{"more parts than there are", `<testsuite tests="1" failures="3"></testsuite>`, "junit: 3 = 0 passed + 3 failed + 0 skipped"},
		{"in a diff", lines(`+<testsuite tests="1">`, ` <testsuite tests="1">`), "nothing"},
	})
	report, _ := Read(lines(`<testsuite tests="1">`, `<testcase name="x" time="1.5"><failure message="a &lt; b">at <![CDATA[line <3>]]>`, `more`, `</failure></testcase></testsuite>`))
	if got := report.Failing; len(got) != 1 || got[0].Message != "a < b\nat\nline <3>\nmore" || got[0].Duration.Seconds() != 1.5 {
		t.Errorf("failing = %+v, want the message, its text and its time", got)
	}
}
