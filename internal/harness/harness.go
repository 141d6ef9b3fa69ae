// Package harness knows which files of a project decide about its tests: the
// tests themselves, what only they use, and the settings that say what is
// tested, and with what.
//
// When such a file changed in a run, a claim is also judged with the tests as
// they were. Of says which files these are, by the conventions of the runners
// that package tests reads; Named and Scripts say which more of them a gate's
// command leads to; Shadows says which new files get in the way of what a
// runner would otherwise find. A manifest is half harness and half product:
// Blend puts back the one half and leaves the other as it is now.
//
// It errs on the side of the product. A file of the product that is taken for a
// test is put back to what it was, and honest work fails for it; a test that is
// not known for one is still missed by its name when it is gone. What code under
// test does to the process in which its tests run is out of its sight.
//
// Nothing here looks at a disk: paths are slash paths from the project's root,
// and contents are given.
package harness

import (
	"path"
	"slices"
	"strings"
)

// Kind says what a file is to the tests.
type Kind int

// The kinds of files.
const (
	Product  Kind = iota // code, documents: nothing that the tests are made of
	Test                 // a test, or what only tests use: fixtures, snapshots, helpers
	Decides              // decides what is tested, or with what
	Manifest             // half and half: Blend says which half is which
)

var kinds = [...]string{"product", "test", "decides", "manifest"}

func (k Kind) String() string { return kinds[k] }

// Of tells what the file at a path is.
func Of(file string) Kind {
	p := split(file)
	switch {
	case p.base == "" || p.base == "." || Litter(file):
		return Product
	case p.within(installed):
		return ofInstalled(p)
	case inFixtures(p):
		return Test
	case decides(p):
		return Decides
	case blends(p.path) != nil:
		return Manifest
	case isTest(p):
		return Test
	}
	return Product
}

// Stays tells whether a file that Of calls a test, or deciding, may stay where
// it is new when the tests are run as they were: nothing old can lead to it, and
// taking it away would break the product that names it. The unit tests of a Rust
// module are named by the module; a settings file that no tool looks for by
// itself is named by whoever wants it.
func Stays(file string) bool {
	p := split(file)
	if p.within(testFolders) || inFixtures(p) {
		return false
	}
	return rustUnit(p) || (decides(p) && strangeConfig(p))
}

// Litter tells whether a file belongs to a cache that tools leave behind. It is
// no part of the work, and Python, the type checkers and others believe it
// rather than the source: a checkout that proves something has none of it.
func Litter(file string) bool {
	p := split(file)
	return p.within(caches) || p.base == ".eslintcache" || p.base == ".testmondata" || p.ext == ".tsbuildinfo" ||
		len(p.low) > 1 && p.low[0] == "node_modules" && (p.low[1] == ".cache" || p.low[1] == ".vite" || p.low[1] == ".vitest")
}

var caches = words(`__pycache__ .pytest_cache .mypy_cache .ruff_cache .hypothesis .tox .nox .nyc_output .jest-cache .parcel-cache .turbo .swc`)

// place is a path in its parts. Names of folders are compared in lower case:
// Tests/ is no other folder than tests/ to those who name it.
type place struct {
	path string   // cleaned
	dirs []string // the folders, as they are written
	low  []string // the same in lower case
	base string   // the file
	stem string   // without the last extension
	ext  string   // the last extension, in lower case, with its dot
}

func split(file string) place {
	file = strings.TrimPrefix(path.Clean("/"+file), "/")
	p := place{path: file, base: path.Base(file)}
	if dir := path.Dir(file); dir != "." {
		p.dirs = strings.Split(dir, "/")
		p.low = strings.Split(strings.ToLower(dir), "/")
	}
	ext := path.Ext(p.base)
	p.stem, p.ext = strings.TrimSuffix(p.base, ext), strings.ToLower(ext)
	return p
}

// within tells whether the file is somewhere below a folder of one of these names.
func (p place) within(names set) bool {
	return slices.ContainsFunc(p.low, names.has)
}

func (p place) dir() string { return strings.Join(p.dirs, "/") }

