package scaffold

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"
)

var update = flag.Bool("update", false, "write the files that the settings are compared with")

// having makes a work tree of names and texts.
func having(pairs ...string) fstest.MapFS {
	tree := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		tree[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1]), Mode: 0o644}
	}
	return tree
}

func TestDetectFindsTheCommands(t *testing.T) {
	for _, tt := range []struct {
		name              string
		tree              fstest.MapFS
		kind              Kind
		test, build, lint string
	}{
		{"a Go module", having("go.mod", "module x\n"), Go, "go test -json ./...", "go build -o /dev/null ./...", "go vet ./..."},
		{
			"a Go workspace names its modules", having("go.work", "go 1.26\n\nuse (\n\t./a // first\n\t\"./b c\"\n)\nuse ./d/\n"), Go,
			"go test -json ./a/... './b c/...' ./d/...", "go build -o /dev/null ./a/... './b c/...' ./d/...", "go vet ./a/... './b c/...' ./d/...",
		},
		{"a Go workspace with the root in it", having("go.mod", "", "go.work", "use .\nuse ./tools\n"), Go, "go test -json ./... ./tools/...", "go build -o /dev/null ./... ./tools/...", "go vet ./... ./tools/..."},
		{"a Rust crate", having("Cargo.toml", "[package]\n"), Rust, "cargo test --no-fail-fast", "cargo build", "cargo clippy --all-targets"},
		{"a Rust workspace", having("Cargo.toml", "[package]\n[workspace]\n"), Rust, "cargo test --no-fail-fast --workspace", "cargo build --workspace", "cargo clippy --all-targets --workspace"},
		{"a .NET project", having("App.csproj", ""), DotNet, "dotnet test", "dotnet build", ""},
		{
			"several .NET projects", having("My App.sln", "", "App.csproj", "", ".editorconfig", ""), DotNet,
			"dotnet test 'My App.sln'", "dotnet build 'My App.sln'", "dotnet format --verify-no-changes 'My App.sln'",
		},
		{"a Maven project", having("pom.xml", "<project/>"), Maven, "mvn -B test", "mvn -B -DskipTests package", ""},
		{
			"Maven modules with a wrapper", having("pom.xml", "<modules></modules> maven-checkstyle-plugin", "mvnw", ""), Maven,
			"./mvnw -B --fail-at-end test", "./mvnw -B -DskipTests package", "./mvnw -B checkstyle:check",
		},
		{"a Gradle project", having("settings.gradle", ""), Gradle, "gradle --no-daemon --continue -I .refrain/count-tests.gradle test", "gradle --no-daemon assemble", ""},
		{
			"Gradle with a wrapper", having("build.gradle.kts", `id("com.diffplug.spotless")`, "gradlew", ""), Gradle,
			"./gradlew --no-daemon --continue -I .refrain/count-tests.gradle test", "./gradlew --no-daemon assemble", "./gradlew --no-daemon spotlessCheck",
		},
		{"an Elixir project", having("mix.exs", "", ".formatter.exs", ""), Elixir, "mix test", "mix compile", "mix format --check-formatted"},
		{"an Elixir project with Credo", having("mix.exs", "{:credo, \"~> 1.7\"}", ".formatter.exs", ""), Elixir, "mix test", "mix compile", "mix credo"},
		{"Ruby with RSpec", having("Gemfile", "", ".rspec", "", ".rubocop.yml", ""), Ruby, "bundle exec rspec", "", "bundle exec rubocop"},
		{"Ruby on Rails", having("Gemfile", "", "bin/rails", "", "Rakefile", "", "test/a_test.rb", ""), Ruby, "bin/rails test", "", ""},
		{"a gem", having("x.gemspec", "", "Rakefile", "", "test/a.rb", ""), Ruby, "rake test", "", ""},
		{"PHP with PHPUnit", having("composer.json", `{"scripts":{"test":["@php artisan test"]}}`, "phpunit.xml", "", "phpstan.neon", ""), PHP, "vendor/bin/phpunit", "", "vendor/bin/phpstan analyse --no-progress"},
		{
			"PHP with scripts", having("composer.json", `{"scripts":{"test":"x","lint":["y"]}}`), PHP,
			"composer run-script --timeout=0 test", "", "composer run-script --timeout=0 lint",
		},
		{"PHP with Pest", having("composer.json", `{"require-dev":{"pestphp/pest":"^3"}}`, "phpunit.xml", ""), PHP, "vendor/bin/pest", "", ""},
		{"Python without pytest", having("pyproject.toml", "[project]\n", "tests/__init__.py", ""), Python, "python3 -m unittest -v", "", ""},
		{"Python with tests that are no package", having("setup.py", "", "tests/test_a.py", ""), Python, "python3 -m unittest discover -s tests -v", "", ""},
		{"Python with pytest and ruff", having("pyproject.toml", "[tool.pytest.ini_options]\n[tool.ruff]\n"), Python, "python3 -m pytest -v", "", "ruff check ."},
		{"Python with uv", having("pyproject.toml", "dev = [\"pytest\", \"ruff\"]", "uv.lock", ""), Python, "uv run python -m pytest -v", "", "uv run ruff check ."},
		{"Python with Poetry", having("pyproject.toml", "[tool.poetry]\n", "tests/conftest.py", "", ".flake8", ""), Python, "poetry run python -m pytest -v", "", "poetry run flake8"},
		{"Python with an environment beside it", having("requirements.txt", "pytest\nruff\n", ".venv/bin/python", "", ".venv/bin/ruff", ""), Python, ".venv/bin/python -m pytest -v", "", ".venv/bin/ruff check ."},
		{"an environment whose Python is elsewhere", having("requirements.txt", "pytest\n", ".venv/pyvenv.cfg", "", ".venv/bin/activate", ""), Python, ".venv/bin/python -m pytest -v", "", ""},
		{"a tool that is not in the environment", having("requirements.txt", "ruff\n", ".venv/bin/python", ""), Python, ".venv/bin/python -m unittest -v", "", "ruff check ."},
		{"Django", having("manage.py", "", "requirements.txt", "django\n"), Python, "python3 manage.py test -v 2", "", ""},
		{"nothing but a script of Python", having("main.py", ""), Python, "python3 -m unittest -v", "", ""},
		{"Deno", having("deno.json", "{}"), Deno, "deno test", "deno check .", "deno lint"},
		{"Deno with tasks and comments", having("deno.jsonc", "{ // tasks\n \"tasks\": {\"test\": \"deno test -A\", /* \"lint\" */ \"build\": {\"command\": \"x\"},},\n}"), Deno, "deno task test", "deno task build", "deno lint"},
		{"Bun without scripts", having("bun.lock", "", "package.json", "{}"), Bun, "bun test", "", ""},
		{"Bun with scripts", having("bun.lockb", "", "package.json", `{"scripts":{"test":"vitest run","typecheck":"tsc"}}`), Bun, "bun run test --reporter=verbose", "bun run typecheck", ""},
		{"Bun without a package", having("bunfig.toml", ""), Bun, "bun test", "", ""},
		{"Node.js with npm", having("package.json", `{"scripts":{"test":"jest","build":"tsc","lint":"eslint ."}}`), Node, "npm test -- --verbose", "npm run build", "npm run lint"},
		{"Node.js with pnpm", having("package.json", `{"scripts":{"test":"jest"}}`, "pnpm-lock.yaml", "", "package-lock.json", ""), Node, "pnpm run test --verbose", "", ""},
		{"Node.js with Yarn", having("package.json", `{"scripts":{"test":"jest"}}`, "yarn.lock", ""), Node, "yarn run test --verbose", "", ""},
		{"Node.js that names its manager", having("package.json", `{"packageManager":"pnpm@9.1.0","scripts":{"test":"jest"}}`, "yarn.lock", ""), Node, "pnpm run test --verbose", "", ""},
		{"Node.js without tests", having("package.json", `{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}`), Node, "", "", ""},
		{"tests of react-scripts have to end", having("package.json", `{"scripts":{"test":"react-scripts test"}}`), Node, "CI=true npm test", "", ""},
		{
			"CMake", having("CMakeLists.txt", "project(x)\nenable_testing()\n"), CMake,
			"cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure", "cmake -S . -B build && cmake --build build", "",
		},
		{"CMake without tests", having("CMakeLists.txt", "project(x)\n"), CMake, "", "cmake -S . -B build && cmake --build build", ""},
		{"Make with its targets", having("Makefile", "all: x\n.PHONY: lint\ncheck clean:\n\techo\nlint := no\nbuild ::= no\n"), Make, "make check", "make all", ""},
		{"Make without any of them", having("makefile", "run:\n"), Make, "", "", ""},
		{"nothing that we know", having("README.md", ""), Generic, "", "", ""},
		{"an empty work tree", having(), Generic, "", "", ""},
		{"a name that would break a line is no marker", having("a\nb.sln", ""), Generic, "", "", ""},
		{"a folder is no marker", having("go.mod/x", ""), Generic, "", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Detect(tt.tree).Main
			if got.Kind != tt.kind {
				t.Errorf("kind = %s, want %s", got.Kind, tt.kind)
			}
			want := []string{tt.test, tt.build, tt.lint}
			if diff := cmp.Diff(want, []string{got.Test.Line, got.Build.Line, got.Lint.Line}); diff != "" {
				t.Errorf("test, build and lint (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDetectChoosesTheMainToolchain(t *testing.T) {
	for _, tt := range []struct {
		name   string
		tree   fstest.MapFS
		main   Kind
		others []Kind
	}{
		{"the first of the table", having("go.mod", "", "package.json", `{"scripts":{"test":"jest"}}`, "Makefile", "test:\n"), Go, []Kind{Node, Make}},
		{"one without tests yields to one with", having("Gemfile", "", "package.json", `{"scripts":{"test":"jest"}}`), Node, []Kind{Ruby}},
		{"a package.json without tests", having("package.json", "{}", "requirements.txt", ""), Python, []Kind{Node}},
		{"a stray script of Python tells nothing", having("CMakeLists.txt", "", "gen.py", ""), CMake, []Kind{}},
		{"Bun is not Node.js too", having("bun.lock", "", "package.json", "{}"), Bun, []Kind{}},
		{"two markers of one kind", having("pyproject.toml", "", "requirements.txt", ""), Python, []Kind{}},
	} {
		p := Detect(tt.tree)
		others := []Kind{}
		for _, o := range p.Others {
			others = append(others, o.Kind)
		}
		if p.Main.Kind != tt.main || !cmp.Equal(others, tt.others) {
			t.Errorf("%s: got %s and %v, want %s and %v", tt.name, p.Main.Kind, others, tt.main, tt.others)
		}
	}
}

func TestDetectSaysWhatIsWrong(t *testing.T) {
	for _, tt := range []struct {
		name string
		tree fstest.MapFS
		want string // in the text of a note; empty is no note
	}{
		{"all is well", having("go.mod", ""), ""},
		{"a broken package.json", having("package.json", "{"), "package.json cannot be read: unexpected end of JSON input"},
		{"a broken package.json of Bun", having("package.json", `{"scripts":[]}`, "bun.lock", ""), "package.json cannot be read"},
		{"a broken deno.json", having("deno.json", `{"tasks": 1}`), "deno.json cannot be read"},
		{"a broken composer.json", having("composer.json", "no"), "composer.json cannot be read"},
		{"no test script", having("package.json", "{}"), "package.json has no test script"},
		{"no test command", having("README.md", ""), "no test command was found"},
		{"tests that watch", having("package.json", `{"scripts":{"test":"vitest --watch"}}`), `the script "test" of package.json seems to wait`},
		{"tests that were told not to", having("package.json", `{"scripts":{"test":"ng test --watch=false"}}`), ""},
		{"a linter that changes files", having("package.json", `{"scripts":{"test":"jest","lint":"eslint --fix ."}}`), `the script "lint" of package.json changes files`},
		{"several solutions", having("a.sln", "", "b.sln", ""), "the commands name a.sln"},
		{"CMake without tests", having("CMakeLists.txt", ""), "CMakeLists.txt has no tests"},
		{"a build folder that git sees", having("CMakeLists.txt", "include(CTest)"), "which git does not ignore"},
		{"a build folder that git ignores", having("CMakeLists.txt", "include(CTest)", ".gitignore", "/build/\n"), ""},
	} {
		var said []string
		for _, note := range Detect(tt.tree).Main.Notes {
			said = append(said, note.Text)
			if note.Hint == "" {
				t.Errorf("%s: %q has no hint", tt.name, note.Text)
			}
		}
		switch all := strings.Join(said, "\n"); {
		case tt.want == "" && all != "":
			t.Errorf("%s: said %q, want nothing", tt.name, all)
		case !strings.Contains(all, tt.want):
			t.Errorf("%s: said %q, want %q", tt.name, all, tt.want)
		}
	}
}

// samples are one small work tree for each kind.
var samples = map[Kind]fstest.MapFS{
	Go:      having("go.mod", "", "package.json", `{"scripts":{"test":"jest"}}`, "Makefile", "run:\n"),
	Rust:    having("Cargo.toml", ""),
	DotNet:  having("App.sln", ""),
	Maven:   having("pom.xml", ""),
	Gradle:  having("build.gradle", "", "gradlew", ""),
	Elixir:  having("mix.exs", ""),
	Ruby:    having("Gemfile", "", ".rspec", ""),
	PHP:     having("composer.json", "{}", "phpunit.xml", ""),
	Python:  having("pyproject.toml", "[tool.pytest.ini_options]\n[tool.ruff]\n"),
	Deno:    having("deno.json", "{}"),
	Bun:     having("bun.lock", ""),
	Node:    having("package.json", `{"scripts":{"test":"jest","build":"tsc","lint":"eslint ."}}`),
	CMake:   having("CMakeLists.txt", "enable_testing()"),
	Make:    having("Makefile", "test:\n"),
	Generic: having(),
}

func TestSettingsOfEachKind(t *testing.T) {
	for kind, title := range titles {
		tree, ok := samples[kind]
		if !ok {
			t.Errorf("no sample of %s", title)
			continue
		}
		got := textOf(t, Files(Detect(tree), Options{SchemaURL: SchemaURL("dev")}), settingsFile)
		parse(t, got)
		parse(t, commented.ReplaceAllString(got, "$1"))
		golden := filepath.Join("testdata", string(kind)+".toml")
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", golden, diff)
		}
	}
}

// commented is a line of settings that is put aside.
var commented = regexp.MustCompile(`(?m)^# (\[|[a-z_]+ = )`)

func parse(t *testing.T, text string) map[string]any {
	t.Helper()
	var v map[string]any
	if err := toml.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return v
}

func textOf(t *testing.T, list []File, path string) string {
	t.Helper()
	for _, f := range list {
		if f.Path == path {
			return f.Text
		}
	}
	t.Fatalf("there is no %s", path)
	return ""
}

func FuzzDetect(f *testing.F) {
	for _, text := range []string{"{", `{"scripts":{"test":"a\"b"}}`, "use ./\"a\n", "use (\n./a\n", "test:\n", "a b:c\n", "{// x\n/*"} {
		f.Add(text)
	}
	markers := []string{"go.work", "package.json", "deno.jsonc", "composer.json", "Makefile", "Cargo.toml", "CMakeLists.txt", "pyproject.toml"}
	f.Fuzz(func(t *testing.T, text string) {
		for _, marker := range markers {
			p := Detect(having(marker, text))
			commands, _ := parse(t, textOf(t, Files(p, Options{Test: text}), settingsFile))["commands"].(map[string]any)
			if build, _ := commands["build"].(string); strings.TrimSpace(p.Main.Build.Line) != "" && build == "" {
				t.Errorf("the build command %q of %s is lost", p.Main.Build.Line, marker)
			}
		}
	})
}
