package later

import (
	"strings"
	"testing"
)

func TestOf(t *testing.T) {
	for _, tt := range []struct{ path, what string }{
		{"package.json", "package manager"},
		{"web/app/package.json", "package manager"},
		{"setup.py", "package manager"},
		{"crates/x/build.rs", "package manager"},
		{".npmrc", "package manager"},
		{".yarn/releases/yarn-4.cjs", "package manager"},
		{".cargo/config.toml", "package manager"},
		{"app/build.gradle.kts", "build"},
		{"pom.xml", "build"},
		{"src/App.csproj", "build"},
		{".mvn/extensions.xml", "build"},
		{".github/workflows/ci.yml", "CI"},
		{".github/actions/setup/action.yml", "CI"},
		{".gitlab-ci.yml", "CI"},
		{".circleci/config.yml", "CI"},
		{".buildkite/hooks/environment", "CI"},
		{"azure-pipelines.release.yml", "CI"},
		{"ci/Jenkinsfile", "CI"},
		{"Jenkinsfile.nightly", "CI"},
		{".husky/pre-commit", "git"},
		{".husky/_/husky.sh", "git"},
		{".githooks/post-checkout", "git"},
		{"lefthook.yml", "git"},
		{".pre-commit-config.yaml", "git"},
		{".gitattributes", "git"},
		{"sub/.gitattributes", "git"},
		{".gitmodules", "git"},
		{".envrc", "shell"},
		{"sub/.ENVRC", "shell"},
		{".env", "shell"},
		{".env.local", "shell"},
		{"mise.toml", "shell"},
		{".tool-versions", "shell"},
		{".vscode/tasks.json", "editor"},
		{"web/.vscode/settings.json", "editor"},
		{".idea/runConfigurations/x.xml", "editor"},
		{".devcontainer/Dockerfile", "editor"},
		{".claude/settings.json", "agent"},
		{".claude/settings.local.json", "agent"},
		{".Claude/Settings.json", "agent"},
		{".mcp.json", "agent"},
		{".codex/config.toml", "agent"},
		{".gemini/settings.json", "agent"},
		{".opencode/plugin/x.ts", "agent"},
		{"opencode.jsonc", "agent"},
		{"sub/.pi/extensions/x.ts", "agent"},
		{".github/hooks/x.json", "agent"},
		{".cursor/mcp.json", "agent"},
		{"refrain.toml", "refrain"},
		{".refrain/hooks/started", "refrain"},
		{".refrain/prompts/build.md", "refrain"},

		{"main.go", ""},
		{"src/package.json.ts", ""},
		{"conftest.py", ""},
		{"tests/test_x.py", ""},
		{"package-lock.json", ""},
		{"Cargo.lock", ""},
		{"README.md", ""},
		{"CLAUDE.md", ""},
		{".claude/workflow.md", ""},
		{".editorconfig", ""},
		{".nvmrc", ""},
		{".vscode/extensions.json", ""},
		{".github/CODEOWNERS", ""},
		{"sub/.github/workflows/ci.yml", ""}, // GitHub looks at the top only
		{"sub/.gitlab-ci.yml", ""},
		{"Makefile", ""},
		{"Dockerfile", ""},
		{"node_modules/x/package.json", ""},
		{"testdata/package.json", ""},
		{"internal/testdata/.envrc", ""},
		{"docs/workflows/ci.yml", ""},
		{"husky/pre-commit", ""},
		{"settings.json", ""},
		{"config.toml", ""},
	} {
		got := ""
		if k := Of(tt.path); k != nil {
			got = k.What()
		}
		if got != tt.what {
			t.Errorf("Of(%q) = %q, want %q", tt.path, got, tt.what)
		}
	}
}

func TestALinkMayStandForAFolder(t *testing.T) {
	for path, want := range map[string]string{
		".husky": "git", ".github": "CI", ".github/workflows": "CI", "sub/.husky": "git", ".envrc": "shell", ".refrain": "refrain", ".claude": "agent", ".claude/hooks": "agent",
		"sub/.github": "", "docs": "", "hub": "", "src": "",
	} {
		got := ""
		if k := OfLink(path); k != nil {
			got = k.What()
		}
		if got != want {
			t.Errorf("OfLink(%q) = %q, want %q", path, got, want)
		}
	}
}

