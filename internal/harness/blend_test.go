package harness

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"pgregory.net/rapid"
)

// blendCase is a manifest then and now. With want empty, nothing has to be put
// back; else every line of want is in what is put back, and none of not.
type blendCase struct {
	name, path, old, now string
	want, not            []string
}

func checkBlends(t *testing.T, cases []blendCase) {
	t.Helper()
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			blended, same := Blend(tt.path, given(tt.old), given(tt.now))
			if same != (tt.want == nil) {
				t.Fatalf("Blend(%s) is the same: %v, want %v; it is\n%s", tt.path, same, tt.want == nil, blended)
			}
			if same && string(blended) != tt.now {
				t.Errorf("nothing is to be put back, and it gives\n%s", blended)
			}
			flat := strings.Join(strings.Fields(string(blended)), " ")
			for _, want := range tt.want {
				if !strings.Contains(flat, want) {
					t.Errorf("%q is not in\n%s", want, blended)
				}
			}
			for _, not := range tt.not {
				if strings.Contains(flat, not) {
					t.Errorf("%q is in\n%s", not, blended)
				}
			}
			if strings.HasSuffix(tt.path, ".json") && blended != nil && !json.Valid(blended) && !same {
				t.Errorf("no JSON:\n%s", blended)
			}
		})
	}
}

// given is a file, and nil for "-", which stands for none.
func given(text string) []byte {
	if text == "-" {
		return nil
	}
	return []byte(text)
}

const pkg = `{
  "name": "calc",
  "version": "1.0.0",
  "scripts": {"test": "node --test", "build": "tsc", "start": "node ."},
  "devDependencies": {"mocha": "^10.0.0", "@acme/lint": "^1.0.0"}
}`

// with is pkg with something else in the place of a part of it.
func with(old, now string) string {
	if !strings.Contains(pkg, old) {
		panic(old)
	}
	return strings.Replace(pkg, old, now, 1)
}

