package agent

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
)

// fault is what an agent says went wrong, in the fields that it has for it.
type fault struct {
	status int    // of HTTP; 0 is unknown
	kind   string // the agent's or the provider's own word
	text   string // for people
	detail string // what came with it: the provider's answer, headers
}

// err is the fault in the common words.
func (f fault) err() *loop.AgentError {
	return &loop.AgentError{Kind: f.class(), Message: strings.TrimSpace(f.text)}
}

// class finds the kind of a fault: by a word that can be trusted, then by what
// only the text tells of a status that can mean many things (429 is a rate
// limit, a plan that is used up, or no money), then by the status, by a vaguer
// word (claude's "server_error" is also 529 and a lost connection), and last by
// the text.
func (f fault) class() loop.ErrorKind {
	word := strings.ToLower(f.kind)
	if kind := exactWords[word]; kind != "" {
		return kind
	}
	text := normal(f.text + "\n" + f.detail)
	if kind := firstPhrase(tellingPhrases, text); kind != "" {
		return kind
	}
	status := f.status
	if status == 0 {
		status = statusIn(text)
	}
	if kind := kindOfStatus(status); kind != "" {
		return kind
	}
	return cmp.Or(vagueWords[word], firstPhrase(phrases, text), loop.ErrAgent)
}

// exactWords can be trusted as they are.
var exactWords = map[string]loop.ErrorKind{
	"authentication":           loop.ErrAuth, // copilot
	"authentication_error":     loop.ErrAuth, // Anthropic
	"authentication_failed":    loop.ErrAuth, // claude
	"oauth_org_not_allowed":    loop.ErrAuth, // claude
	"providerautherror":        loop.ErrAuth, // opencode
	"invalid_api_key":          loop.ErrAuth, // OpenAI
	"authenticationerror":      loop.ErrAuth, // aider
	"fatalauthenticationerror": loop.ErrAuth, // gemini

	"billing_error":         loop.ErrBilling, // claude, Anthropic
	"insufficient_quota":    loop.ErrBilling, // OpenAI
	"quota":                 loop.ErrBilling, // copilot
	"usage_not_included":    loop.ErrBilling, // codex: the plan has none
	"billing_not_active":    loop.ErrBilling, // OpenAI
	"account_deactivated":   loop.ErrBilling, // OpenAI
	"credit_balance_is_low": loop.ErrBilling,

	"model_not_found":            loop.ErrModel, // claude, OpenAI
	"providermodelnotfounderror": loop.ErrModel, // opencode
	"modelnotfounderror":         loop.ErrModel, // gemini

	"usage_limit_reached": loop.ErrUsageLimit, // OpenAI plans

	"overloaded":        loop.ErrOverloaded, // claude
	"overloaded_error":  loop.ErrOverloaded, // Anthropic
	"engine_overloaded": loop.ErrOverloaded,

	"contextoverflowerror":    loop.ErrContextOverflow, // opencode
	"context_length_exceeded": loop.ErrContextOverflow, // OpenAI
	"prompt_too_long":         loop.ErrContextOverflow, // claude
	"context_limit":           loop.ErrContextOverflow, // copilot

	"contextwindowexceedederror":  loop.ErrContextOverflow, // aider
	"contentpolicyviolationerror": loop.ErrRefusal,         // aider

	"error_max_turns":       loop.ErrMaxTurns,    // claude
	"max_turns":             loop.ErrMaxTurns,    // claude
	"fatalturnlimitederror": loop.ErrMaxTurns,    // gemini
	"error_max_budget_usd":  loop.ErrAgentBudget, // claude

	"permission":       loop.ErrPermission,
	"permission_error": loop.ErrPermission,
	"refusal":          loop.ErrRefusal, // Anthropic's stop reason
	"content_filter":   loop.ErrRefusal, // OpenAI's finish reason
}

