package cli

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/scaffold"
)

func TestAsk(t *testing.T) {
	tests := []struct {
		name, typed  string
		agent, tests string // what was answered
		told         string // on the way; "" is nothing in particular
		ok           bool
	}{
		{"empty lines take what is offered", "\n\n", "claude", "go test", "[claude] ", true},
		{"a choice by its name, any text elsewhere", "Codex\n make check \n", "codex", "make check", "", true},
		{"a wrong choice is asked for again", "gpt\ncodex\n\n", "codex", "go test", `"gpt" is none of them.`, true},
		{"no answer at all", "codex\n", "codex", "", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var agent, tests string
			var out strings.Builder
			err := ask(strings.NewReader(tt.typed), &out, []scaffold.Question{
				{Text: "Which agent?", Choices: []string{"claude", "codex"}, Default: "claude", Answer: &agent},
				{Text: "Which tests?", Default: "go test", Answer: &tests},
			})
			if agent != tt.agent || tests != tt.tests || (err == nil) != tt.ok {
				t.Errorf("answered %q and %q, %v, want %q and %q, well: %v", agent, tests, err, tt.agent, tt.tests, tt.ok)
			}
			if !strings.Contains(out.String(), tt.told) {
				t.Errorf("it said %q, want %q in it", out.String(), tt.told)
			}
		})
	}
}

// What init says fits the screen, whatever it has found.
func TestInitFits(t *testing.T) {
	root := t.TempDir()
	print := func(width int) string {
		t.Helper()
		dir := filepath.Join(root, "repository")
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		for name, content := range map[string]string{
			"services/accounts/go.mod": "module x\n", "services/accounts/a_test.go": "package x\n",
			"packages/website/package.json":      `{"scripts":{"test":"vitest run","lint":"eslint . --max-warnings 0"},"devDependencies":{"typescript":"5"}}`,
			"packages/website/package-lock.json": "{}", "packages/website/tsconfig.json": "{}",
			"services/mails/pyproject.toml": "[tool.mypy]\n[tool.pytest.ini_options]\n[tool.ruff]\n", "services/mails/uv.lock": "", "services/mails/test_a.py": "",
			"AGENTS.md": "",
		} {
			path := filepath.Join(dir, filepath.FromSlash(name))
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		var out bytes.Buffer
		sh := &shell{console: console{in: strings.NewReader(""), out: &out, err: io.Discard, wide: width}}
		cmd := newRoot(sh)
		cmd.SetArgs([]string{"-C", dir, "init", "--yes", "--agent", "claude", "Add a command that writes every account into a file of its own"})
		if err := cmd.ExecuteContext(t.Context()); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	whole := print(0)
	for _, want := range []string{"packages-website-types", "in services/mails", "Next: refrain plan\n"} {
		if !strings.Contains(whole, want) {
			t.Errorf("%q is missing in\n%s", want, whole)
		}
	}
	for _, width := range widths {
		looksWell(t, "refrain init", print(width), whole, width)
	}
}
