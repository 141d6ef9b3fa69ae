package harness

import "strings"

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
