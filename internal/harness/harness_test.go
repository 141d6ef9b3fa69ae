package harness

import (
	"strings"
	"testing"
)

// ofTable lists paths by what they are. Look-alikes stand beside the real thing.
var ofTable = map[Kind]string{
	Test: `
		calc_test.go internal/calc/calc_test.go calc_windows_test.go internal/tests/run_test.go test/e2e/main.go
		testdata/in.txt internal/x/testdata/go.mod internal/x/testdata/Makefile internal/testutil/fake.go internal/testhelpers/http.go
		test_calc.py pkg/test_calc.py calc_test.py tests/__init__.py tests/helpers.py test/data.json app/tests.py tests/unit/factories.py test.py
		tests/fixtures/pyproject.toml fixtures/conftest.py
		calc.test.js src/calc.test.ts src/Calc.spec.tsx calc.test.mjs calc_test.ts calc-test.js test-calc.mjs test.js tests.js test.ts
		src/__tests__/calc.js src/__mocks__/fs.js src/__snapshots__/calc.snap a.snap __mocks__/axios.ts e2e/login.ts cypress/support/commands.js
		spec/calc.js spec/support/helper.rb src/setupTests.ts jest.setup.js vitest.setup.ts src/test-utils.tsx test/mocha.opts src/calc.test-d.test.ts
		.env.test e2e/login.spec.ts-snapshots/a.png cypress/e2e/a.cy.ts src/a.cy.tsx
		tests/it.rs crates/a/tests/it.rs benches/b.rs src/tests.rs src/parser/tests.rs src/lexer_test.rs src/api/api.test.ts src/commands/run.test.js
		src/test/java/com/x/CalcTest.java src/androidTest/kotlin/A.kt src/integrationTest/resources/a.yml src/testFixtures/java/F.java app/CalcTest.kt
		Shop.Tests/CartTests.cs Shop.Tests/Shop.Tests.csproj Shop/CartTests.cs Shop.UnitTests/a.json
		spec/calc_spec.rb spec/spec_helper.rb test/calc_test.rb lib/calc_spec.rb tests/CalcTest.php src/CalcTest.php
		test/calc_test.exs test/test_helper.exs test/test_calc.c tests/calc.cpp src/calc_test.cc src/test_calc.cpp
		t/basic.t t/lib/Helper.pm calc.bats calc_test.sh test_calc.sh features/login.feature features/steps/login.py features/environment.py
		Tests/CalcTests.swift integration-tests/run.js output.golden golden/a.txt test/cases/table.md`,
	Decides: `
		GNUmakefile build.mk justfile Taskfile.yml Taskfile.yaml Rakefile test.sh run-tests scripts/test.js scripts/test script/test run_tests.py
		conftest.py tests/conftest.py tox.ini pytest.ini .pytest.ini pytest.toml noxfile.py .coveragerc sitecustomize.py src/usercustomize.py a.pth
		calc.pyc evil.egg-info/entry_points.txt evil-1.0.dist-info/entry_points.txt ruff.toml .flake8 mypy.ini .pylintrc
		.npmrc packages/a/.npmrc .yarnrc .yarnrc.yml .yarn/releases/yarn-4.0.0.cjs .pnpmfile.cjs pnpm-workspace.yaml
		jest.config.js jest.config.ts jest.e2e.config.js vitest.config.mts vite.config.ts packages/a/vitest.config.ts babel.config.json playwright.config.ts
		src/jest.config.js vitest.workspace.ts shared.config.js node.config.json eslint.config.mjs
		.mocharc.json .mocharc.cjs .nycrc .nycrc.json .babelrc .babelrc.js .swcrc .eslintrc .eslintrc.json .taprc biome.json bunfig.toml karma.conf.js turbo.json nx.json
		packages/a/project.json
		.golangci.yml .golangci.yaml .cargo/config .cargo/config.toml sub/.cargo/config.toml rust-toolchain rust-toolchain.toml clippy.toml .config/nextest.toml .config/nextest/x
		phpunit.xml phpunit.xml.dist .rspec .simplecov CMakePresets.json .mvn/jvm.config gradle.properties gradlew a.runsettings xunit.runner.json
		node_modules/.bin/jest node_modules/jest/build/index.js node_modules/@jest/core/index.js node_modules/chai/chai.js a/node_modules/mocha/bin/mocha
		vendor/github.com/stretchr/testify/assert/assertions.go vendor/bin/phpunit vendor/phpunit/phpunit/phpunit`,
	Manifest: `
		package.json packages/a/package.json e2e/package.json pyproject.toml setup.cfg Cargo.toml crates/a/Cargo.toml composer.json deno.json deno.jsonc
		go.mod tools/go.mod test/e2e/go.mod go.work tsconfig.json tsconfig.build.json Makefile makefile src/Makefile import_map.json`,
	Product: `
		calc.go latest.go contest/main.go protest/a.go attestation.py testimonials.tsx src/components/TestPanel.tsx src/components/TestPanel.jsx
		internal/tests/run.go internal/testing.go testing.go test.go tests.go pkg/test/report.go cmd/tester/main.go internal/spec/spec.go src/spec/openapi.ts
		testimonials.py testing.py attest.py src/latest/index.js src/contest.ts src/testimonials/index.ts src/ab-test.ts greatest.js fastest.ts
		specs/login.md specs/login.yaml spec/openapi.yaml spec/rfc.md tests/README.md docs/testing.md test-plan.md
		src/main/java/com/x/test/Fixture.java src/main/java/com/x/Latest.java src/Contest.cs src/Latest.php src/Protest.kt src/ContestSuite.java
		setup.py requirements.txt requirements-dev.txt go.sum package-lock.json yarn.lock uv.lock Cargo.lock
		pom.xml build.gradle build.gradle.kts CMakeLists.txt mix.exs Gemfile Shop.csproj Shop.sln Dockerfile docker-compose.yml .gitignore .gitattributes .github/workflows/test.yml
		.pre-commit-config.yaml .env .node-version .nvmrc .editorconfig README.md
		next.config.js tailwind.config.ts postcss.config.cjs nuxt.config.ts astro.config.mjs app.config.ts src/app/app.config.ts src/config/database.config.ts
		src/snapshots/store.go src/features/login/index.ts src/mocks/handlers.go internal/mocks/store.go src/data/project.json
		node_modules/left-pad/index.js node_modules/left-pad/test/a.test.js vendor/github.com/x/y/y.go vendor/github.com/x/y/y_test.go vendor/github.com/google/go-cmpx/a.go
		tests/__pycache__/test_a.cpython-311.pyc .pytest_cache/v/cache/lastfailed tsconfig.tsbuildinfo
		lib/commands/test.js lib/commands/install-test.js src/commands/test.rs management/commands/test.py app/api/test.ts lib/test.rb
		src/t/index.ts bin/cli.js src/index.d.ts src/speed.ts a/b/c . /`,
}

