package agent

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestSameModel(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"claude-sonnet-4-5", "claude-sonnet-4-5-20250929", true},
		{"anthropic/claude-sonnet-4.5", "claude-sonnet-4-5", true},
		{"claude-opus-4-8[1m]", "claude-opus-4-8", true},
		{"us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5", true},
		{"claude-sonnet-4-5@20250929", "claude-sonnet-4-5", true},
		{"gpt-5", "gpt-5-2025-08-07", true},
		{"gemini-2.5-pro", "gemini-2.5-pro-preview-05-06", true},
		{"models/gemini-flash-latest", "gemini-flash", true},
		{"openrouter/z-ai/glm-4.5:free", "glm-4.5", true},
		{"gpt-5", "gpt-5-mini", false},
		{"claude-sonnet-4", "claude-sonnet-4-5", false},
		{"claude-opus-4-8", "claude-haiku-4-5-20251001", false},
		{"fake-model", "other-model-2", false},
	} {
		if got := sameModel(tt.a, tt.b); got != tt.want || sameModel(tt.b, tt.a) != tt.want {
			t.Errorf("sameModel(%q, %q) = %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestMeant(t *testing.T) {
	for _, tt := range []struct {
		asked, named string
		want         bool
	}{
		{"claude-sonnet-4-5", "claude-sonnet-4-5-20250929", true},
		{"sonnet", "claude-sonnet-4-5-20250929", true},
		{"opus[1m]", "claude-opus-4-8[1m]", true},
		{"opus", "claude-sonnet-4-5-20250929", false},
		{"opusplan", "claude-sonnet-4-5-20250929", true},
		{"pro", "gemini-2.5-flash", false},
		{"mine", "qwen3-coder", true},
		{"custom:fake-0", "custom:fake-0", true},
		{"gpt-5.1", "gpt-5", false},
		{"openrouter/qwen/qwen3-coder", "qwen3-coder", true},
		{"qwen3-max", "qwen3-coder", false},
	} {
		if got := Meant(tt.asked, tt.named); got != tt.want {
			t.Errorf("Meant(%q, %q) = %v, want %v", tt.asked, tt.named, got, tt.want)
		}
	}
}

// The model that answered, where the stream tells it.
func TestAnotherModelAnswers(t *testing.T) {
	want := map[string]string{
		"claude/2.1.325-other-model": "claude-haiku-4-5-20251001",
		"gemini/other-model":         "other-model-2",
		"pi/0.87-other-model":        "other-model-2",
		"qwen/0.24-other-model":      "other-model-2",
	}
	got := map[string]string{}
	for _, r := range recordings(t) {
		var told []string
		for _, p := range r.decode() {
			if s, ok := p.(*loop.AgentSession); ok && s.Model != "" {
				told = append(told, s.Model)
			}
		}
		if len(told) > 1 {
			got[r.name] = told[len(told)-1]
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("streams with a second model, and which (-want +got):\n%s", diff)
	}
}
