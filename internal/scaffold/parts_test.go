package scaffold

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// told is the gates of a project as lines, and its setup.
func told(p Project) []string {
	var list []string
	for _, g := range p.Gates() {
		list = append(list, strings.TrimPrefix(g.Dir+" ", " ")+g.Name+": "+g.Line)
	}
	if s := p.Setup(); s != "" {
		list = append(list, "setup: "+s)
	}
	return list
}

const (
	jest    = `{"scripts":{"test":"jest"}}`
	goTests = "go test -json ./..."
	goBuild = "go build -o /dev/null ./..."
)

// strictTree opens files alone, as the tree of a project does.
type strictTree struct{ fstest.MapFS }

func (s strictTree) Open(name string) (fs.File, error) {
	if info, err := s.MapFS.Stat(name); err == nil && info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("a folder")}
	}
	return s.MapFS.Open(name)
}

func TestPartsOfARepository(t *testing.T) {
	for _, tt := range []struct {
		name string
		tree fstest.MapFS
		want []string
	}{
		{
			"a backend and a frontend",
			having("backend/go.mod", "", "backend/a_test.go", "", "frontend/package.json", `{"scripts":{"test":"jest"},"dependencies":{"a":"1"}}`, "frontend/package-lock.json", "{}"),
			[]string{
				"backend backend-build: " + goBuild, "backend backend-lint: go vet ./...", "backend backend-test: " + goTests,
				"frontend frontend-test: npm test -- --verbose", "setup: (cd frontend && npm ci)",
			},
		},
		{
			"a module below another, without tests",
			having("go.mod", "", "a_test.go", "", "tools/go.mod", "", "tools/main.go", ""),
			[]string{"build: " + goBuild, "lint: go vet ./...", "test: " + goTests, "tools tools-build: " + goBuild, "tools tools-lint: go vet ./..."},
		},
		{
			"a workspace sees to its modules, and to no other",
			having("go.work", "use (\n\t./a\n\t./b/\n)\n", "a/go.mod", "", "a/a_test.go", "", "b/go.mod", "", "c/go.mod", "", "c/c_test.go", ""),
			[]string{
				"build: go build -o /dev/null ./a/... ./b/...", "lint: go vet ./a/... ./b/...", "test: go test -json ./a/... ./b/...",
				"c c-build: GOWORK=off " + goBuild, "c c-lint: GOWORK=off go vet ./...", "c c-test: GOWORK=off " + goTests,
			},
		},
		{
			"npm workspaces with a script for all",
			having("package.json", `{"workspaces":["packages/*"],"scripts":{"test":"npm test --workspaces"}}`, "package-lock.json", "", "packages/a/package.json", jest),
			[]string{"test: npm test"},
		},
		{
			"npm workspaces without one",
			having("package.json", `{"workspaces":["packages/*"]}`, "package-lock.json", "", "packages/a/package.json", `{"scripts":{"test":"jest"},"dependencies":{"x":"1"}}`, "packages/b/package.json", "{}"),
			[]string{"packages/a packages-a-test: npm test -- --verbose"},
		},
		{
			"pnpm workspaces without a script",
			having("package.json", `{}`, "pnpm-workspace.yaml", "packages:\n  - apps/*\n", "pnpm-lock.yaml", "", "apps/web/package.json", jest),
			[]string{"apps/web apps-web-test: pnpm run test --verbose"},
		},
		{
			"yarn workspaces beside Python that needs its setup",
			having("package.json", `{"workspaces":["a"]}`, "yarn.lock", "", "a/package.json", jest, "api/pyproject.toml", "pytest", "api/uv.lock", "", "api/test_a.py", ""),
			[]string{"a a-test: yarn run test --verbose", "api api-test: uv run python -m pytest -v", "setup: yarn install --frozen-lockfile && (cd api && uv sync --frozen)"},
		},
		{
			"a package that nothing at the root installs",
			having("go.mod", "", "a_test.go", "", "web/package.json", `{"scripts":{"test":"jest"},"devDependencies":{"jest":"1"}}`),
			[]string{"build: " + goBuild, "lint: go vet ./...", "test: " + goTests, "web web-test: npm test -- --verbose", "setup: (cd web && npm install)"},
		},
		{
			"a Cargo workspace sees to its crates",
			having("Cargo.toml", "[workspace]\nmembers = [\"a\"]\n", "a/Cargo.toml", "[package]\n"),
			[]string{"build: cargo build --workspace", "lint: cargo clippy --all-targets --workspace", "test: cargo test --no-fail-fast --workspace"},
		},
		{
			"crates without a workspace",
			having("a/Cargo.toml", "", "x/b/Cargo.toml", ""),
			[]string{
				"a a-build: cargo build", "a a-lint: cargo clippy --all-targets", "a a-test: cargo test --no-fail-fast",
				"x/b x-b-build: cargo build", "x/b x-b-lint: cargo clippy --all-targets", "x/b x-b-test: cargo test --no-fail-fast",
			},
		},
		{
			"several projects of Python",
			having("pyproject.toml", "[tool.ruff]\n", "libs/a/pyproject.toml", "", "libs/a/tests/test_a.py", "", "libs/b/pyproject.toml", "pytest", "libs/b/b_test.py", "", "scripts/go.py", ""),
			[]string{"lint: ruff check .", "libs/a libs-a-test: python3 -m unittest discover -s tests -v", "libs/b libs-b-test: python3 -m pytest -v"},
		},
		{
			"pytest at the root finds all tests",
			having("pyproject.toml", "[tool.pytest.ini_options]\n", "libs/a/pyproject.toml", "", "libs/a/test_a.py", ""),
			[]string{"test: python3 -m pytest -v"},
		},
		{
			"what is no part", having(
				"node_modules/a/package.json", jest, "vendor/b/go.mod", "", "examples/c/go.mod", "", ".cache/d/go.mod", "", ".gitignore", "# x\n/scratch/\n[\n",
				"scratch/e/go.mod", "", "other/.git", "gitdir: x", "other/go.mod", "", "tests/test_a.py", "", "docs/Makefile", "test:\n", "site/package.json", `{"scripts":{"build":"x"}}`,
				"a/b/c/d/go.mod", "", "we\nird/go.mod", "",
			), nil,
		},
		{"names that are no names of gates", having("-ä b/Cargo.toml", "", "--- b/Cargo.toml", ""), []string{
			"--- b b-build: cargo build", "--- b b-lint: cargo clippy --all-targets", "--- b b-test: cargo test --no-fail-fast",
			"-ä b b-2-build: cargo build", "-ä b b-2-lint: cargo clippy --all-targets", "-ä b b-2-test: cargo test --no-fail-fast",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := Detect(strictTree{tt.tree})
			if diff := cmp.Diff(tt.want, told(p)); diff != "" {
				t.Errorf("gates (-want +got):\n%s", diff)
			}
			parse(t, textOf(t, Files(p, Options{}), settingsFile))
		})
	}
}

