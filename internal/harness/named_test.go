package harness

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// tree answers for a list of files.
func tree(files string) func(string) bool {
	all := strings.Fields(files)
	return func(file string) bool { return slices.Contains(all, file) }
}

func TestNamed(t *testing.T) {
	const files = `check.sh x.sh y.sh add.sh build.sh lib.sh run-tests app calc.js calc.c calc.go main.py src/index.js other.mk Makefile
		tools/test.py tools/check.py tools/report.py scripts/test.js scripts/build.js scripts/lib.js test.js check.js sub/check.sh sub/verify.py x.js
		setup.js reporter.mjs jest.ci.js tsconfig.ci.json checks/calc.py checks/ mypkg/ cmd/check/main.go expected.txt notes.txt run.sh a.json verify/__main__.py cov.py
		my-check/ plugin.py src/`
	for _, tt := range []struct{ command, want string }{
		{"sh check.sh", "check.sh"},
		{"sh ./check.sh --all", "check.sh"},
		{"./check.sh", "check.sh"},
		{"./run-tests", "run-tests"},
		{"./app", "app"},
		{"bash -e check.sh", "check.sh"},
		{"bash -c './x.sh && y'", "x.sh"},
		{"bash -ec 'sh x.sh; ./y.sh'", "x.sh y.sh"},
		{"python3 tools/test.py", "tools/test.py"},
		{"python3.11 -u tools/check.py a b", "tools/check.py"},
		{"node scripts/test.js --all", "scripts/test.js"},
		{"node test.js", "test.js"},
		{"node check", "check.js"},
		{"node --require ./setup.js scripts/test.js", "setup.js scripts/test.js"},
		{"node --test --test-reporter=./reporter.mjs x.js", "reporter.mjs x.js"},
		{"NODE_OPTIONS='--require ./setup.js' npm test", "setup.js"},
		{"make -f other.mk test", "other.mk"},
		{"make test", ""},
		{"cd sub && sh check.sh", "sub/check.sh"},
		{"(cd sub; python3 verify.py) && ./x.sh", "sub/verify.py x.sh"},
		{"env A=b timeout 60 sh check.sh", "check.sh"},
		{"CI=1 sh check.sh 2>&1 | tee log", "check.sh"},
		{"uv run python tools/test.py", "tools/test.py"},
		{"npx jest --config jest.ci.js", "jest.ci.js"},
		{"npx jest --config=jest.ci.js src", "jest.ci.js"},
		{"tsc -p tsconfig.ci.json", "tsconfig.ci.json"},
		{"python3 -m unittest checks.calc", "checks/calc.py"},
		{"python3 -m unittest checks.calc.Adds.test_one", "checks/calc.py"},
		{"python3 -m pytest checks/calc.py::test_add -p plugin", "plugin.py checks/calc.py"},
		{"python3 -m tools.check", "tools/check.py"},
		{"python3 -m verify", "verify/__main__.py"},
		{"mocha checks/*.js", "checks/"},
		{"bats my-check", "my-check/"},
		{"go run ./cmd/check", "cmd/check/main.go"},
		{"go test -exec ./x.sh -overlay=a.json ./...", "x.sh a.json"},
		{". ./lib.sh && go test ./...", "lib.sh"},
		{"./app > out.txt; diff out.txt expected.txt", "expected.txt"},
		{"\"$PWD\"/check.sh", "check.sh"},
		{"$(pwd)/check.sh", "check.sh"},
		{"concurrently 'npm:a' 'node scripts/test.js'", "scripts/test.js"},
		{"if ! sh check.sh; then exit 1; fi", "check.sh"},
		{"coverage run tools/test.py", "tools/test.py"},

		// What is tested is named too, and is the product's.
		{"go test ./...", ""},
		{"go vet calc.go", ""},
		{"gcc -o t calc.c && ./t", ""},
		{"node src/index.js --selftest", ""},
		{"node calc.js", ""},
		{"python3 main.py", ""},
		{"python3 -m doctest main.py", ""},
		{"python3 -c 'import main'", ""},
		{`test "$(sh add.sh 2 3)" = 5`, ""},
		{"sh add.sh 2 3 | grep -q 5", ""},
		{"[ `./add.sh 2 3` = 5 ]", ""},
		{"./app 2 3 | grep -q 5", ""},
		{"diff <(./app) notes.txt", ""},
		{"test -f calc.js && grep -q x notes.txt", ""},
		{"mkdir -p src && cp -r src out && rm -f calc.js", ""},
		{"sh build.sh", ""},
		{"node scripts/build.js", ""},
		{"pytest mypkg", ""},
		{"mocha src", ""},
		{"eslint src/index.js", ""},
		{"/usr/bin/check.sh", ""},
		{"cat <<EOF\nsh check.sh\nEOF\ntrue # sh check.sh", ""},
		{"", ""},
		{"'", ""},
		{"sh -c", ""},
	} {
		got := Named(tt.command, tree(files))
		if strings.Join(got, " ") != tt.want {
			t.Errorf("Named(%q) = %q, want %q", tt.command, got, tt.want)
		}
	}
}

