package harness

import (
	"strings"
	"unicode"
)

// fixtures are folders of what tests read. Whatever it looks like, it is data.
var fixtures = words(`testdata test-data test_data fixtures __fixtures__ test-fixtures test_fixtures
	testfixtures golden goldens __golden__ __snapshots__ __image_snapshots__ cassettes`)

// testFolders are folders of tests and their helpers.
var testFolders = words(`test tests __tests__ __test__ __mocks__ e2e cypress benches
	testutil testutils test-util test-utils test_util test_utils testhelper testhelpers
	test-helper test-helpers test_helper test_helpers testsupport test-support test_support testing
	unit-tests unit_tests unittests integration-tests integration_tests integrationtests integration-test integration_test
	e2e-tests e2e_tests functional-tests functional_tests acceptance-tests acceptance_tests
	system-tests system_tests smoke-tests smoke_tests regression-tests regression_tests
	api-tests api_tests ui-tests ui_tests browser-tests browser_tests spec-tests`)

// everyday are words among these that products use too: below a folder of code
// they say nothing.
var everyday = words(`fixtures golden goldens e2e`)

// inFixtures tells whether a file lies where tests keep what they read.
func inFixtures(p place) bool {
	for i, dir := range p.low {
		if fixtures.has(dir) && !(everyday.has(dir) && inCode(p, i)) {
			return true
		}
	}
	return false
}

// inCode tells whether dirs[i] lies below a folder of the product, and below none
// of tests.
func inCode(p place, i int) bool {
	code := false
	for _, above := range p.low[:i] {
		if testFolders.has(above) {
			return false
		}
		code = code || codeFolders.has(above)
	}
	return code
}

// codeFolders are folders of the product below which a name that tests use
// elsewhere says nothing.
var codeFolders = words(`src lib libs app source server client internal pkg config configs settings`)

var (
	script    = words(`.js .cjs .mjs .jsx .ts .cts .mts .tsx`)
	document  = words(`.md .mdx .markdown .rst .adoc`)
	specs     = words(`.js .cjs .mjs .jsx .ts .cts .mts .tsx .coffee .rb .lua .cr .opts`)
	classes   = words(`.java .kt .kts .scala .groovy .cs .fs .vb .php .swift .hs`)
	c         = words(`.c .cc .cpp .cxx .c++ .m .mm .h .hh .hpp .hxx`)
	underline = words(`.go .py .rb .exs .ex .dart .clj .cljs .cljc .lua .sh .bash .bats .erl .zig .jl .nim .odin
		.js .cjs .mjs .jsx .ts .cts .mts .tsx .c .cc .cpp .cxx .c++ .rs`)
	stepFolders = words(`steps step_definitions support`) // of behave and Cucumber
	goNames     = words(`test tests testing`)
	perlFolders = words(`t xt`)
	// entries are folders with a file for each thing of the product, one of which may be a test.
	entries = words(`components pages views screens commands command cmd cmds routes handlers controllers services api`)
	talk    = words(`readme changelog contributing notes todo agents claude index`)
	front   = words(`.py .c .cc .cpp .cxx .c++ .sh .bash .rb .lua .jl .nim`) // test_x.py
)

// isTest tells whether a file is a test or a helper of tests.
func isTest(p place) bool {
	return inTestFolder(p) || testName(p) || rustUnit(p)
}

func inTestFolder(p place) bool {
	for i, dir := range p.low {
		if i > 0 && p.low[i-1] == "src" && dir == "main" {
			return false // a package of the product that is called test: Java and its like
		}
		switch {
		case everyday.has(dir) && inCode(p, i):
		case testFolders.has(dir):
			return !aboutTests(p) && !goPackage(p, i)
		case dir == "spec":
			return specFolder(p, i)
		case dir == "t" || dir == "xt": // Perl
			if i == 0 && (p.ext == ".t" || p.ext == ".pl" || p.ext == ".pm") {
				return true
			}
		case dir == "features":
			if p.ext == ".feature" || i+1 < len(p.low) && stepFolders.has(p.low[i+1]) || p.base == "environment.py" {
				return true
			}
		case i > 0 && p.low[i-1] == "src" && sourceSet(p.dirs[i]):
			return true
		case dotNetTests(p.dirs[i]), strings.HasSuffix(dir, "-snapshots") && strings.Contains(dir, "."):
			return true
		}
	}
	return false
}

// aboutTests are the documents beside tests. Other texts there are read by them.
func aboutTests(p place) bool {
	return document.has(p.ext) && talk.has(strings.ToLower(p.stem))
}

// goPackage tells whether dirs[i], which is called test, tests or testing, is a
// package of Go that is about tests, as one that reads their output.
func goPackage(p place, i int) bool {
	if p.ext != ".go" || strings.HasSuffix(p.base, "_test.go") || i == 0 {
		return false
	}
	return goNames.has(p.low[i]) && (p.low[0] == "internal" || p.low[0] == "pkg")
}

// specFolder tells whether a file below dirs[i], which is called spec, is a
// test. Specifications are kept in such folders too, and code that reads them.
func specFolder(p place, i int) bool {
	for _, above := range p.low[:i] {
		if codeFolders.has(above) {
			return false
		}
	}
	return specs.has(p.ext) || p.base == ".rspec"
}

