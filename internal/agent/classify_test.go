package agent

import (
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

// saying is a fault in all the fields that most agents have.
func saying(status int, kind, text string) fault {
	return fault{status: status, kind: kind, text: text}
}

func TestKindsOfFaults(t *testing.T) {
	tests := []struct {
		name  string
		fault fault
		want  loop.ErrorKind
	}{
		{"claude, key", saying(401, "authentication_failed", "Invalid API key · Fix external API key"), loop.ErrAuth},
		{"claude, signed out", saying(0, "", "Not logged in · Please run /login"), loop.ErrAuth},
		{"claude, money", saying(400, "billing_error", "Credit balance is too low"), loop.ErrBilling},
		{"claude, rate", saying(429, "rate_limit", "API Error: Request rejected (429) · This request would exceed your rate limit."), loop.ErrRateLimit},
		{"claude, plan", saying(429, "rate_limit", "You've hit your session limit · resets 3:24am (UTC)"), loop.ErrUsageLimit},
		{"claude, week", saying(0, "rate_limit", "You've hit your weekly limit · resets Nov 18, 9am (UTC)"), loop.ErrUsageLimit},
		{"claude, overloaded as a server error", saying(0, "server_error", "API Error: Repeated 529 Overloaded errors. The API is at capacity"), loop.ErrOverloaded},
		{"claude, lost connection as a server error", saying(0, "server_error", "API Error: Unable to connect to API (ECONNRESET)"), loop.ErrNetwork},
		{"claude, server", saying(500, "server_error", "API Error: 500 Internal server error."), loop.ErrServer},
		{"claude, context", saying(400, "prompt_too_long", "Prompt is too long · the request is ~250000 tokens"), loop.ErrContextOverflow},
		{"claude, turns", saying(0, "error_max_turns", "Reached maximum number of turns (3)"), loop.ErrMaxTurns},
		{"claude, budget", saying(0, "error_max_budget_usd", "Reached maximum budget ($0.001)"), loop.ErrAgentBudget},
		{"claude, refusal", saying(0, "refusal", "API Error: Claude Code is unable to respond to this request"), loop.ErrRefusal},
		{"claude, model", saying(404, "unknown", "There's an issue with the selected model (nope)."), loop.ErrModel},
		{"claude, anything", saying(400, "unknown", "API Error: 400 The request is not valid."), loop.ErrAgent},

		{"codex, plan", fault{text: "You’ve hit your usage limit. … purchase more credits or try again at 3:25 AM."}, loop.ErrUsageLimit},
		{"codex, money", fault{text: "Quota exceeded. Check your plan and billing details."}, loop.ErrBilling},
		{"codex, rate", fault{text: "exceeded retry limit, last status: 429 Too Many Requests"}, loop.ErrRateLimit},
		{"codex, key", fault{text: "unexpected status 401 Unauthorized: invalid x-api-key, url: http://x"}, loop.ErrAuth},
		{"codex, capacity", fault{text: "Selected model is at capacity. Please try a different model."}, loop.ErrOverloaded},
		{"codex, demand", fault{text: "We’re currently experiencing high demand, which may cause temporary errors."}, loop.ErrOverloaded},
		{"codex, stream", fault{text: "stream disconnected before completion: idle timeout waiting for SSE"}, loop.ErrNetwork},
		{"codex, model", fault{text: "unexpected status 404 Not Found: model: nope, url: http://x"}, loop.ErrModel},
		{"codex, model of another plan", fault{text: "The 'gpt-9' model is not supported when using Codex with a ChatGPT account."}, loop.ErrModel},

		{"OpenAI, money whatever the status", saying(429, "insufficient_quota", "You exceeded your current quota, please check your plan and billing details."), loop.ErrBilling},
		{"OpenAI, money in the text alone", saying(429, "", "You exceeded your current quota"), loop.ErrBilling},
		{"opencode, context", saying(0, "ContextOverflowError", ""), loop.ErrContextOverflow},
		{"gemini, turns", saying(0, "FatalTurnLimitedError", ""), loop.ErrMaxTurns},
		{"gemini, plan", saying(429, "", "You have exhausted your capacity on this model. Your quota will reset after 7h."), loop.ErrUsageLimit},
		{"pi and qwen, a status at the start", fault{text: "429 This request would be too much"}, loop.ErrRateLimit},
		{"pi and qwen, server", fault{text: "500 Oops"}, loop.ErrServer},
		{"qwen, cut", fault{text: "terminated (cause: other side closed)"}, loop.ErrNetwork},
		{"copilot, key", saying(401, "authentication", "Authentication failed with provider"), loop.ErrAuth},
		{"copilot, context", saying(0, "query", "The provider rejected the prompt as too long, but automatic recovery could not reduce it."), loop.ErrContextOverflow},
		{"copilot, server", saying(500, "query", "Failed to get response from the AI model; retried 5 times"), loop.ErrServer},

		{"a status alone", fault{status: 529}, loop.ErrOverloaded},
		{"a gateway", fault{status: 502}, loop.ErrServer},
		{"a status in the middle is a number like any other", fault{text: "wrote 500 lines"}, loop.ErrAgent},
		{"nothing", fault{}, loop.ErrAgent},
		{"a whole page", fault{text: strings.Repeat("x", 1<<20)}, loop.ErrAgent},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.fault.class(); got != tt.want {
				t.Errorf("%+v is %q, want %q", tt.fault, got, tt.want)
			}
		})
	}
}

// The tables are compared with text in lower case and plain apostrophes.
func TestPhrasesCanMatch(t *testing.T) {
	for _, p := range append(append([]phrase{}, tellingPhrases...), phrases...) {
		if normal(p.text) != p.text {
			t.Errorf("the phrase %q never matches", p.text)
		}
	}
	for _, words := range []map[string]loop.ErrorKind{exactWords, vagueWords} {
		for word := range words {
			if strings.ToLower(word) != word {
				t.Errorf("the word %q never matches", word)
			}
		}
	}
}