// vagueWords say less than the text may.
var vagueWords = map[string]loop.ErrorKind{
	"rate_limit":          loop.ErrRateLimit, // claude, copilot
	"rate_limit_error":    loop.ErrRateLimit, // Anthropic
	"rate_limit_exceeded": loop.ErrRateLimit, // OpenAI
	"resource_exhausted":  loop.ErrRateLimit, // Google
	"server_error":        loop.ErrServer,    // claude, OpenAI
	"api_error":           loop.ErrServer,    // Anthropic
	"internal":            loop.ErrServer,    // Google
	"unavailable":         loop.ErrOverloaded,
	"unauthenticated":     loop.ErrAuth, // Google
	"permission_denied":   loop.ErrAuth, // Google: the key may not
	"connection_error":    loop.ErrNetwork,

	"ratelimiterror":          loop.ErrRateLimit,  // aider
	"internalservererror":     loop.ErrServer,     // aider
	"serviceunavailableerror": loop.ErrOverloaded, // aider
	"apiconnectionerror":      loop.ErrNetwork,    // aider
	"timeout":                 loop.ErrNetwork,    // aider
	"notfounderror":           loop.ErrModel,      // aider
}

// kindOfStatus is what an HTTP status means by itself.
func kindOfStatus(status int) loop.ErrorKind {
	switch {
	case status == 401, status == 403:
		return loop.ErrAuth
	case status == 402:
		return loop.ErrBilling
	case status == 408, status == 504:
		return loop.ErrNetwork
	case status == 413:
		return loop.ErrContextOverflow
	case status == 429:
		return loop.ErrRateLimit
	case status == 503, status == 529:
		return loop.ErrOverloaded
	case status >= 500 && status < 600:
		return loop.ErrServer
	}
	return ""
}

// phrase is how an error of some kind is put, in lower case and with plain
// apostrophes.
type phrase struct {
	text string
	kind loop.ErrorKind
}

// tellingPhrases are clear whatever the status. Money comes first: "you
// exceeded your current quota" comes with 429, yet waiting does not help.
var tellingPhrases = []phrase{
	{"credit balance", loop.ErrBilling},
	{"billing details", loop.ErrBilling},
	{"billing hard limit", loop.ErrBilling},
	{"insufficient_quota", loop.ErrBilling},
	{"insufficient credits", loop.ErrBilling},
	{"insufficient balance", loop.ErrBilling},
	{"exceeded your current quota", loop.ErrBilling},
	{"requires more credits", loop.ErrBilling},
	{"payment required", loop.ErrBilling},

	{"usage limit", loop.ErrUsageLimit},
	{"session limit", loop.ErrUsageLimit},
	{"weekly limit", loop.ErrUsageLimit},
	{"5-hour limit", loop.ErrUsageLimit},
	{"five-hour limit", loop.ErrUsageLimit},
	{"opus limit", loop.ErrUsageLimit},
	{"sonnet limit", loop.ErrUsageLimit},
	{"daily quota", loop.ErrUsageLimit},
	{"quota will reset", loop.ErrUsageLimit},
	{"exhausted your capacity", loop.ErrUsageLimit},
	{"premium request", loop.ErrUsageLimit},
	{"usage_limit_reached", loop.ErrUsageLimit},

	{"prompt is too long", loop.ErrContextOverflow},
	{"prompt as too long", loop.ErrContextOverflow},
	{"context_length_exceeded", loop.ErrContextOverflow},
	{"context length", loop.ErrContextOverflow},
	{"context window", loop.ErrContextOverflow},
	{"context limit", loop.ErrContextOverflow},
	{"input is too long", loop.ErrContextOverflow},
	{"input token count", loop.ErrContextOverflow},
	{"maximum context", loop.ErrContextOverflow},

	{"model_not_found", loop.ErrModel},
	{"model not found", loop.ErrModel},
	{"issue with the selected model", loop.ErrModel},
	{"model is not supported", loop.ErrModel},
	{"does not exist or you do not have access", loop.ErrModel},
	{"not found for api version", loop.ErrModel},
	{"unknown model", loop.ErrModel},
	{"invalid model", loop.ErrModel},
	{"404 not found: model", loop.ErrModel}, // codex

	{"overloaded", loop.ErrOverloaded},     // claude, as a server error
	{"at capacity", loop.ErrOverloaded},    // codex
	{"unable to connect", loop.ErrNetwork}, // claude, as a server error
}

