package harness

import (
	"strings"
	"unicode"
)

// checks are words in the name of a script that checks something.
var checks = words(`test tests testing check checks checker verify verification lint linter spec specs ci gate gates validate validation suite runner
	smoke e2e qa audit typecheck coverage cov runtests runtest selftest acceptance integration unit proof prove`)

// builders are words in the name of one that makes something.
var builders = words(`build bundle compile generate gen codegen release deploy start dev serve install postinstall setup bootstrap package pack publish`)

// testish tells whether a script is called like one that checks something, or lies
// where such ones are kept.
func testish(file string) bool {
	p := split(file)
	kind := Of(file)
	return kind == Test || kind == Decides || checkish(p.base) || p.within(scriptFolders) && !builds(file)
}

// expected tells whether a file is called like one that an output is held against.
func expected(file string) bool { return hasWord(split(file).base, wanted) }

var wanted = words(`expected expect golden want wanted reference snapshot baseline correct answer answers`)

func checkish(name string) bool { return hasWord(name, checks) }

func builds(file string) bool {
	base := split(file).base
	return hasWord(base, builders) && !checkish(base)
}

// hasWord tells whether one of the words of a name is in a set: run-tests.sh and
// runTests.js have the word tests, latest.sh has not.
func hasWord(name string, in set) bool {
	start := 0
	for i, ch := range name + "." {
		upper := unicode.IsUpper(ch)
		if !upper && (unicode.IsLetter(ch) || unicode.IsDigit(ch)) {
			continue
		}
		if in.has(strings.ToLower(name[start:i])) {
			return true
		}
		start = i
		if !upper {
			start = i + 1
		}
	}
	return false
}
