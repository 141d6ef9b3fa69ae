package agent

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestAnUntrustedRepository(t *testing.T) {
	tree := `/src/a "b"`
	for name, want := range map[string]string{
		"claude":  "--setting-sources user --strict-mcp-config",
		"codex":   `-c projects={"/src/a \"b\""={trust_level="untrusted"}}`,
		"copilot": "",
	} {
		for _, session := range []string{"", "s1"} {
			call := Call{HasPrompt: true, Prompt: "x", Session: session}
			trusted, untrusted := calledAs(t, Options{Name: name}, call), calledAs(t, Options{Name: name, Untrusted: []string{tree}}, call)
			if strings.Contains(trusted, want) && want != "" || !strings.Contains(untrusted, want) {
				t.Errorf("%s is called as\n%s\nand in an untrusted repository as\n%s\nwant %q in the second only", name, trusted, untrusted, want)
			}
		}
	}
	cmd := madeCommand(t, Options{Name: "copilot", Untrusted: []string{tree}}, Call{})
	if !slices.Contains(cmd.Unset, "COPILOT_ALLOW_ALL") {
		t.Errorf("copilot keeps the variable that trusts every folder: it is called without %q", cmd.Unset)
	}
}

func madeCommand(t *testing.T, o Options, c Call) Command {
	t.Helper()
	a, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	cmd, err := a.Command(c)
	if err != nil {
		t.Fatal(err)
	}
	return cmd
}

func calledAs(t *testing.T, o Options, c Call) string {
	t.Helper()
	return strings.Join(madeCommand(t, o, c).Argv, " ")
}

func TestAFolderThatCannotBeNamedIsNoReasonToTrustIt(t *testing.T) {
	a, err := New(Options{Name: "codex", Untrusted: []string{"/src/\xff"}})
	if err != nil {
		t.Fatal(err)
	}
	if cmd, err := a.Command(Call{HasPrompt: true, Prompt: "x"}); err == nil {
		t.Errorf("codex is called as %q", cmd.Argv)
	}
}

func TestAgentsThatCannotBeToldAreRefused(t *testing.T) {
	for _, name := range []string{"aider", "cline", "crush", "droid", "gemini", "opencode", "pi", "qwen"} {
		var cannot *IgnoreError
		if _, err := New(Options{Name: name, Untrusted: []string{"/src"}}); !errors.As(err, &cannot) {
			t.Errorf("%s is made (%v)", name, err)
		}
		if _, err := New(Options{Name: name}); err != nil {
			t.Errorf("%s in a repository that is trusted: %v", name, err)
		}
		// A command of the user's own is the user's word.
		if _, err := New(Options{Name: name, Command: []string{"x"}, Untrusted: []string{"/src"}}); err != nil {
			t.Errorf("a command in the place of %s: %v", name, err)
		}
	}
	if got, want := Ignores(), []string{"claude", "codex", "copilot", "grok", "kimi"}; !slices.Equal(got, want) {
		t.Errorf("Ignores() = %q, want %q", got, want)
	}
}