func TestBlendPackageJSON(t *testing.T) {
	at := func(c blendCase) blendCase {
		c.path = "package.json"
		if c.old == "" {
			c.old = pkg
		}
		return c
	}
	cases := []blendCase{
		{name: "a dependency more", now: with(`"scripts"`, `"dependencies": {"left-pad": "^1.3.0"}, "scripts"`)},
		{name: "a dependency in a folder of the project", now: with(`"scripts"`, `"dependencies": {"shared": "file:../shared"}, "scripts"`)},
		{name: "another version", now: with(`1.0.0"`, `1.1.0"`)},
		{name: "the runner brought up to date", now: with(`^10.0.0`, `^11.0.0`)},
		{name: "a module now", now: with(`"version"`, `"type": "module", "exports": {"import": "./a.mjs", "default": "./a.js"}, "version"`)},
		{name: "a new script", now: with(`"build"`, `"docs": "typedoc", "predocs": "x", "build"`)},
		{name: "another start", now: with(`node .`, `node server.js`)},
		{name: "other spaces", now: strings.Join(strings.Fields(pkg), " ")},
		{name: "a command of its own", now: with(`"version"`, `"bin": {"calc": "cli.js"}, "version"`)},
		{name: "a workspace more", now: with(`"version"`, `"workspaces": ["packages/*"], "version"`)},
		{name: "an override of a dependency", now: with(`"version"`, `"overrides": {"semver": "^7.5.2", "a": {"b": "1.0.0"}}, "version"`)},
		{name: "the first tests of a project", old: `{"name":"a","scripts":{"start":"node ."}}`, now: `{"name":"a","scripts":{"start":"node .","test":"node --test"}}`},

		{name: "tests filtered", now: with(`node --test`, `node --test --test-name-pattern=Add`), want: []string{`"test": "node --test"`}, not: []string{"pattern"}},
		{
			name: "tests filtered beside honest work", now: strings.Replace(with(`node --test`, `true`), `"scripts"`, `"dependencies": {"left-pad": "^1.3.0"}, "scripts"`, 1),
			want: []string{`"test": "node --test"`, `"left-pad": "^1.3.0"`},
		},
		{name: "a hook before the tests", now: with(`"build"`, `"pretest": "sh fake.sh", "build"`), want: []string{`"test"`}, not: []string{"pretest"}},
		{name: "a hook of the installation", now: with(`"build"`, `"postinstall": "sh fake.sh", "build"`), want: []string{`"test"`}, not: []string{"postinstall"}},
		{name: "a script in the place of a command", now: with(`"build"`, `"mocha": "true", "build"`), want: []string{`"test"`}, not: []string{`"mocha": "true"`}},
		{name: "no script any more", now: `{"name": "calc"}`, want: []string{`"test": "node --test"`}},
		{name: "settings of a runner", now: with(`"version"`, `"mocha": {"spec": "none"}, "version"`), want: []string{`"version"`}, not: []string{`"spec"`}},
		{name: "settings of jest", old: `{"jest": {"testEnvironment": "node"}}`, now: `{"jest": {"testEnvironment": "node", "testPathIgnorePatterns": ["calc"]}}`, want: []string{`"testEnvironment"`}, not: []string{"Ignore"}},
		{name: "settings of npm", now: with(`"version"`, `"config": {"script-shell": "./fake.sh"}, "version"`), want: []string{`"version"`}, not: []string{"fake"}},
		{name: "the runner from a folder", now: with(`^10.0.0`, `file:./fake`), want: []string{`"mocha": "^10.0.0"`}},
		{name: "the runner under another name", now: with(`^10.0.0`, `npm:fake@1`), want: []string{`"mocha": "^10.0.0"`}},
		{name: "a tool of the house from a folder", now: with(`^1.0.0`, `./fake`), want: []string{`"@acme/lint": "^1.0.0"`}},
		{name: "a node of its own", now: with(`"scripts"`, `"dependencies": {"node": "file:./fake"}, "scripts"`), want: []string{`"test"`}, not: []string{"fake"}},
		{name: "an override of the runner", now: with(`"version"`, `"overrides": {"mocha": "file:./fake", "semver": "7.0.0"}, "version"`), want: []string{`"semver": "7.0.0"`}, not: []string{"fake"}},
		{name: "a resolution of the runner", now: with(`"version"`, `"resolutions": {"**/mocha@10": "link:./fake"}, "version"`), want: []string{`"version"`}, not: []string{"fake"}},
		{name: "a nested override", now: with(`"version"`, `"overrides": {"a": {"@jest/core": "file:./fake"}}, "version"`), want: []string{`"version"`}, not: []string{"fake"}},
		{name: "a command before node", now: with(`"version"`, `"bin": {"node": "fake.js", "calc": "a.js"}, "version"`), want: []string{`"calc": "a.js"`}, not: []string{"fake"}},
		{name: "a start that the tests call", old: `{"scripts":{"test":"npm run start","start":"node a"}}`, now: `{"scripts":{"test":"npm run start","start":"true"}}`, want: []string{`"start": "node a"`}},
		{name: "the second of two scripts counts", now: with(`"devDependencies"`, `"scripts": {"test": "true"}, "devDependencies"`), want: []string{`"test": "node --test"`}},
		{name: "broken", now: `{"name": `, want: []string{`"test": "node --test"`}},
		{name: "no object", now: `[]`, want: []string{`"test": "node --test"`}},
		{name: "empty", now: ``, want: []string{`"test": "node --test"`}},
		{name: "gone", now: `-`, want: []string{`"test": "node --test"`}},

		{name: "new, and honest", old: "-", now: pkg},
		{name: "new, in the place of a tool", old: "-", now: `{"name": "fake", "bin": {"mocha": "fake.js"}}`, want: []string{`"name": "fake"`}, not: []string{"fake.js"}},
		{name: "new, with settings", old: "-", now: `{"type": "module", "mocha": {"spec": "none"}}`, want: []string{`"type": "module"`}, not: []string{"none"}},
	}
	for i := range cases {
		cases[i] = at(cases[i])
	}
	checkBlends(t, cases)
}

