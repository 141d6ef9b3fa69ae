package agent

import (
	"slices"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/price"
)

func TestTells(t *testing.T) {
	tests := []struct {
		name, format, model string
		prices              []price.Price
		tokens, cost        bool
	}{
		{"claude", "", "", nil, true, true},
		{"codex", "", "gpt-5-codex", nil, true, true},
		{"codex", "", "a-model-without-a-price", nil, true, false},
		{"codex", "", "a-model-of-mine", []price.Price{{Model: "a-model", Input: 1}}, true, true},
		{"codex", "", "a-model-that-is-free", []price.Price{{Model: "a-model"}}, true, true},
		{"codex", "", "", []price.Price{{Model: "a-model"}}, true, false},
		{"copilot", "", "a-model", []price.Price{{Model: "a-model"}}, false, false}, // it tells no tokens
		{"copilot", "", "", nil, false, false},
		{"rehearsal", "", "", nil, true, true},
		{"mine", "", "", nil, false, false},
		{"mine", "claude", "", nil, true, true},
		{"mine", "text", "", nil, false, false},
		{"mine", "rehearsal", "", nil, true, true},
	}
	for _, tt := range tests {
		if tokens, cost := Tells(tt.name, tt.format, tt.model, tt.prices...); tokens != tt.tokens || cost != tt.cost {
			t.Errorf("Tells(%q, %q, %q) = %v, %v, want %v, %v", tt.name, tt.format, tt.model, tokens, cost, tt.tokens, tt.cost)
		}
	}
}

func TestProgram(t *testing.T) {
	for _, name := range Names() {
		program := Program(name)
		if known := program != ""; known != (KnowsCommand(name) && name != "rehearsal") {
			t.Errorf("Program(%q) = %q", name, program)
		}
	}
}

// Whoever can continue a session says so, and is told which.
func TestWhoKeepsSessions(t *testing.T) {
	for _, name := range Names() {
		a, err := New(Options{Name: name, Command: commandOf(name), Script: "s.toml", Self: []string{"refrain"}})
		if err != nil {
			t.Fatal(err)
		}
		cmd, err := a.Command(Call{HasPrompt: true, Prompt: "do it", PromptFile: "p.md", Session: "the-session"})
		if err != nil {
			t.Fatal(err)
		}
		told := strings.Contains(strings.Join(append(cmd.Argv, cmd.Env...), "\n"), "the-session")
		forgets := []string{"aider", "cline", "command", "crush", "droid"}
		if keeps := Keeps(name, ""); keeps != told || keeps == slices.Contains(forgets, name) {
			t.Errorf("Keeps(%q) = %v, and its command is %+v", name, keeps, cmd)
		}
	}
	if !Keeps("command", "--resume") || Keeps("mine", "") {
		t.Error("a command keeps a session if it has a flag for it, and only then")
	}
}

// commandOf is a command for the back end that has none of its own.
func commandOf(name string) []string {
	if KnowsCommand(name) {
		return nil
	}
	return []string{"true"}
}

func TestSecretsHoldWhatAnAgentBills(t *testing.T) {
	all := Secrets()
	for _, name := range BuiltIn() {
		traits := TraitsOf(name)
		for _, key := range traits.Keys {
			if !slices.Contains(traits.Secrets, key) {
				t.Errorf("%s bills %s, and it is none of its secrets", name, key)
			}
		}
		if len(traits.Secrets) == 0 && name != "rehearsal" {
			t.Errorf("%s buys with nothing", name)
		}
	}
	if !slices.IsSorted(all) || !slices.Contains(all, "CLAUDE_CODE_OAUTH_TOKEN") || !slices.Contains(all, "OPENAI_API_KEY") || slices.Contains(all, "GITHUB_TOKEN") {
		t.Errorf("Secrets() = %q", all)
	}
}