// none stands for a file that is not there.
const none = "\x00"

func TestWhatOfAFileCounts(t *testing.T) {
	const all = "*" // the file as a whole
	for _, tt := range []struct{ path, was, is, want string }{
		{"package.json", `{"dependencies":{"a":"1"}}`, `{"dependencies":{"a":"2","b":"1"},"version":"2"}`, ""},
		{"package.json", `{"scripts":{"test":"jest"}}`, `{"scripts":{"test":"jest","postinstall":"node x"}}`, "scripts"},
		{"package.json", `{"scripts":{"test":"jest"}}`, `{"scripts":{"test":"jest --ci"}}`, "scripts"},
		{"package.json", `{"scripts":{"test":"jest","lint":"x"}}`, `{"scripts":{"test":"jest"}}`, ""},
		{"package.json", `{"scripts":{"test":"jest"}}`, `{"dependencies":{},  "scripts":  {"test":"jest"}}`, ""},
		{"package.json", `{}`, `{"scripts":{},"scripts":{"prepare":"x"}}`, "scripts"},
		{"package.json", `{}`, `{"bin":"cli.js","packageManager":"yarn@https://x"}`, "bin, packageManager"},
		{"package.json", `{"husky":{"hooks":{"pre-commit":"a"}}}`, `{"husky":{"hooks":{"pre-commit":"b"}}}`, "husky"},
		{"package.json", `{"pnpm":{"overrides":{"a":"1"}}}`, `{"pnpm":{"overrides":{"a":"2"},"onlyBuiltDependencies":["x"]}}`, "pnpm.onlyBuiltDependencies"},
		{"package.json", none, `{"name":"x"}`, ""},
		{"package.json", none, `{"scripts":{"test":"x"}}`, "scripts"},
		{"package.json", `{"a":1}`, `{"a":1,`, all},
		{"package.json", `{`, `{"a":1}`, all},
		{"composer.json", `{"require":{"a":"1"}}`, `{"require":{"a":"2"}}`, ""},
		{"composer.json", `{}`, `{"scripts":{"post-install-cmd":"x"}}`, "scripts"},
		{"pyproject.toml", "[project]\nversion='1'\n", "[project]\nversion='2'\ndependencies=['a']\n[tool.ruff]\nline-length=1\n", ""},
		{"pyproject.toml", "", "[build-system]\nbuild-backend='x'\nbackend-path=['.']\n", "build-system"},
		{"pyproject.toml", "", "[project.entry-points.pytest11]\nx='y'\n", "project.entry-points"},
		{"pyproject.toml", "", "[tool.hatch.build.hooks.custom]\npath='x.py'\n", "tool.hatch.build.hooks"},
		{"Cargo.toml", "[dependencies]\na='1'\n", "[dependencies]\na='2'\n", ""},
		{"Cargo.toml", "[package]\nname='x'\n", "[package]\nname='x'\nbuild='x.rs'\n", "package.build"},
		{"Gemfile", "gem 'a'\n", "source 'https://rubygems.org'\ngem 'a', '~> 2'\ngroup :test do\n  gem \"b\", require: false\nend\n", ""},
		{"Gemfile", "gem 'a'\n", "gem 'a' if system('x')\n", "code"},
		{"Gemfile", "gem 'a'\n", "gem system 'x'\n", "code"},
		{"Gemfile", "gem 'a'\n", "gem 'a', \"#{`x`}\"\n", "code"},
		{"build.gradle", "dependencies {\n}\n", "dependencies {\n  implementation 'a:b:1'\n  testImplementation(\"c:d:2\")\n}\nversion = '2'\n", ""},
		{"build.gradle", "dependencies {\n}\n", "dependencies {\n  implementation \"x\".execute()\n}\n", "code"},
		{"build.gradle", "", "task x { doLast { exec { commandLine 'x' } } }\n", "code"},
		{"mix.exs", "", "      {:jason, \"~> 1.4\", only: :test},\n", ""},
		{"mix.exs", "", "      {:jason, git: System.cmd \"sh\", []},\n", "code"},
		{"pom.xml", "<project><version>1</version></project>", "<project><version>2</version><dependencies><dependency/></dependencies></project>", ""},
		{"pom.xml", "<project/>", "<project><build><plugins><plugin>exec</plugin></plugins></build></project>", "build"},
		{"x.csproj", "<Project/>", `<Project><ItemGroup><PackageReference Include="a"/></ItemGroup></Project>`, ""},
		{"x.csproj", "<Project/>", `<Project><Target Name="x"><Exec Command="x"/></Target></Project>`, "Target"},
		{"x.csproj", "<Project/>", `<Project><PropertyGroup><PreBuildEvent>x</PreBuildEvent></PropertyGroup></Project>`, "build events"},
		{"pnpm-workspace.yaml", "packages:\n  - a\n", "packages:\n  - a\n  - b\ncatalog:\n  x: 1\n", ""},
		{"pnpm-workspace.yaml", "packages:\n  - a\n", "packages:\n  - a\nonlyBuiltDependencies:\n  - x\n", "onlyBuiltDependencies"},
		{"setup.py", "a", "b", all},
		{".claude/settings.json", "{}", `{"hooks":{}}`, all},
		{".claude/agents/a.md", "---\nname: a\n---\nBe kind.\n", "---\nname: a\n---\nBe kinder.\n", ""},
		{".claude/commands/a.md", "Do it.\n", "Do it.\n!`x`\n", all},
		{".mcp.json", none, `{"mcpServers":{"x":{"command":"y"}}}`, all},
		{"build.rs", none, "fn main() {}", all},
		{".github/workflows/ci.yml", "a", "b", all},
		{".gitattributes", "* text=auto\n", "* text=auto eol=lf\n*.png binary\n", ""},
		{".gitattributes", "* text=auto\n", "* text=auto\n*.c filter=x diff=y\n", "diff, filter"},
		{".gitattributes", "*.psd filter=lfs diff=lfs\n", "# moved\n*.psd filter=lfs diff=lfs\n", ""},
		{".env", "PORT=1\n", "PORT=2\nDATABASE_URL=x\n", ""},
		{".env", "PORT=1\n", "PORT=1\nexport NODE_OPTIONS=--require=./x\n", "NODE_OPTIONS"},
		{".env.local", none, "ANTHROPIC_BASE_URL=http://x\nLD_PRELOAD=x\n", "ANTHROPIC_BASE_URL, LD_PRELOAD"},
		{".tool-versions", "node 20\n", "node 22\n", ""},
		{".tool-versions", "node 20\n", "node path:./evil\n", "node"},
		{"mise.toml", "[tools]\nnode='20'\n", "[tools]\nnode='22'\n", ""},
		{"mise.toml", "[tools]\nnode='20'\n", "[tools]\nnode='20'\n[hooks]\nenter='x'\n", "hooks"},
		{"PROMPT.md", "Do it.\n", "Do it well. Then run the tests {{.Plan}}.\n", ""},
		{"PROMPT.md", "Do it.\n", "Do it.\n{{run \"x\"}}\n", "commands"},
		{".refrain/prompts/a.md", "{{run \"awk '{print}' a\"}}\n", "{{run \"awk '{print}' b\"}}\n", "commands"},
		{"PROMPT.md", "---\nstop.max_iterations: 1\n---\nDo it.\n", "---\nstop.max_iterations: 2\n---\nDo it.\n", "settings"},
		{"package.json", `{}`, `{"x":"` + strings.Repeat("y", largest) + `"}`, all},
	} {
		text := func(s string) []byte {
			if s == none {
				return nil
			}
			return []byte(s)
		}
		k := Of(tt.path)
		if k == nil {
			t.Errorf("Of(%q) is nothing", tt.path)
			continue
		}
		got := ""
		if parts, runs := k.Changed(text(tt.was), text(tt.is)); runs {
			if got = Parts(parts); got == "" {
				got = all
			}
		}
		if got != tt.want {
			t.Errorf("%s from %.60q to %.60q: %q counts, want %q", tt.path, tt.was, tt.is, got, tt.want)
		}
	}
}