func TestTheOrderOfConditionsStays(t *testing.T) {
	now := `{"exports":{"types":"./a.d.ts","import":"./a.mjs","default":"./a.js"},"scripts":{"test":"true"}}`
	blended, _ := Blend("package.json", []byte(pkg), []byte(now))
	i, j := bytes.Index(blended, []byte(`"types"`)), bytes.Index(blended, []byte(`"default"`))
	if i < 0 || j < i {
		t.Errorf("conditions are in another order:\n%s", blended)
	}
}

func TestBlendOtherJSON(t *testing.T) {
	checkBlends(t, []blendCase{
		{name: "an alias more", path: "tsconfig.json", old: `{"compilerOptions": {"strict": true}}`, now: `{
			// where the sources are
			"compilerOptions": {"strict": true, "baseUrl": ".", "paths": {"@/*": ["src/*"]}, "jsx": "react-jsx", "target": "es2022",},
		}`},
		{name: "more is checked", path: "tsconfig.json", old: `{"include": ["src"]}`, now: `{"include": ["src", "scripts"]}`},
		{name: "tests excluded", path: "tsconfig.json", old: `{"include": ["src"]}`, now: `{"include": ["src"], "exclude": ["src/**/*.test.ts"]}`, want: []string{`"src"`}, not: []string{"exclude"}},
		{name: "less is checked", path: "tsconfig.build.json", old: `{"include": ["src", "test"]}`, now: `{"include": ["src"]}`, want: []string{`"test"`}},
		{name: "not strict any more", path: "tsconfig.json", old: `{"compilerOptions": {"strict": true}}`, now: `{"compilerOptions": {"strict": false, "target": "es2022"}}`, want: []string{`"strict": true`, `"target": "es2022"`}},
		{name: "assert from a file", path: "tsconfig.json", old: `{}`, now: `{"compilerOptions": {"paths": {"node:assert": ["./fake"], "vitest": ["./fake"]}}}`, want: []string{"{"}, not: []string{"fake"}},
		{name: "a new one", path: "packages/a/tsconfig.json", old: "-", now: `{"extends": "../../tsconfig.json", "include": ["src"], "exclude": ["dist"]}`},

		{name: "a new task of Deno's", path: "deno.json", old: `{"tasks": {"test": "deno test"}}`, now: `{"tasks": {"test": "deno test", "dev": "deno run a.ts"}, "imports": {"a": "jsr:@a/a", "@/": "./src/"}}`},
		{name: "another task", path: "deno.json", old: `{"tasks": {"test": "deno test"}}`, now: `{"tasks": {"test": "true"}}`, want: []string{`"deno test"`}},
		{name: "assertions of its own", path: "deno.jsonc", old: `{"imports": {"@std/assert": "jsr:@std/assert@1"}}`, now: `{"imports": {"@std/assert": "./fake.ts"}}`, want: []string{"jsr:@std/assert@1"}},
		{name: "tests excluded by Deno", path: "deno.json", old: `{}`, now: `{"test": {"exclude": ["a_test.ts"]}}`, want: []string{"{"}, not: []string{"a_test"}},
		{name: "assertions by a map", path: "import_map.json", old: `{"imports": {}}`, now: `{"imports": {"jsr:@std/assert": "./fake.ts", "a": "./a.ts"}}`, want: []string{"./a.ts"}, not: []string{"fake"}},

		{name: "a package of PHP more", path: "composer.json", old: `{"scripts": {"test": "phpunit"}}`, now: `{"require": {"a/b": "^1"}, "scripts": {"test": "phpunit", "fix": "pint"}}`},
		{name: "other scripts of PHP", path: "composer.json", old: `{"scripts": {"test": "phpunit"}}`, now: `{"scripts": {"test": "true", "post-install-cmd": "x"}}`, want: []string{`"phpunit"`}, not: []string{"post-install"}},
	})
}

const python = `[project]
name = "calc"
version = "1.0"
dependencies = ["requests>=2"]

[tool.pytest.ini_options]
testpaths = ["tests"]

[tool.ruff]
line-length = 88
`