func TestTooManyParts(t *testing.T) {
	tree := fstest.MapFS{}
	for i := range maxParts + 3 {
		tree[fmt.Sprintf("p%02d/Cargo.toml", i)] = &fstest.MapFile{Mode: 0o644}
	}
	p := Detect(tree)
	if len(p.Parts) != maxParts || len(p.Notes()) != 1 || !strings.HasPrefix(p.Notes()[0].Text, "3 more folders") {
		t.Errorf("%d parts, notes %v", len(p.Parts), p.Notes())
	}
}

func TestAFolderWithManyFilesHidesNoPart(t *testing.T) {
	tree := fstest.MapFS{"web/Cargo.toml": {Mode: 0o644}}
	for i := range maxFolders + 1 {
		tree[fmt.Sprintf("assets/%05d.png", i)] = &fstest.MapFile{Mode: 0o644}
	}
	if p := Detect(tree); len(p.Parts) != 1 {
		t.Errorf("%d parts", len(p.Parts))
	}
}

func TestTheFolderInWhichSomebodyStands(t *testing.T) {
	tree := having("go.mod", "", "a_test.go", "", "web/package.json", jest, "web/src/x.js", "", "docs/a.md", "", "work/go.mod", "", "go.work", "use .\n")
	for dir, want := range map[string][]string{
		"web":     {"web web-test: npm test -- --verbose"},
		"web/src": {"web web-test: npm test -- --verbose"},
		"work":    {"work work-build: GOWORK=off " + goBuild, "work work-lint: GOWORK=off go vet ./..."},
		"docs":    nil,
		"gone":    nil,
	} {
		p, found := DetectPart(tree, dir)
		if diff := cmp.Diff(want, told(p)); diff != "" || found != (want != nil) {
			t.Errorf("%s: found %v (-want +got):\n%s", dir, found, diff)
		}
	}
}