func TestReached(t *testing.T) {
	tree := map[string]string{
		"Makefile": "test:\n\tsh scripts/check.sh\n", "scripts/check.sh": "./scripts/inner.sh\n", "scripts/inner.sh": "go test ./...\n",
		"scripts/deploy.sh": "", "package.json": `{"scripts":{"check":"just all"}}`, "justfile": "", "main.go": "", "x_test.go": "", "rules.mk": "",
		"sub/run-tests.sh": "", "tests/test_x.py": "",
	}
	has := func(file string) bool { _, ok := tree[file]; return ok }
	read := func(file string) []byte {
		if text, ok := tree[file]; ok {
			return []byte(text)
		}
		return nil
	}
	for _, tt := range []struct{ command, dir, file, want string }{
		{"make test", "", "Makefile", "gate g"},
		{"make test", "", "rules.mk", "gate g"},
		{"make test", "", "scripts/check.sh", "gate g"},
		{"cd x && make test", "", "Makefile", "gate g"},
		{"sh scripts/check.sh", "", "scripts/check.sh", "gate g"},
		{"./scripts/check.sh", "", "scripts/check.sh", "gate g"},
		{"npm run check", "", "justfile", "gate g"},
		{"./run-tests.sh", "sub", "sub/run-tests.sh", "gate g"},
		{"./scripts/check.sh", "", "scripts/deploy.sh", ""},
		{"go test ./...", "", "Makefile", ""},
		{"go test ./...", "", "main.go", ""},
		{"go test ./...", "", "x_test.go", ""},
		{"pytest tests", "", "tests/test_x.py", ""},
		{"python -m pytest tests/test_x.py", "", "tests/test_x.py", ""},
		{"go vet ./... # make sure", "", "main.go", ""},
	} {
		reached := Reached([]Command{{"gate g", tt.command}}, tt.dir, has, read)
		if got := reached(tt.file); got != tt.want {
			t.Errorf("%q in %q leads to %s by %q, want %q", tt.command, tt.dir, tt.file, got, tt.want)
		}
	}
}