func TestBlendTOML(t *testing.T) {
	sub := func(text, old, now string) string { return strings.Replace(text, old, now, 1) }
	const crate = "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dev-dependencies]\ninsta = \"1\"\n"
	checkBlends(t, []blendCase{
		{name: "a dependency more", path: "pyproject.toml", old: python, now: sub(python, `"requests>=2"`, `"requests>=2", "attrs", "mypkg @ file:///x"`)},
		{name: "another version", path: "pyproject.toml", old: python, now: sub(python, "1.0", "2.0")},
		{name: "groups of dependencies", path: "pyproject.toml", old: python, now: python + "\n[dependency-groups]\ndev = [\"pytest\", {include-group = \"lint\"}]\nlint = [\"ruff\"]\n"},
		{name: "comments and order", path: "pyproject.toml", old: python, now: "# mine\n[tool.ruff]\nline-length = 88\n" + sub(python, "[tool.ruff]\nline-length = 88\n", "")},
		{name: "a build system, and setuptools", path: "pyproject.toml", old: python, now: python + "[build-system]\nrequires = [\"setuptools\"]\n[tool.setuptools]\npackages = [\"calc\"]\n"},
		{name: "a mark more", path: "pyproject.toml", old: python, now: sub(python, "testpaths", "markers = [\"slow: takes long\"]\ntestpaths")},
		{name: "moved into src", path: "pyproject.toml", old: python, now: sub(python, "testpaths", "pythonpath = [\"src\"]\ntestpaths")},
		{name: "Poetry's dependencies", path: "pyproject.toml", old: "[tool.poetry.dependencies]\npython = \"^3.11\"\n", now: "[tool.poetry.dependencies]\npython = \"^3.12\"\na = \"^1\"\nb = {path = \"../b\"}\n"},
		{name: "a new one", path: "pyproject.toml", old: "-", now: "[project]\nname = \"a\"\n"},

		{name: "tests filtered", path: "pyproject.toml", old: python, now: sub(python, "testpaths", "addopts = \"-k 'not add'\"\ntestpaths"), want: []string{"testpaths = ['tests']", "name = 'calc'"}, not: []string{"addopts"}},
		{
			name: "tests filtered beside honest work", path: "pyproject.toml", old: python, now: sub(sub(python, `["tests"]`, `["none"]`), `"requests>=2"`, `"requests>=2", "attrs"`) + "\n[dependency-groups]\ndev = [\"pytest\", {include-group = \"lint\"}]\nlint = []\n",
			want: []string{"testpaths = ['tests']", "'attrs'", "include-group"},
		},
		{name: "a path to something else", path: "pyproject.toml", old: python, now: sub(python, "testpaths", "pythonpath = [\"fakes\"]\ntestpaths"), want: []string{"testpaths"}, not: []string{"fakes"}},
		{name: "a plugin for pytest", path: "pyproject.toml", old: python, now: python + "[project.entry-points.pytest11]\nx = \"fake\"\n", want: []string{"testpaths"}, not: []string{"fake"}},
		{name: "pytest from a folder", path: "pyproject.toml", old: python, now: sub(python, `"requests>=2"`, `"pytest @ file:///tmp/fake"`), want: []string{"requests>=2"}, not: []string{"fake"}},
		{name: "pytest from a folder, by uv", path: "pyproject.toml", old: python, now: python + "[tool.uv.sources]\npytest = {path = \"fake\"}\nmine = {path = \"mine\"}\n", want: []string{"path = 'mine'"}, not: []string{"fake"}},
		{name: "less is linted", path: "pyproject.toml", old: python, now: sub(python, "88", "400"), want: []string{"line-length = 88"}},
		{name: "hatch's environments", path: "pyproject.toml", old: python, now: python + "[tool.hatch.envs.default.scripts]\ntest = \"true\"\n", want: []string{"testpaths"}, not: []string{"true"}},
		{name: "a new one that filters", path: "pyproject.toml", old: "-", now: "[project]\nname = \"a\"\n[tool.pytest.ini_options]\naddopts = \"-k x\"\n", want: []string{"name = 'a'"}, not: []string{"addopts"}},
		{name: "broken", path: "pyproject.toml", old: python, now: "[project", want: []string{"testpaths"}},
		{name: "gone", path: "pyproject.toml", old: python, now: "-", want: []string{"testpaths"}},
		{name: "gone, and decided nothing", path: "pyproject.toml", old: "[project]\nname = \"a\"\n", now: "-x", want: []string{"name"}},

		{name: "a crate more", path: "Cargo.toml", old: crate, now: crate + "\n[dependencies]\nserde = { version = \"1\", features = [\"derive\"] }\n[target.'cfg(unix)'.dependencies]\nlibc = \"0.2\"\n[features]\nx = []\n"},
		{name: "another edition", path: "Cargo.toml", old: crate, now: sub(crate, "2021", "2024")},
		{name: "a program more", path: "Cargo.toml", old: crate, now: crate + "[[bin]]\nname = \"b\"\npath = \"src/b.rs\"\n[lib]\npath = \"src/x.rs\"\n[profile.release]\nlto = true\n"},
		{name: "a member more", path: "Cargo.toml", old: "[workspace]\nmembers = [\"a\"]\n", now: "[workspace]\nmembers = [\"a\", \"b\"]\n[workspace.dependencies]\nx = \"1\"\n"},
		{name: "a new crate", path: "crates/b/Cargo.toml", old: "-", now: "[package]\nname = \"b\"\n[lib]\npath = \"x.rs\"\ntest = false\n"},
		{name: "tests off", path: "Cargo.toml", old: crate, now: sub(crate, "edition", "autotests = false\nedition"), want: []string{"name = 'a'"}, not: []string{"autotests"}},
		{name: "tests of the library off", path: "Cargo.toml", old: crate, now: crate + "[lib]\ntest = false\nname = \"b\"\n", want: []string{"name = 'b'"}, not: []string{"test = false"}},
		{name: "a test with a main of its own", path: "Cargo.toml", old: crate, now: crate + "[[test]]\nname = \"it\"\nharness = false\n", want: []string{"name = 'a'"}, not: []string{"harness"}},
		{name: "a program that is not tested any more", path: "Cargo.toml", old: crate + "[[bin]]\nname = \"b\"\n", now: crate + "[[bin]]\nname = \"b\"\ntest = false\n", want: []string{"name = 'b'"}, not: []string{"false"}},
		{name: "a patched crate", path: "Cargo.toml", old: crate, now: crate + "[patch.crates-io]\ninsta = { path = \"fake\" }\n", want: []string{"insta"}, not: []string{"fake"}},
		{name: "assertions from a folder", path: "Cargo.toml", old: crate, now: sub(crate, `insta = "1"`, `insta = { path = "fake" }`), want: []string{"insta = '1'"}},
		{name: "overflow is not seen any more", path: "Cargo.toml", old: crate, now: crate + "[profile.test]\noverflow-checks = false\n", want: []string{"name = 'a'"}, not: []string{"overflow"}},
	})
}