// sourceSet knows src/androidTest, src/integrationTest and src/testFixtures.
func sourceSet(dir string) bool {
	return strings.HasSuffix(dir, "Test") || strings.HasSuffix(dir, "Tests") || dir == "testFixtures"
}

// dotNetTests knows Shop.Tests, Shop.UnitTests and ShopTests.
func dotNetTests(dir string) bool {
	if i := strings.LastIndexByte(dir, '.'); i > 0 {
		last := dir[i+1:]
		return last == "Test" || strings.HasSuffix(last, "Tests")
	}
	return false
}

// testName tells whether the name alone says that a file is a test.
func testName(p place) bool {
	base, stem := strings.ToLower(p.base), strings.ToLower(p.stem)
	switch {
	case p.ext == ".snap" || p.ext == ".golden" || p.ext == ".feature" || p.ext == ".bats" || strings.Contains(base, ".golden."):
		return true
	case base == ".env.test" || strings.HasPrefix(base, ".env.test."):
		return true
	case script.has(p.ext):
		return scriptTest(p, stem)
	case p.ext == ".t":
		return p.within(perlFolders)
	case stem == "test" || stem == "tests":
		return p.ext == ".py" && !p.within(entries) || p.ext == ".rb" && len(p.dirs) == 0 // a Django app has its tests.py
	case front.has(p.ext) && strings.HasPrefix(stem, "test_"):
		return true
	case c.has(p.ext) && strings.HasPrefix(stem, "test-"):
		return true
	case underline.has(p.ext) && p.ext != ".rs" && (strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, "_tests") && p.ext != ".go"):
		return true
	case (p.ext == ".rb" || p.ext == ".lua" || p.ext == ".cr") && strings.HasSuffix(stem, "_spec"):
		return true
	case stem == "spec_helper" || stem == "rails_helper" || stem == "test_helper":
		return true
	case p.ext == ".sh" && strings.HasSuffix(stem, ".test"):
		return true
	case classes.has(p.ext) && !p.belowMain():
		return classTest(p)
	}
	return false
}

func (p place) belowMain() bool {
	return strings.Contains("/"+p.dir()+"/", "/src/main/")
}

// setups are helpers that runners of JavaScript are set up with.
var setups = words(`setuptests setup-tests setup_tests test-setup test_setup testsetup test.setup jest.setup jest-setup jest.env
	vitest.setup vitest-setup setup-jest setupjest setup-vitest setupvitest mocha.setup mocha-setup global-setup globalsetup global-teardown globalteardown
	test-utils test_utils testutils test-helpers test-helper test_helpers testhelpers test-preload happydom playwright.setup cypress.setup`)

// scriptTest knows the tests of JavaScript and TypeScript: by a part of the name
// between dots, and as Node's own runner and Deno's know them.
func scriptTest(p place, stem string) bool {
	parts := strings.Split(stem, ".")
	for _, part := range parts[1:] {
		if part == "test" || part == "tests" || part == "spec" || part == "e2e" || part == "cy" || part == "bench" {
			return true
		}
	}
	stem = parts[0]
	if len(parts) > 1 && parts[len(parts)-1] == "d" {
		return false // declarations of types
	}
	switch {
	case setups.has(strings.ToLower(p.stem)) || setups.has(stem):
		return !p.within(entries)
	case p.ext == ".jsx" || p.ext == ".tsx":
		return strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, "-test")
	case p.within(entries):
		return strings.HasSuffix(stem, "_test")
	case stem == "test" || stem == "tests" || stem == "spec":
		return stem != "spec" || len(p.dirs) == 0
	case strings.HasSuffix(stem, "_test"):
		return true
	case strings.HasSuffix(stem, "-test"):
		return stem != "ab-test" && stem != "a-b-test"
	}
	return strings.HasPrefix(stem, "test-") || strings.HasPrefix(stem, "test_")
}

// classTest knows CalcTest, CalcTests and CalcSpec, where the word has a
// beginning of its own: Latest is none.
func classTest(p place) bool {
	for _, end := range []string{"Test", "Tests", "TestCase", "TestBase", "Spec", "Suite"} {
		rest, ok := strings.CutSuffix(p.stem, end)
		if !ok || rest == "" {
			continue
		}
		if (end == "Spec" || end == "Suite") && p.ext != ".scala" && p.ext != ".groovy" && p.ext != ".kt" && p.ext != ".hs" {
			continue
		}
		if end == "Suite" && p.ext != ".scala" {
			continue
		}
		last := rune(rest[len(rest)-1])
		return unicode.IsLower(last) || unicode.IsDigit(last) || last == '_' || unicode.IsUpper(last)
	}
	return false
}

// rustUnit knows the unit tests of a Rust module that have a file of their own.
func rustUnit(p place) bool {
	if p.ext != ".rs" || p.within(entries) {
		return false
	}
	return p.stem == "tests" || p.stem == "test" || strings.HasSuffix(p.stem, "_test") || strings.HasSuffix(p.stem, "_tests")
}