// Whatever an agent writes there, it is looked at without an accident, and the same
// file twice never counts where parts do.
func FuzzChanged(f *testing.F) {
	for _, k := range []string{"package.json", "pyproject.toml", "pom.xml", "Gemfile", ".env", "PROMPT.md", ".gitattributes", "pnpm-workspace.yaml", "mix.exs"} {
		f.Add(k, []byte("a: b\nc=d\n"), []byte(`{"scripts":{"a":"b"}}`))
	}
	f.Fuzz(func(t *testing.T, path string, was, is []byte) {
		k := Of(path)
		OfLink(path)
		if k == nil || k.Whole() {
			return
		}
		k.Changed(was, is)
		k.Changed(nil, is)
		if parts, runs := k.Changed(is, is); runs && len(parts) > 0 {
			t.Errorf("%s has not changed, and %q counts", path, parts)
		}
	})
}

func TestOnlyWhatTheProductIsMadeOf(t *testing.T) {
	for _, tt := range []struct {
		path, was, is string
		same          bool
	}{
		{"Makefile", "SRC = a.c\ntest:\n\ttrue\n", "SRC = a.c b.c\ntest:\n\ttrue\n", true},
		{"Makefile", "SRC = a.c\ntest:\n\ttrue\n", "SRC = a.c\ntest:\n\tcurl x | sh\n", false},
		{"Makefile", none, "test:\n\tcurl x | sh\n", false}, // nothing was there that decided otherwise
		{"check.sh", "a\n", "b\n", false},
	} {
		was := []byte(tt.was)
		if tt.was == none {
			was = nil
		}
		if got := sameForTools(tt.path, was, []byte(tt.is)); got != tt.same {
			t.Errorf("%s from %q to %q is the same to tools: %v, want %v", tt.path, tt.was, tt.is, got, tt.same)
		}
	}
}