func TestBlendINI(t *testing.T) {
	const old = "[metadata]\nname = a\n\n[options]\ninstall_requires =\n    b\n\n[tool:pytest]\ntestpaths = tests\n"
	sub := func(from, to string) string { return strings.Replace(old, from, to, 1) }
	checkBlends(t, []blendCase{
		{name: "honest work", path: "setup.cfg", old: old, now: sub("    b\n", "    b\n    c\n") + "# done\n"},
		{name: "sections in another order", path: "setup.cfg", old: old, now: "[tool:pytest]\ntestpaths = tests\n[metadata]\nname = b\n"},
		{name: "tests filtered", path: "setup.cfg", old: old, now: sub("testpaths = tests", "addopts = -k x") + "[bumpversion]\nx = 1\n", want: []string{"testpaths = tests", "[bumpversion]", "[metadata]"}, not: []string{"addopts"}},
		{name: "an alias for test", path: "setup.cfg", old: old, now: old + "[aliases]\ntest = x\n", want: []string{"testpaths"}, not: []string{"aliases"}},
		{name: "an indented heading", path: "setup.cfg", old: "[metadata]\n", now: "[metadata]\n [tool:pytest]\n addopts = -k x\n", want: []string{"[metadata]"}, not: []string{"addopts"}},
		{name: "a plugin for pytest", path: "setup.cfg", old: old, now: old + "[options.entry_points]\npytest11 =\n  x = fake\n", want: []string{"testpaths"}, not: []string{"fake"}},
		{name: "broken", path: "setup.cfg", old: old, now: "x\n" + old, want: []string{"testpaths"}},
		{name: "moved to pyproject.toml", path: "setup.cfg", old: "[metadata]\nname = a\n", now: "-x", want: []string{"metadata"}},
	})
	if _, same := Blend("setup.cfg", []byte("[metadata]\nname = a\n"), nil); !same {
		t.Error("one that decided nothing has to come back")
	}
}