func TestScripts(t *testing.T) {
	files := map[string]string{
		"package.json": `{"scripts": {
			"pretest": "npm run lint", "test": "node scripts/test.js", "posttest": "echo done", "lint": "eslint .",
			"all": "run-s lint unit:*", "unit:a": "node a.js", "unit:b": "node b.js", "loop": "npm run loop && yarn loop",
			"both": "concurrently \"npm:lint\" \"npm run unit:a\"", "sub": "npm --prefix packages/a test", "c": "bash -c 'npm run lint'"
		}}`,
		"packages/a/package.json": `{"scripts": {"test": "sh check.sh"}}`,
		"Makefile": "PYTHON ?= python3\nT = tools\n.PHONY: test\nall: build\n\ntest: build lint\n\t@$(PYTHON) $(T)/test.py \\\n\t  --all\n\t-sh $@.sh\n\n" +
			"lint:\n\t$(MAKE) vet\nvet: ; go vet ./...\nbuild:\n\tcc -o x x.c\nrun-%:\n\tsh $@.sh\ndeep:\n\tmake -C sub\n",
		"sub/Makefile":  "check:\n\tsh check.sh\n",
		"other.mk":      "test:\n\tsh other.sh\n",
		"deno.json":     `{"tasks": {"test": "deno test -A", "check": {"command": "deno lint"}}}`,
		"composer.json": `{"scripts": {"test": ["@lint", "phpunit"], "lint": "pint --test"}}`,
	}
	read := func(file string) []byte {
		if text, ok := files[file]; ok {
			return []byte(text)
		}
		return nil
	}
	for _, tt := range []struct {
		command string
		want    []string
	}{
		{"npm test", []string{"npm run lint", "eslint .", "node scripts/test.js", "echo done"}},
		{"CI=true npm test -- --run", []string{"npm run lint", "eslint .", "node scripts/test.js", "echo done"}},
		{"npm run --silent lint", []string{"eslint ."}},
		{"npm t", []string{"npm run lint", "eslint .", "node scripts/test.js", "echo done"}},
		{"yarn lint", []string{"eslint ."}},
		{"pnpm run lint && true", []string{"eslint ."}},
		{"bun run lint", []string{"eslint ."}},
		{"bun test", nil},
		{"node --run lint", []string{"eslint ."}},
		{"npm run all", []string{"run-s lint unit:*", "eslint .", "node a.js", "node b.js"}},
		{"npm run both", []string{`concurrently "npm:lint" "npm run unit:a"`, "eslint .", "node a.js"}},
		{"npm run c", []string{"bash -c 'npm run lint'", "eslint ."}},
		{"npm run loop", []string{"npm run loop && yarn loop"}},
		{"npm run sub", []string{"npm --prefix packages/a test", "cd packages/a && sh check.sh"}},
		{"cd packages/a && npm test", []string{"cd packages/a && sh check.sh"}},
		{"npm ci", nil},
		{"make test", []string{"cc -o x x.c", "make -f Makefile vet", "go vet ./...", "python3 tools/test.py   --all", "sh test.sh"}},
		{"make", []string{"cc -o x x.c"}},
		{"make -j 4 run-a", []string{"sh run-a.sh"}},
		{"make deep", []string{"make -C sub", "cd sub && sh check.sh"}},
		{"make -f other.mk test", []string{"sh other.sh"}},
		{"deno task test", []string{"deno test -A"}},
		{"deno task check", []string{"deno lint"}},
		{"composer test", []string{"pint --test", "phpunit"}},
		{"go test ./...", nil},
	} {
		got := Scripts(tt.command, read)
		for i := range got {
			got[i] = strings.Join(strings.Fields(strings.ReplaceAll(got[i], "\\\n", " ")), " ")
		}
		for i := range tt.want {
			tt.want[i] = strings.Join(strings.Fields(tt.want[i]), " ")
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("Scripts(%q) = %q, want %q", tt.command, got, tt.want)
		}
	}
}