// phrases are tried last.
var phrases = []phrase{
	{"invalid api key", loop.ErrAuth},
	{"invalid x-api-key", loop.ErrAuth},
	{"api key not valid", loop.ErrAuth},
	{"incorrect api key", loop.ErrAuth},
	{"authentication failed", loop.ErrAuth},
	{"unauthorized", loop.ErrAuth},
	{"not logged in", loop.ErrAuth},
	{"please run /login", loop.ErrAuth},
	{"please log in", loop.ErrAuth},
	{"sign in again", loop.ErrAuth},
	{"log in again", loop.ErrAuth},
	{"oauth token", loop.ErrAuth},
	{"token has expired", loop.ErrAuth},
	{"refresh token", loop.ErrAuth},
	{"no api key", loop.ErrAuth},
	{"login required", loop.ErrAuth},

	{"quota exceeded", loop.ErrBilling}, // codex, with no money left
	{"rate limit", loop.ErrRateLimit},
	{"rate-limited", loop.ErrRateLimit},
	{"ratelimit", loop.ErrRateLimit},
	{"too many requests", loop.ErrRateLimit},
	{"resource_exhausted", loop.ErrRateLimit},

	{"high demand", loop.ErrOverloaded}, // codex, for any 5xx
	{"service unavailable", loop.ErrOverloaded},
	{"internal server error", loop.ErrServer},
	{"server_error", loop.ErrServer},
	{"server error", loop.ErrServer},
	{"bad gateway", loop.ErrServer},

	{"stream disconnected", loop.ErrNetwork}, // codex
	{"stream error", loop.ErrNetwork},
	{"stream closed", loop.ErrNetwork},
	{"error sending request", loop.ErrNetwork},
	{"connection error", loop.ErrNetwork},
	{"connection refused", loop.ErrNetwork},
	{"connection reset", loop.ErrNetwork},
	{"connection closed", loop.ErrNetwork},
	{"fetch failed", loop.ErrNetwork},
	{"socket hang up", loop.ErrNetwork},
	{"terminated", loop.ErrNetwork}, // Node, for a stream that was cut off
	{"econnrefused", loop.ErrNetwork},
	{"econnreset", loop.ErrNetwork},
	{"enotfound", loop.ErrNetwork},
	{"etimedout", loop.ErrNetwork},
	{"eai_again", loop.ErrNetwork},
	{"timed out", loop.ErrNetwork},
	{"timeout", loop.ErrNetwork},
	{"network", loop.ErrNetwork},

	{"reached max session turns", loop.ErrMaxTurns}, // qwen, gemini
	{"usage policy", loop.ErrRefusal},               // claude
	{"permission denied by", loop.ErrPermission},
	{"rejected permission", loop.ErrPermission},
}

func firstPhrase(list []phrase, text string) loop.ErrorKind {
	for _, p := range list {
		if strings.Contains(text, p.text) {
			return p.kind
		}
	}
	return ""
}

// normal is a text as the phrases are written. It is cut, because an error may
// carry a whole page.
func normal(text string) string {
	const most = 4096
	if len(text) > most {
		text = text[:most]
	}
	return strings.ReplaceAll(strings.ToLower(text), "’", "'")
}

// statusAt finds a status where agents put it into their text: at the start
// ("429 Too many …"), after a word for it, or in brackets.
var statusAt = regexp.MustCompile(`(?:^|api error: |status:? |status code:? |http |\()([45]\d\d)(?:\D|$)`)

func statusIn(text string) int {
	found := statusAt.FindStringSubmatch(text)
	if found == nil {
		return 0
	}
	status, _ := strconv.Atoi(found[1]) // three digits
	return status
}
