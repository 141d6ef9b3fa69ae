package agent

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestAiderCommands(t *testing.T) {
	env := []string{
		"AIDER_ANALYTICS=false", "AIDER_CHECK_UPDATE=false", "AIDER_DETECT_URLS=false",
		"AIDER_FANCY_INPUT=false", "AIDER_PRETTY=false", "AIDER_SHOW_RELEASE_NOTES=false",
	}
	call := Call{HasPrompt: true, Prompt: "do it", PromptFile: "/run/prompt.md"}
	full := call
	full.Model = "sonnet"
	checkCommands(t, "aider", nil, []commandTest{
		{
			"the prompt comes in a file, by its own rules",
			Options{Permissions: "own"},
			call,
			Command{Argv: []string{"aider", "--message-file", "/run/prompt.md"}, Env: env},
		},
		{
			"with a model and a system file",
			Options{Permissions: "full", SystemFile: "AGENTS.md"},
			full,
			Command{
				Argv: []string{"aider", "--yes-always", "--model", "sonnet", "--read", "AGENTS.md", "--message-file", "/run/prompt.md"},
				Env:  env,
			},
		},
		{
			"edits do not commit",
			Options{Permissions: "edits"},
			call,
			Command{
				Argv: []string{"aider", "--yes-always", "--no-auto-commits", "--no-dirty-commits", "--message-file", "/run/prompt.md"},
				Env:  env,
			},
		},
	})
}

func TestAiderNeedsAPromptFile(t *testing.T) {
	a, err := New(Options{Name: "aider"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Command(Call{HasPrompt: true, Prompt: "do it"}); err == nil || !strings.Contains(err.Error(), "no file") {
		t.Errorf("Command without a file = %v, want an error", err)
	}
}

const (
	aiderAuth   = `litellm.AuthenticationError: AnthropicException - {"type":"error","error":{"type":"authentication_error"}}`
	aiderSlow   = `litellm.RateLimitError: OpenAIException - slow down`
	aiderAnswer = `Tokens: 2.4k sent, 130 received. Cost: $0.0091 message, $0.0091 session.`
)

func TestAiderEnds(t *testing.T) {
	tests := []struct {
		name  string
		code  int
		lines []string
		want  loop.ErrorKind // empty: ok
	}{
		{"well", 0, []string{"Hi.", aiderAnswer}, ""},
		{"with an error, though it exits 0", 0, []string{aiderAuth}, loop.ErrAuth},
		{"after an error that it got over", 0, []string{aiderSlow, "Retrying in 0.2 seconds...", "Hi.", aiderAnswer}, ""},
		{"with an error after an answer", 0, []string{aiderAnswer, aiderSlow}, loop.ErrRateLimit},
		{"with a full context", 0, []string{"Model gpt-5 has hit a token limit!"}, loop.ErrContextOverflow},
		{"with an exit status", 1, []string{"Hi.", aiderAnswer}, loop.ErrAgent},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, got := decodeLines("aider", exitOf(tt.code, false), tt.lines...); kindOf(got) != tt.want {
				t.Errorf("%q end with %+v, want kind %q", tt.lines, got, tt.want)
			}
		})
	}
}

func TestAiderLines(t *testing.T) {
	tests := []struct {
		name  string
		lines []string
		want  []loop.Payload
	}{
		{"what it says is text", []string{"Hi.", ""}, []loop.Payload{&loop.AgentText{Text: "Hi."}, &loop.AgentText{}}},
		{
			"an error is not",
			[]string{aiderSlow},
			[]loop.Payload{
				&loop.AgentToolResult{Name: "output", Output: aiderSlow},
				&loop.AgentLimit{Limit: loop.Limit{Kind: "rate_limit"}},
			},
		},
		{
			"it tries again",
			[]string{aiderSlow, "Retrying in 0.5 seconds...", aiderAnswer},
			[]loop.Payload{
				&loop.AgentToolResult{Name: "output", Output: aiderSlow},
				&loop.AgentRetry{Try: 1, After: 5e8, Error: &loop.AgentError{Kind: loop.ErrRateLimit, Message: aiderSlow}},
				&loop.AgentUsage{Usage: loop.Usage{Input: 2400, Output: 130, CostUSD: 0.0091, Turns: 1}},
			},
		},
		{
			"tokens add up, the cost is already a sum",
			[]string{
				"Tokens: 12k sent, 1.5k cache write, 9.5k cache hit, 950 received. Cost: $0.02 message, $0.02 session.",
				"Tokens: 500 sent, 50 received. Cost: $0.01 message, $0.03 session.",
			},
			[]loop.Payload{
				&loop.AgentUsage{Usage: loop.Usage{Input: 1000, Output: 950, CacheRead: 9500, CacheWrite: 1500, CostUSD: 0.02, Turns: 1}},
				&loop.AgentUsage{Usage: loop.Usage{Input: 1500, Output: 1000, CacheRead: 9500, CacheWrite: 1500, CostUSD: 0.03, Turns: 2}},
			},
		},
		{
			"tokens without a price",
			[]string{"Tokens: 500 sent, 50 received."},
			[]loop.Payload{&loop.AgentUsage{Usage: loop.Usage{Input: 500, Output: 50, Turns: 1}}},
		},
		{
			"a sentence about tokens is text",
			[]string{"Tokens: none."},
			[]loop.Payload{&loop.AgentText{Text: "Tokens: none."}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _ := decodeLines("aider", exitOf(0, false), tt.lines...)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%q (-want +got):\n%s", tt.lines, diff)
			}
		})
	}
}