func TestReach(t *testing.T) {
	files := map[string]string{
		"package.json":     `{"scripts": {"test": "sh ci/run.sh"}}`,
		"ci/run.sh":        "#!/bin/sh\nset -e\n. \"$(dirname \"$0\")/lib.sh\"\n./calc.sh 2 3 | grep -q 5\n./calc.sh > out\n./calc.sh 1\npython3 tools/check.py\nmake verify\n",
		"ci/lib.sh":        "sh ci/run.sh\n\"${ROOT}\"/ci/more-tests.sh\n",
		"ci/more-tests.sh": "true\n",
		"Makefile":         "verify:\n\tnode scripts/verify.js\n",
		"tools/check.py":   "", "scripts/verify.js": "", "calc.sh": "#!/bin/sh\necho 5\n",
	}
	read := func(file string) []byte {
		if text, ok := files[file]; ok {
			return []byte(text)
		}
		return nil
	}
	got := Reach("npm test", func(file string) bool { return read(file) != nil }, read)
	slices.Sort(got)
	want := []string{"ci/lib.sh", "ci/more-tests.sh", "ci/run.sh", "scripts/verify.js", "tools/check.py"}
	if !slices.Equal(got, want) {
		t.Errorf("Reach = %q, want %q", got, want)
	}
}

func FuzzReach(f *testing.F) {
	f.Add("sh check.sh && npm test", "a: b\n\t$(A)$(A)\nA=$(A)x$(B)\nB=$(A)", `{"scripts":{"test":"make"}}`)
	f.Add("bash -c 'x \"$(y `z`)\"' <<E >(a)\nE\n", "", "")
	f.Fuzz(func(t *testing.T, command, makefile, manifest string) {
		files := map[string]string{"Makefile": makefile, "package.json": manifest, "check.sh": command}
		read := func(file string) []byte {
			if text, ok := files[file]; ok {
				return []byte(text)
			}
			return nil
		}
		defer func(began time.Time) {
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("it takes %v", took)
			}
		}(time.Now())
		for _, file := range Reach(command, func(file string) bool { return read(file) != nil }, read) {
			if read(file) == nil {
				t.Errorf("%q is not in the tree", file)
			}
		}
	})
}

func TestShadows(t *testing.T) {
	was := strings.Fields(`go.mod calc.go calc_test.go sub/calc_test.go mod/go.mod mod/a_test.go src/a.py src/pkg/__init__.py test_a.py tests/test_b.py
		service/tests/test_c.py lib/a.js lib/a.test.js packages/b/package.json packages/b/b.test.js Makefile docs/a.md testdata/x/a_test.go`)
	for _, file := range strings.Fields(`unittest/__init__.py unittest/__main__.py unittest.py pytest.py _pytest/config.py json.py random/__init__.py typing.py os.py
		sitecustomize.py doctest.py nose/core.py json.cpython-311-x86_64-linux-gnu.so service/unittest.py service/random.py sub/go.mod lib/package.json makefile
		vendor/modules.txt vendor/a/b.go tests/logging.py`) {
		if !Shadows(file, was) {
			t.Errorf("%s shadows nothing", file)
		}
	}
	for _, file := range strings.Fields(`calc.py src/pkg/random.py src/pkg/types.py docs/json.py new/go.mod mod/sub/go.mod packages/c/package.json packages/b/sub/package.json package.json
		testdata/x/go.mod sub/Makefile src/makefile json/data.txt packaging/build.sh cmd/main.go tools/unittest.md code.py calendar.py app/random.py`) {
		if Shadows(file, was) {
			t.Errorf("%s shadows something", file)
		}
	}
	for _, file := range strings.Fields(`queue.py types.py vendor/a.rb sub/go.mod lib/package.json`) {
		if Shadows(file, []string{"main.rb"}) {
			t.Errorf("%s shadows something where there is nothing", file)
		}
	}
}
