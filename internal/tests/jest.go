package tests

import (
	"strings"

	"github.com/refrain-loop/refrain/internal/figures"
)

// jest reads Jest. It does not count the tests of a file that could not be
// loaded; here such a file counts as one failed test.
type jest struct {
	run
	file    string // the test file whose results come now
	tree    bool   // its tests are being listed
	path    nodePath
	crashed int  // files that did not load
	files   int  // failed files in the summary that is being read
	timed   bool // the summary's time is yet to come
}

func (j *jest) idle() bool { return j.file == "" && !j.timed && j.current == nil }

func (j *jest) inFile() bool { return j.file != "" }

var jestRules = rules[*jest]{list: []rule[*jest]{
	{`^$`, nil, func(j *jest, _ []string) { j.tree = false }},
	// "PASS a.test.js (5.1 s)". In colour the word has a space on each side.
	{`^ (?:PASS|FAIL)  (.*)$`, nil, (*jest).began},
	{`^(?:PASS|FAIL) (.*)$`, nil, (*jest).began},
	{`^  ● (.*)`, (*jest).inFile, (*jest).problem},
	{`^( +)(✓|✕) (.+?)(?: \(([^(]* m?s)\))?$`, (*jest).inFile, (*jest).listed},
	{`^( +)(○|✎) (?:skipped )?(?:todo )?(.*)()$`, (*jest).inFile, (*jest).listed},
	{`^ (.*)`, (*jest).inFile, (*jest).indented},
	{`^No tests found, exiting with code `, nil, func(j *jest, _ []string) { j.summary(0, 0, 0); j.end(); j.endDetail() }},
	{`^Test Suites: (.*)`, nil, func(j *jest, m []string) { j.files = figures.Parts(m[1], ", ")["failed"] }},
	{`^Tests:       (.*)`, nil, (*jest).sums},
	{`^Time:        ([^,]*)`, func(j *jest) bool { return j.timed }, func(j *jest, m []string) {
		j.sum.Duration += figures.Spelt(m[1])
		j.timed = false
	}},
}, other: func(j *jest, text string) {
	if text[0] != ' ' {
		j.endDetail()
	}
}}

func (j *jest) began(m []string) {
	file := strings.TrimSpace(m[1])
	if strings.HasSuffix(file, ")") {
		if i := strings.LastIndex(file, " ("); i > 0 {
			file = file[:i]
		}
	}
	switch {
	case script(file):
		j.file = strings.Clone(short(file))
		j.tree, j.path = true, nil
		j.endDetail()
	case m[0][0] != ' ':
		j.endDetail()
	case j.file != "":
		j.indented(m)
	}
}

// indented reads a suite in the list of a file's tests, or what is said on a
// failing one.
func (j *jest) indented(m []string) {
	inner := strings.TrimLeft(m[0], " ")
	depth := (len(m[0]) - len(inner)) / 2
	if j.tree && inner != "" && depth >= 1 {
		j.path.enter(depth-1, inner)
		return
	}
	if j.current != nil && !excerpt(inner) {
		j.detail(inner)
	}
}

// listed counts a test in the list of a file's tests, and names it where it
// stands below the suites that it is in.
func (j *jest) listed(m []string) {
	indent, status := len(m[1]), marks[m[2]]
	j.count(status, 1)
	if j.tree && indent%2 == 0 {
		j.names.timed(j.file+" › "+j.path.name(indent/2-1, m[3], " › "), status, figures.Spelt(m[4]))
	}
}

// problem reads the title of a failing test, or of something else that Jest
// shows in the same way.
func (j *jest) problem(m []string) {
	j.tree = false
	switch m[1] {
	case "Console":
		j.endDetail()
	case "Test suite failed to run":
		if j.fail(j.file, 0) {
			j.crashed++
		}
		j.names.broke(j.file, true)
	default:
		j.fail(j.file+" › "+m[1], 0)
	}
}

func (j *jest) sums(m []string) {
	counts := figures.Parts(m[1], ", ")
	total, ok := counts["total"]
	if !ok {
		j.endDetail()
		return
	}
	failed, skipped := counts["failed"], counts["skipped"]+counts["todo"]
	if failed+j.crashed == 0 {
		j.crashed = j.files
	}
	j.summary(total-failed-skipped, failed+j.crashed, skipped)
	j.end()
	j.timed = true
}

func (j *jest) end() {
	j.endRun()
	*j = jest{run: j.run, timed: j.timed}
}

func (j *jest) report() (Report, bool) { return j.cutOff() }

// script tells whether a name is that of a file that a JavaScript runner loads.
func script(name string) bool {
	switch name[strings.LastIndexByte(name, '.')+1:] {
	case "js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte":
		return true
	}
	return false
}

// excerpt tells whether a line shows source code behind its line number, or
// points into it.
func excerpt(line string) bool {
	rest := strings.TrimLeft(strings.TrimPrefix(line, "> "), "0123456789 ")
	return strings.HasPrefix(rest, "|") || strings.Trim(rest, "^~ ") == ""
}
