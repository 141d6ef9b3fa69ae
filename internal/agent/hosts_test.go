package agent

import (
	"slices"
	"strings"
	"testing"
)

func TestHosts(t *testing.T) {
	tests := []struct {
		why, name string
		env       []string
		want      string // hosts that are there beside the agent's own
	}{
		{"its own", "claude", nil, ""},
		{"where it is sent to", "claude", []string{"ANTHROPIC_BASE_URL=https://llm.corp.example/anthropic"}, "llm.corp.example"},
		{"on another port", "claude", []string{"ANTHROPIC_BASE_URL=http://LLM.corp.example:4000/"}, "llm.corp.example:4000"},
		{"on this machine", "claude", []string{"ANTHROPIC_BASE_URL=http://localhost:4000"}, "localhost:4000"},
		{"on this machine, on the usual port", "claude", []string{"ANTHROPIC_BASE_URL=http://127.0.0.1/v1"}, "127.0.0.1:80"},
		{"in IPv6", "claude", []string{"ANTHROPIC_BASE_URL=http://[::1]:4000"}, "[::1]:4000"},
		{"by an address", "claude", []string{"ANTHROPIC_BASE_URL=https://10.1.2.3"}, "10.1.2.3"},
		{"with a user, who is nobody's business", "claude", []string{"ANTHROPIC_BASE_URL=https://me:secret@llm.example"}, "llm.example"},
		{"the usual port is none", "claude", []string{"ANTHROPIC_BASE_URL=https://llm.example:443"}, "llm.example"},
		{"another's base is not its own", "claude", []string{"OPENAI_BASE_URL=https://llm.example"}, ""},
		{"nothing", "claude", []string{"ANTHROPIC_BASE_URL="}, ""},
		{"not an address", "claude", []string{"ANTHROPIC_BASE_URL=https://", "ANTHROPIC_BEDROCK_BASE_URL=::", "ANTHROPIC_VERTEX_BASE_URL=file:///etc"}, ""},
		{"without a scheme", "aider", []string{"OLLAMA_HOST=127.0.0.1:11434"}, "127.0.0.1:11434"},
		{"who sells to whoever has a key", "opencode", []string{"OPENROUTER_API_KEY=k", "GROQ_API_KEY="}, "openrouter.ai"},
		{"codex by the old way", "codex", []string{"OPENAI_BASE_URL=https://eu.api.openai.com/v1"}, "eu.api.openai.com"},
		{"copilot with a provider of one's own", "copilot", []string{"COPILOT_PROVIDER_BASE_URL=http://localhost:1234/v1"}, "localhost:1234"},
		{"gemini", "gemini", []string{"GOOGLE_GEMINI_BASE_URL=https://llm.example"}, "llm.example"},
		{"qwen", "qwen", []string{"OPENAI_BASE_URL=https://llm.example", "OPENAI_API_KEY=k"}, "api.openai.com llm.example"},
		{"a program of one's own", "mine", []string{"OPENAI_API_KEY=k", "OPENAI_BASE_URL=https://llm.example"}, ""},
		{"the rehearsal", "rehearsal", []string{"OPENAI_API_KEY=k"}, ""},
	}
	for _, tt := range tests {
		got := Hosts(tt.name, tt.env)
		want := slices.Sorted(slices.Values(append(strings.Fields(tt.want), TraitsOf(tt.name).Hosts...)))
		if !slices.Equal(got, want) {
			t.Errorf("%s: Hosts(%s, %q) = %q, want %q", tt.why, tt.name, tt.env, got, want)
		}
	}
}

// Who has one provider has hosts of its own, and who has any has their keys.
func TestWhoHasHosts(t *testing.T) {
	for _, name := range BuiltIn() {
		traits := TraitsOf(name)
		if name == "rehearsal" {
			continue
		}
		if len(traits.Hosts) == 0 && name != "aider" && name != "pi" {
			t.Errorf("%s reaches nobody", name)
		}
		if len(traits.Bases) == 0 {
			t.Errorf("%s can not be sent elsewhere", name)
		}
	}
	for key := range sellers {
		if !slices.Contains(Secrets(), key) {
			t.Errorf("%s is for a host, and no agent buys with it", key)
		}
	}
}