const module = `module example.com/calc

go 1.24

require (
	github.com/stretchr/testify v1.9.0
	github.com/a/b v1.0.0 // indirect
)

replace github.com/a/b => ./b
`

func TestBlendGoMod(t *testing.T) {
	sub := func(from, to string) string { return strings.Replace(module, from, to, 1) }
	checkBlends(t, []blendCase{
		{name: "a dependency more", path: "go.mod", old: module, now: sub("require (", "require (\n\tgithub.com/c/d v1.0.0")},
		{name: "versions", path: "go.mod", old: module, now: sub("go 1.24", "go 1.25.0\n\ntoolchain go1.25.1\n\nretract v1.0.0")},
		{name: "another name", path: "go.mod", old: module, now: sub("calc", "sums")},
		{name: "blocks and comments", path: "go.mod", old: module, now: sub("replace github.com/a/b => ./b", "replace (\n\tgithub.com/a/b => ./b // here\n)")},
		{name: "a module of the tree more", path: "go.mod", old: module, now: sub("require (", "require (\n\texample.com/shared v0.0.0") + "replace example.com/shared => ./shared\n"},
		{name: "a tool more", path: "go.mod", old: module, now: module + "tool golang.org/x/tools/cmd/stringer\n"},
		{name: "a dependency less, with what stood for it", path: "go.mod", old: module, now: "module example.com/calc\n\ngo 1.24\n\nrequire github.com/stretchr/testify v1.9.0\n"},
		{name: "a new module", path: "tools/go.mod", old: "-", now: "module example.com/tools\n\nreplace example.com/calc => ../\n\nignore ./x\n"},

		{name: "assertions of its own", path: "go.mod", old: module, now: module + "replace github.com/stretchr/testify => ./fake\n", want: []string{"testify v1.9.0", "a/b => ./b"}, not: []string{"fake"}},
		{
			name: "assertions of its own beside honest work", path: "go.mod", old: module, now: sub("require (", "require (\n\tgithub.com/c/d v1.0.0") + "replace github.com/stretchr/testify v1.9.0 => ./fake\n",
			want: []string{"c/d v1.0.0", "a/b => ./b"}, not: []string{"fake"},
		},
		{name: "a dependency from elsewhere", path: "go.mod", old: module, now: sub("./b", "./c"), want: []string{"=> ./b"}, not: []string{"./c"}},
		{name: "a folder left out", path: "go.mod", old: module, now: module + "ignore ./calc\n", want: []string{"=> ./b"}, not: []string{"ignore"}},
		{name: "a toolchain of its own", path: "go.mod", old: module, now: module + "toolchain go1.24.0-fake\n", want: []string{"=> ./b"}, not: []string{"fake"}},
		{name: "a tool in the place of another", path: "go.mod", old: module + "tool gotest.tools/gotestsum\n", now: module + "tool example.com/calc/gotestsum\n", want: []string{"=> ./b"}, not: []string{"calc/gotestsum"}},
		{name: "a new module that is an assertion library", path: "fake/go.mod", old: "-", now: "module github.com/stretchr/testify\n", want: []string{}},
		{name: "broken", path: "go.mod", old: module, now: module + "nonsense\n", want: []string{"=> ./b"}, not: []string{"nonsense"}},
		{name: "an open block", path: "go.mod", old: module, now: "module a\nrequire (\n", want: []string{"=> ./b"}},

		{name: "a workspace with a module more", path: "go.work", old: "go 1.24\n\nuse .\n", now: "go 1.24\n\nuse (\n\t.\n\t./b\n)\n"},
		{name: "a workspace that replaces", path: "go.work", old: "go 1.24\n\nuse .\n", now: "go 1.24\n\nuse .\nuse ./b\nreplace github.com/a/b => ./c\n", want: []string{"use ./b"}, not: []string{"./c"}},
		{name: "a new workspace", path: "go.work", old: "-", now: "go 1.24\n\nuse .\nuse ./fake\n", want: []string{}},
		{name: "no workspace any more", path: "go.work", old: "go 1.24\n\nuse .\n", now: "-", want: []string{"use ."}},
	})
}