func TestOf(t *testing.T) {
	for want, paths := range ofTable {
		for _, path := range strings.Fields(paths) {
			if got := Of(path); got != want {
				t.Errorf("Of(%q) = %v, want %v", path, got, want)
			}
			if got := Of("./" + path); got != want {
				t.Errorf("Of(%q) = %v, want %v", "./"+path, got, want)
			}
		}
	}
}

func TestWhatMayStay(t *testing.T) {
	for path, want := range map[string]bool{
		"src/tests.rs": true, "src/a/lexer_tests.rs": true, "shared.config.js": true,
		"tests/it.rs": false, "tests/tests.rs": false, "jest.config.js": false, "vite.config.ts": false, "conftest.py": false,
		"calc_test.go": false, "tests/shared.config.js": false, "calc.go": false, "next.config.js": false,
	} {
		if got := Stays(path); got != want {
			t.Errorf("Stays(%q) = %v, want %v", path, got, want)
		}
	}
}

func TestLitterIsNoPartOfTheWork(t *testing.T) {
	for path, want := range map[string]bool{
		"__pycache__/calc.cpython-311.pyc": true, "tests/__pycache__/a.pyc": true, ".pytest_cache/README.md": true,
		"tsconfig.tsbuildinfo": true, ".eslintcache": true, "node_modules/.cache/x": true,
		"calc.pyc": false, "src/cache.py": false, "node_modules/a/.cache/x": false,
	} {
		if got := Litter(path); got != want {
			t.Errorf("Litter(%q) = %v, want %v", path, got, want)
		}
	}
}

func FuzzOf(f *testing.F) {
	for _, paths := range ofTable {
		for _, path := range strings.Fields(paths) {
			f.Add(path)
		}
	}
	f.Fuzz(func(t *testing.T, path string) {
		if Of(path) == Product && Stays(path) && !Litter(path) && !strings.Contains(path, "node_modules") && !strings.Contains(path, "vendor") {
			t.Errorf("%q is product, and may stay as a test", path)
		}
		Shadows(path, []string{path, "go.mod", "test_a.py"})
	})
}