func TestTypesAndEnvironments(t *testing.T) {
	for _, tt := range []struct {
		name         string
		tree         fstest.MapFS
		types, setup string
	}{
		{"no types", having("pyproject.toml", "mypy"), "", ""},
		{"mypy", having("pyproject.toml", "[tool.mypy]\nstrict = true\n"), "mypy .", ""},
		{"mypy that knows where", having("mypy.ini", "[mypy]\nfiles = src\n", "setup.py", "", "uv.lock", ""), "uv run mypy", "uv sync --frozen"},
		{"pyright", having("setup.py", "", "pyrightconfig.json", "{}"), "pyright", ""},
		{"pyright in the environment", having("pyproject.toml", "[project]\n[tool.pyright]\n", ".venv/bin/python", "", ".venv/bin/pyright", ""), ".venv/bin/pyright", "python3 -m venv .venv && .venv/bin/pip install -e ."},
		{"requirements", having("requirements.txt", "x", "requirements-dev.txt", "y", "venv/bin/python", ""), "", "python3 -m venv venv && venv/bin/pip install -r requirements-dev.txt -r requirements.txt"},
		{"extras", having("pyproject.toml", "[project]\n[project.optional-dependencies]\ndocs = [\"a\"]\ndev = [\"pytest\"]\n", ".venv/bin/python", ""), "", "python3 -m venv .venv && .venv/bin/pip install -e '.[dev]'"},
		{"poetry", having("pyproject.toml", "[tool.poetry]\n", "poetry.lock", ""), "", "poetry install --no-interaction"},
		{"poetry without a lockfile", having("pyproject.toml", "[tool.poetry]\n"), "", "poetry install --no-interaction"},
		{"pipenv", having("Pipfile", "", "Pipfile.lock", ""), "", "pipenv sync --dev"},
		{"an environment of nobody knows what", having("setup.cfg", "", ".venv/bin/python", ""), "", ""},
		{"what is known from lockfiles alone", having("package.json", jest, "package-lock.json", ""), "", ""},
		{"a script for types beside the build", having("package.json", `{"scripts":{"test":"jest","build":"vite build","typecheck":"vue-tsc"}}`), "npm run typecheck", ""},
		{"a script for types as the build", having("package.json", `{"scripts":{"test":"jest","typecheck":"tsc"}}`), "", ""},
		{"the compiler", having("package.json", `{"scripts":{"build":"vite build"},"devDependencies":{"typescript":"5"}}`, "tsconfig.json", "", "pnpm-lock.yaml", ""), "pnpm exec tsc --noEmit", ""},
		{"a build that checks types", having("package.json", `{"scripts":{"build":"tsc && vite build"},"devDependencies":{"typescript":"5"}}`, "tsconfig.json", ""), "", ""},
		{"a compiler that is only somewhere", having("package.json", `{}`, "tsconfig.json", ""), "", ""},
	} {
		p := Detect(tt.tree)
		if p.Main.Types.Line != tt.types || p.Setup() != tt.setup {
			t.Errorf("%s: types %q, setup %q; want %q, %q", tt.name, p.Main.Types.Line, p.Setup(), tt.types, tt.setup)
		}
		parse(t, textOf(t, Files(p, Options{}), settingsFile))
	}
}

func TestWhatGatesLack(t *testing.T) {
	p := Detect(having("pyproject.toml", "[tool.mypy]\n[tool.pytest.ini_options]\n", "test_a.py", "", "web/package.json", jest))
	gate := func(dir, line string) Gate { return Gate{Dir: dir, Command: Command{Line: line}} }
	for _, tt := range []struct {
		name string
		have []Gate
		want []string
	}{
		{"nothing is there", nil, []string{"test", "types", "web-test"}},
		{"all is there", p.Gates(), nil},
		{"types are checked in some way", []Gate{gate("", "make test"), gate(".", "sh -c 'mypy x'"), gate("", "cd web && npm test")}, nil},
		{"a folder is judged", []Gate{gate("web/", "npm test")}, []string{"test", "types"}},
	} {
		var names []string
		for _, g := range p.Lacking(tt.have) {
			names = append(names, g.Name)
		}
		if !cmp.Equal(names, tt.want) {
			t.Errorf("%s: %v is lacking, want %v", tt.name, names, tt.want)
		}
	}
	if got := (Gate{Name: "web-test", Dir: "web", Command: Command{Line: "npm test"}}).Proposal(); got.Text != "no gate runs npm test in web" || !strings.HasSuffix(got.Hint, `name = "web-test", dir = "web", run = "npm test"`) {
		t.Errorf("proposal: %+v", got)
	}
}