// deciding are names, in lower case, of files that say what is tested, what is
// checked, or with what.
var deciding = words(`
	gnumakefile justfile .justfile taskfile.yml taskfile.yaml taskfile.dist.yml taskfile.dist.yaml rakefile magefile.go
	test.sh tests.sh run-tests run-tests.sh run_tests run_tests.sh runtests runtests.sh runtests.py run_tests.py run-tests.py
	run-tests.js run-tests.mjs run_tests.js runtests.js

	conftest.py tox.ini pytest.ini .pytest.ini pytest.toml .pytest.toml noxfile.py .coveragerc .coveragerc.toml sitecustomize.py usercustomize.py
	nose.cfg nose2.cfg unittest.cfg .noserc behave.ini .behaverc dodo.py
	ruff.toml .ruff.toml .flake8 mypy.ini .mypy.ini .pylintrc pylintrc pylintrc.toml .pylintrc.toml pyrightconfig.json .isort.cfg .bandit

	.npmrc pnpm-workspace.yaml .pnpmfile.cjs .pnpmfile.mjs bunfig.toml .swcrc .taprc .tape.js .eslintignore .prettierignore .stylelintignore
	biome.json biome.jsonc dprint.json rome.json tslint.json .oxlintrc.json .jshintrc cypress.json jasmine.json nightwatch.json
	turbo.json turbo.jsonc nx.json lerna.json rush.json angular.json wallaby.js karma.conf.js karma.conf.ts karma.conf.cjs
	wdio.conf.js wdio.conf.ts protractor.conf.js nightwatch.conf.js codecept.conf.js codecept.conf.ts jest.preset.js
	vitest.workspace.ts vitest.workspace.js vitest.workspace.mts vitest.workspace.mjs vitest.workspace.json vitest.projects.ts vitest.projects.js

	.golangci.yml .golangci.yaml .golangci.toml .golangci.json .gotestsum.yaml staticcheck.conf
	rust-toolchain rust-toolchain.toml clippy.toml .clippy.toml nextest.toml
	phpunit.xml phpunit.xml.dist phpunit.dist.xml pest.php phpstan.neon phpstan.neon.dist psalm.xml .php-cs-fixer.php .php-cs-fixer.dist.php pint.json phpcs.xml phpcs.xml.dist
	.rspec .simplecov .rubocop.yml .standard.yml .proverc
	cmakepresets.json cmakeuserpresets.json ctesttestfile.cmake ctestconfig.cmake ctestcustom.cmake dartconfiguration.tcl
	gradle.properties gradlew gradlew.bat mvnw mvnw.cmd surefire.properties junit-platform.properties
	xunit.runner.json testconfig.json global.json nuget.config
	.formatter.exs .credo.exs coveralls.json dialyzer.ignore-warnings`)

// decidingFronts are beginnings of such names.
var decidingFronts = []string{".yarnrc", ".mocharc", ".nycrc", ".c8rc", ".jestrc", ".babelrc", ".eslintrc", ".prettierrc", ".stylelintrc"}

// decidingFolders hold nothing else. A name with a slash is a folder in a folder.
var decidingFolders = []string{".mvn", ".yarn/releases", ".yarn/plugins", ".config/nextest"}

var (
	scriptFolders = words(`scripts script tools ci hack`)
	nxFolders     = words(`packages apps libs e2e tools`)
)

// decides tells whether a file says what is tested, or with what.
func decides(p place) bool {
	name := strings.ToLower(p.base)
	switch {
	case deciding.has(name):
		return true
	case p.ext == ".mk" || p.ext == ".pth" || p.ext == ".runsettings" || p.ext == ".testplan" || p.ext == ".xctestplan":
		return true
	case p.ext == ".pyc" || p.ext == ".pyo":
		return true // Python takes it where there is no source
	case (name == "test" || name == "tests") && p.ext == "":
		return true // script/test, bin/test
	case (p.stem == "test" || p.stem == "tests") && p.within(scriptFolders):
		return true
	case name == "entry_points.txt" && len(p.low) > 0:
		// What lies on Python's path can name plugins for pytest.
		last := p.low[len(p.low)-1]
		return strings.HasSuffix(last, ".egg-info") || strings.HasSuffix(last, ".dist-info")
	case name == "project.json":
		return len(p.dirs) == 0 || nxFolders.has(p.low[0])
	case len(p.low) > 0 && p.low[len(p.low)-1] == ".cargo":
		return name == "config" || name == "config.toml"
	}
	for _, front := range decidingFronts {
		if strings.HasPrefix(name, front) {
			return true
		}
	}
	within := "/" + strings.ToLower(p.dir()) + "/"
	for _, folder := range decidingFolders {
		if strings.Contains(within, "/"+folder+"/") {
			return true
		}
	}
	return configOf(p) != ""
}

// configs are the tools that read a *.config.* file of theirs and have a say in
// what is tested, checked or loaded with the tests.
var configs = words(`jest vitest vite babel swc ava playwright cypress karma mocha jasmine c8 nyc web-test-runner wtr wdio
	nightwatch codecept testcafe stryker eslint prettier stylelint oxlint tsup tsdown esbuild webpack rspack rollup rolldown rstest
	test tests unit integration e2e node tap storybook-test qunit uvu`)

// productConfigs are the tools and frameworks whose *.config.* file says
// how the product is built, and nothing of its tests.
var productConfigs = words(`next nuxt tailwind postcss astro svelte remix react-router app site gatsby metro expo docusaurus vuepress vitepress
	theme drizzle prisma knex ecosystem pm2 commitlint release release-it lint-staged capacitor ionic quasar vue solid ember-cli
	orval codegen graphql sanity payload keystone contentlayer mdx unocss uno windi panda tamagui wrangler serverless sst trigger i18n next-i18next
	sentry size-limit changelog semantic-release craco electron-builder forge electron.vite wxt plasmo farm typedoc`)

var configExts = words(`.js .cjs .mjs .ts .cts .mts .json`)

// configOf gives the x of a file x.config.js that has a say in the tests. Code
// has such names too, and further down they are the product's; only what a
// tool looks for is meant everywhere.
func configOf(p place) string {
	name, ok := strings.CutSuffix(strings.ToLower(p.stem), ".config")
	if !ok || !configExts.has(p.ext) {
		return ""
	}
	first, _, _ := strings.Cut(name, ".") // vitest.unit.config.ts
	if configs.has(name) || configs.has(first) {
		return first
	}
	if productConfigs.has(name) || productConfigs.has(first) || p.within(codeFolders) {
		return ""
	}
	return name
}

// strangeConfig tells whether no tool is known that looks for a *.config.* file.
func strangeConfig(p place) bool {
	name := configOf(p)
	return name != "" && !configs.has(name)
}

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
