package harness

import "strings"

// installed are folders of other people's code. Honest work brings all of it up
// to date; only what tests are run and checked with is of interest.
var installed = words("node_modules vendor")

// tools are the packages that tests are run with, that they check with, and what
// stands before them: names on npm, and of commands.
var tools = words(`
	node npm npx yarn pnpm bun deno sh bash env make
	jest jest-cli jest-circus jest-runner jest-jasmine2 jest-environment-jsdom jest-environment-node @jest/* expect expect-type babel-jest ts-jest @swc/jest
	vitest @vitest/* vite vite-node mocha jasmine jasmine-core ava tap tape uvu qunit karma lab zora node-tap test @tapjs/* tap-min borp brittle
	chai chai-as-promised should sinon sinon-chai nock supertest @testing-library/* jest-extended jest-dom power-assert assert unexpected must expect.js
	cypress @playwright/* playwright playwright-core puppeteer nightwatch testcafe webdriverio @wdio/* @cucumber/* fast-check ts-mockito testdouble
	ts-node tsx ts-mocha esbuild-register @swc/core @swc-node/* @babel/* babel-register esm esbuild typescript tsc
	nyc c8 istanbul cross-env npm-run-all npm-run-all2 concurrently wireit turbo nx lerna run-s run-p dotenv-cli
	eslint @eslint/* @typescript-eslint/* prettier @biomejs/* standard xo stylelint tslint oxlint react-scripts`)

// goTools are modules that Go's tests check with.
var goTools = []string{
	"github.com/stretchr/testify", "github.com/stretchr/objx", "github.com/google/go-cmp", "gotest.tools", "github.com/onsi/ginkgo", "github.com/onsi/gomega",
	"github.com/frankban/quicktest", "github.com/matryer/is", "github.com/smartystreets/goconvey", "github.com/smarty/assertions",
	"github.com/rogpeppe/go-internal", "pgregory.net/rapid", "go.uber.org/goleak", "go.uber.org/mock", "github.com/golang/mock", "github.com/go-quicktest/qt",
	"github.com/google/gofuzz", "github.com/leanovate/gopter", "github.com/shoenig/test", "github.com/alecthomas/assert", "gopkg.in/check.v1", "github.com/go-check/check",
	"github.com/franela/goblin", "github.com/DATA-DOG/go-sqlmock", "github.com/jarcoal/httpmock", "gopkg.in/h2non/gock.v1", "github.com/davecgh/go-spew", "github.com/pmezard/go-difflib",
	"github.com/maxatome/go-testdeep", "github.com/gkampitakis/go-snaps", "github.com/sebdah/goldie", "github.com/cucumber/godog", "github.com/magefile/mage",
}

// pythonTools are packages that Python's tests are run with.
var pythonTools = words(`pytest _pytest pluggy iniconfig nose nose2 unittest unittest2 hypothesis mock coverage tox nox doctest xdist execnet
	pytest-cov pytest_cov pytest-asyncio pytest_asyncio pytest-mock pytest_mock pytest-xdist pytest-django pytest_django anyio testtools behave robot ward
	ruff flake8 mypy pylint pyright black`)

// isTool tells whether a package of npm is one that tests are run with.
func isTool(name string) bool {
	if scope, _, ok := strings.Cut(name, "/"); ok && strings.HasPrefix(scope, "@") && tools.has(scope+"/*") {
		return true
	}
	return tools.has(name)
}

// isGoTool tells the same of a module, or of a package in it.
func isGoTool(module string) bool {
	for _, tool := range goTools {
		if rest, ok := strings.CutPrefix(module, tool); ok && (rest == "" || rest[0] == '/' || rest[0] == '.') {
			return true
		}
	}
	return false
}

// ofInstalled is Of for what lies in a folder of other people's code.
func ofInstalled(p place) Kind {
	last := len(p.low) - 1
	for last >= 0 && !installed.has(p.low[last]) {
		last--
	}
	inside := append(append([]string{}, p.dirs[last+1:]...), p.base)
	name := inside[0]
	if p.low[last] == "node_modules" {
		if strings.HasPrefix(name, "@") && len(inside) > 2 {
			name += "/" + inside[1]
		}
		if name == ".bin" || len(inside) > 1 && isTool(name) {
			return Decides
		}
		return Product
	}
	switch {
	case name == "bin" && len(inside) == 2, name == "phpunit", name == "pestphp", name == "mockery": // of Composer
		return Decides
	case isGoTool(strings.Join(inside, "/")):
		return Decides
	}
	return Product
}
