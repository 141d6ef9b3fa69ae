package main

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// testPackage is where tests of one kind are.
type testPackage struct {
	dir   string // from the root of the repository
	first string // how the names of its tests begin
}

var packages = []testPackage{
	{"conformance", "TestStories/"},
	{"internal/cli", "TestScripts/"},
	{".", ""},
}

// patterns pick the tests of the places that are in the package: one for the tests
// of each parent, since a pattern picks by level, and not by name.
func (p testPackage) patterns(places []place) []string {
	var parents []string
	names := map[string][]string{}
	for _, at := range places {
		if !strings.HasPrefix(at.test, p.first) || p.first == "" && strings.Contains(at.test, "/") {
			continue
		}
		parent, name := path.Split(at.test)
		if names[parent] == nil {
			parents = append(parents, parent)
		}
		if name = regexp.QuoteMeta(name); !slices.Contains(names[parent], name) {
			names[parent] = append(names[parent], name)
		}
	}
	var list []string
	for _, parent := range parents {
		var levels strings.Builder
		for _, level := range strings.FieldsFunc(parent, func(r rune) bool { return r == '/' }) {
			levels.WriteString("^" + regexp.QuoteMeta(level) + "$/")
		}
		list = append(list, levels.String()+"^("+strings.Join(names[parent], "|")+")$")
	}
	return list
}

// redLine is a line of a story, or a test of the library, that turned red.
type redLine struct {
	file string // from the root of the repository; of a test of the library none
	line int
	test string
}

func (r redLine) String() string {
	if r.file == "" {
		return r.test
	}
	return fmt.Sprintf("%s:%d", strings.TrimPrefix(strings.TrimPrefix(r.file, "conformance/testdata/"), "internal/cli/testdata/script/"), r.line)
}

// redness is what turned red.
type redness struct {
	lines []redLine
	hung  bool
}

func (r redness) String() string {
	var list []string
	for _, line := range r.lines {
		list = append(list, line.String())
	}
	if r.hung {
		list = append(list, "a story hangs")
	}
	return strings.Join(list, ", ")
}

// within is the first red line that is in one of the places; empty when none is.
func (r redness) within(places []place) string {
	for _, line := range r.lines {
		for _, at := range places {
			if line.file == "" && line.test == at.test ||
				line.file == at.file && at.first <= line.line && line.line <= at.last {
				return line.String()
			}
		}
	}
	return ""
}

var (
	failedLine = regexp.MustCompile(`(?m)^\s*FAIL: (\S+\.txtar):(\d+): (.*)$`)
	failedTest = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)
)

// readRed reads what a test binary says. What was ended because it took too long
// says nothing of the row: that may be a busy machine.
func (p testPackage) readRed(said string) redness {
	red := redness{hung: strings.Contains(said, "panic: test timed out")}
	for _, at := range failedLine.FindAllStringSubmatch(said, -1) {
		if strings.Contains(at[3], "timed out while running") {
			red.hung = true
			continue
		}
		n, _ := strconv.Atoi(at[2]) // digits, says the pattern
		red.lines = append(red.lines, redLine{file: path.Join(p.dir, at[1]), line: n})
	}
	if p.first == "" {
		for _, at := range failedTest.FindAllStringSubmatch(said, -1) {
			red.lines = append(red.lines, redLine{test: at[1]})
		}
	}
	if len(red.lines) == 0 && !red.hung {
		red.lines = []redLine{{test: "the test program itself"}}
	}
	return red
}