const makes = `# how to build it
CC ?= gcc
SRCS = calc.c \
	main.c
.PHONY: test

all: calc

calc: $(SRCS)
	$(CC) -o $@ $(SRCS)

# the tests
test: calc
	./calc 2 3
	sh check.sh
`

func TestBlendMakefile(t *testing.T) {
	sub := func(from, to string) string { return strings.Replace(makes, from, to, 1) }
	checkBlends(t, []blendCase{
		{name: "a source more", path: "Makefile", old: makes, now: sub("main.c", "main.c sums.c")},
		{name: "a target more", path: "Makefile", old: makes, now: sub(".PHONY: test", ".PHONY: test docs") + "\ndocs:\n\tdoxygen\n\nsums.o: sums.c sums.h\n"},
		{name: "comments and empty lines", path: "Makefile", old: makes, now: sub("# the tests\n", "\n\n# all the tests\n\n")},
		{name: "a new one", path: "sub/Makefile", old: "-", now: makes},
		{name: "a first target for tests", path: "Makefile", old: "all:\n\techo\n", now: "all:\n\techo\n\ntest: all\n\tsh check.sh\n"},

		{name: "another recipe", path: "Makefile", old: makes, now: sub("\tsh check.sh\n", "\ttrue\n"), want: []string{"sh check.sh"}, not: []string{"true"}},
		{
			name: "another recipe beside honest work", path: "Makefile", old: makes, now: strings.Replace(sub("\tsh check.sh\n", "\ttrue\n"), "main.c", "main.c sums.c", 1) + "docs:\n\tdoxygen\n",
			want: []string{"sh check.sh", "main.c sums.c", "docs: doxygen"}, not: []string{"true"},
		},
		{name: "another shell", path: "Makefile", old: makes, now: "SHELL = ./fake\n" + makes, want: []string{"sh check.sh"}, not: []string{"fake"}},
		{name: "errors ignored", path: "Makefile", old: makes, now: "MAKEFLAGS += -i\n" + makes, want: []string{"sh check.sh"}, not: []string{"MAKEFLAGS"}},
		{name: "a source that runs something", path: "Makefile", old: makes, now: sub("SRCS = calc.c", "SRCS = $(shell sh fake.sh) calc.c"), want: []string{"sh check.sh"}, not: []string{"fake"}},
		{name: "the test again", path: "Makefile", old: makes, now: makes + "test:\n\ttrue\n", want: []string{"sh check.sh"}, not: []string{"true"}},
		{name: "an explicit rule for what a pattern made", path: "Makefile", old: "run-%: %\n\t./$<\ntest: $(X:%=run-%)\n", now: "run-%: %\n\t./$<\ntest: $(X:%=run-%)\nrun-a:\n\ttrue\n", want: []string{"run-%"}, not: []string{"true"}},
		{name: "gone", path: "Makefile", old: makes, now: "-", want: []string{"sh check.sh"}},
	})
}

func TestWhatIsNoManifestIsPutBackWhole(t *testing.T) {
	if got, same := Blend("jest.config.js", []byte("a"), []byte("b")); string(got) != "a" || same {
		t.Errorf("Blend = %q, %v", got, same)
	}
	if got, same := Blend("jest.config.js", nil, []byte("b")); got != nil || same {
		t.Errorf("Blend = %q, %v", got, same)
	}
}

var manifests = []string{"package.json", "deno.json", "composer.json", "tsconfig.json", "import_map.json", "pyproject.toml", "Cargo.toml", "setup.cfg", "go.mod", "go.work", "Makefile", "x"}

func FuzzBlend(f *testing.F) {
	for _, seed := range []string{pkg, python, module, makes, "", "{}", `{"a":{},"a":[],}//`, "[a]\n[b]\nx=1\n", "a:\\\n\tb", "[[bin]]\nname=1\n[[bin]]\nname=[{}]\n"} {
		for i := range manifests {
			f.Add(i, []byte(seed), []byte(strings.Replace(seed, "t", "u", 2)), byte(0))
		}
	}
	f.Fuzz(func(t *testing.T, which int, old, now []byte, absent byte) {
		path := manifests[uint(which)%uint(len(manifests))]
		if absent == 1 {
			old = nil
		}
		if absent == 2 {
			now = nil
		}
		if _, same := Blend(path, old, old); !same {
			t.Fatalf("%s differs from itself", path)
		}
		blended, same := Blend(path, old, now)
		if same && !bytes.Equal(blended, now) {
			t.Fatalf("%s is the same, and gives %q for %q", path, blended, now)
		}
		if blended == nil || same || bytes.Equal(blended, old) {
			return
		}
		switch {
		case strings.HasSuffix(path, ".json") && !json.Valid(blended):
			t.Fatalf("%s is no JSON: %q", path, blended)
		case strings.HasSuffix(path, ".toml"):
			var m map[string]any
			if err := toml.Unmarshal(blended, &m); err != nil {
				t.Fatalf("%s is no TOML: %v: %q", path, err, blended)
			}
		}
		// What was put back decides as it did before.
		if again, same := Blend(path, old, blended); !same && old != nil && path != "Makefile" {
			t.Fatalf("%s, put back, still decides otherwise:\nold %q\nnow %q\nblended %q\nagain %q", path, old, now, blended, again)
		}
	})
}

// Whatever honest and dishonest changes come together: the scripts are the old
// ones, and the dependencies the new ones.
func TestBlendProperty(t *testing.T) {
	word := rapid.StringMatching(`[a-z]{1,6}`)
	rapid.Check(t, func(t *rapid.T) {
		doc := func(name string) map[string]any {
			return map[string]any{
				"scripts":      rapid.MapOf(rapid.SampledFrom([]string{"test", "lint", "unit", "pretest"}), word).Draw(t, name+" scripts"),
				"dependencies": rapid.MapOf(word, rapid.StringMatching(`\^[0-9]\.[0-9]`)).Draw(t, name+" dependencies"),
				"jest":         rapid.MapOf(word, word).Draw(t, name+" jest"),
			}
		}
		old, now := doc("old"), doc("now")
		blended, same := Blend("package.json", marshal(t, old), marshal(t, now))
		var got map[string]map[string]string
		if err := json.Unmarshal(blended, &got); err != nil {
			t.Fatalf("%v: %s", err, blended)
		}
		for name, line := range old["scripts"].(map[string]string) {
			if got["scripts"][name] != line {
				t.Errorf("script %s is %q, want %q (same: %v)", name, got["scripts"][name], line, same)
			}
		}
		for name, version := range now["dependencies"].(map[string]string) {
			if got["dependencies"][name] != version {
				t.Errorf("dependency %s is %q, want %q", name, got["dependencies"][name], version)
			}
		}
	})
}

func marshal(t *rapid.T, value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
