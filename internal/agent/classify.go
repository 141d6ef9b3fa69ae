package agent

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// fault is what an agent says went wrong, in the fields that it has for it.
type fault struct {
	status int    // of HTTP; 0 is unknown
	kind   string // the agent's or the provider's own word
	text   string // for people
	detail string // what came with it: the provider's answer, headers
	vague  bool   // the text is no reason
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
	if found := wordForm().FindStringSubmatch(f.text); word == "" && found != nil {
		word = found[1]
	}
	if kind := exactWords[word]; kind != "" && (f.kind != "" || strings.Contains(word, "_")) { // else it may be a word like any other
		return kind
	}
	text := unwarned(normal(f.text + "\n" + f.detail))
	if kind := cmp.Or(firstPhrase(tellingPhrases, text), formIn(text)); kind != "" {
		return kind
	}
	status := f.status
	if status == 0 {
		status = statusIn(text)
	}
	if status == 404 && strings.Contains(text, "model") {
		return loop.ErrModel
	}
	if kind := kindOfStatus(status); kind != "" {
		return kind
	}
	vague, told := vagueWords[word], firstPhrase(phrases, text)
	if vague == loop.ErrServer && told == loop.ErrNetwork {
		return told // claude calls a lost connection a server's error
	}
	return cmp.Or(vague, told, signInIn(text), inOneLine(text), outageIn(text), loop.ErrAgent)
}

// warningForm is a sentence about a limit that has not been reached: "Heads up,
// you have less than 10% of your weekly limit left".
var warningForm = text.NewPattern(`[^.\n·∙]*(?:\bapproaching\b|\bnearing\b|\bclose to\b|\bheads up\b|\b(?:used|over|than) \d{1,2}%|\b[1-9]\d?% [^.\n·∙]*\b(?:left|remaining)\b)[^.\n·∙]*`)

// unwarned leaves warnings out. Few texts have any, and agents that try again
// all night make many texts, so that is found out first.
func unwarned(text string) string {
	for _, word := range []string{"%", "approaching", "nearing", "close to", "heads up"} {
		if strings.Contains(text, word) {
			return warningForm().ReplaceAllString(text, "")
		}
	}
	return text
}

// Some errors have a name in the middle: "you've hit your Fable limit", "model
// `x` does not exist". Having hit a rate limit is another thing, and so is the end of
// what a reply may have.
var (
	limitForm   = text.NewPattern(`(?:hit|reached|exceeded|exhausted|used up|used all of) your ((?:[a-z0-9'.-]+ ){0,4}?)(?:limit|quota|cap|allowance)\b`)
	resetsForm  = text.NewPattern(`((?:[a-z0-9.-]+ ){0,3})limit (?:reached|exceeded)\b[^\n]{0,40}\bresets?\b`)
	otherLimits = text.NewPattern(`\b(?:rate|request|output|token|context|length|turn|step|size|time) $`)
	modelForm   = text.NewPattern(`\bmodel\b[^\n]{0,60}?(?:does not exist|not found|is not available|is not configured|is not (?:supported|recognized|accessible|enabled)|is not valid|` +
		`(?:has been|was|is) (?:deprecated|decommissioned|retired|removed|not found)|is no longer (?:available|supported)|could not be found|identifier is invalid|requires a newer version)`)
	noModelForm = text.NewPattern(`\b(?:no such|unrecognized|(?:could not|couldn't|cannot) find(?: the)?|does not have access to(?: the)?|do not have access to(?: the)?|don't have access to(?: the)?) model\b|\bmodel ['"` + "`" + `][^'"` + "`" + `\n]+['"` + "`" + `] is unavailable\.?\n|\bno models? (?:configured|loaded|match)`)
)

func formIn(text string) loop.ErrorKind {
	if strings.Contains(text, " your ") {
		if found := limitForm().FindStringSubmatch(text); found != nil && !otherLimits().MatchString(found[1]) {
			return loop.ErrUsageLimit
		}
	}
	if strings.Contains(text, "reset") {
		if found := resetsForm().FindStringSubmatch(text); found != nil && !otherLimits().MatchString(found[1]) {
			return loop.ErrUsageLimit
		}
	}
	if strings.Contains(text, "model") && (modelForm().MatchString(text) || noModelForm().MatchString(text)) {
		return loop.ErrModel
	}
	if strings.Contains(text, "reason") && filterForm().MatchString(text) {
		return loop.ErrRefusal
	}
	return ""
}

// filterForm is a reply that a filter ended: "finishReason: SAFETY".
var filterForm = text.NewPattern(`(?:finish|stop)[ _]?reason\W{1,5}(?:content[_-]?filter|safety|prohibited_content|blocklist|spii|refusal)\b`)

// signInForm is advice to sign in: "Please run `kimi login` first".
var signInForm = text.NewPattern("\\b(?:run|use|with)\\b:?\\s+[`'\"]?(?:[a-z-]+\\s+){0,2}/?(?:auth\\s+)?login\\b")

func signInIn(text string) loop.ErrorKind {
	if strings.Contains(text, "login") && signInForm().MatchString(text) {
		return loop.ErrAuth
	}
	return ""
}

// wholeLines say something only where they say nothing else.
var wholeLines = map[string]loop.ErrorKind{
	"access denied":        loop.ErrAuth,
	"authorization failed": loop.ErrAuth,
	"invalid token":        loop.ErrAuth,
	"login failed":         loop.ErrAuth,
	"rate exceeded":        loop.ErrRateLimit, // Amazon
}

func inOneLine(text string) loop.ErrorKind {
	for line := range strings.Lines(text) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "error: ")
		if kind := wholeLines[strings.TrimSuffix(line, ".")]; kind != "" {
			return kind
		}
	}
	return ""
}

// wordForm is a text with the provider's word before it: "insufficient_quota: You
// exceeded …", as grok puts it.
var wordForm = text.NewPattern(`^([a-z_]+): `)

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
	"refresh_token_reused":     loop.ErrAuth, // codex
	"refresh_token_expired":    loop.ErrAuth, // codex
	"token_expired":            loop.ErrAuth, // OpenAI
	"permission_error":         loop.ErrAuth, // Anthropic: the key may not

	"billing_error":         loop.ErrBilling, // claude, Anthropic
	"insufficient_quota":    loop.ErrBilling, // OpenAI
	"quota":                 loop.ErrBilling, // copilot
	"usage_not_included":    loop.ErrBilling, // codex: the plan has none
	"billing_not_active":    loop.ErrBilling, // OpenAI
	"account_deactivated":   loop.ErrBilling, // OpenAI
	"quota_exceeded":        loop.ErrBilling, // copilot
	"credit_balance_is_low": loop.ErrBilling,
	"insufficient_balance":  loop.ErrBilling, // DeepSeek
	"arrearage":             loop.ErrBilling, // Alibaba

	"model_not_found":            loop.ErrModel, // claude, OpenAI
	"providermodelnotfounderror": loop.ErrModel, // opencode
	"modelnotfounderror":         loop.ErrModel, // gemini
	"model_not_supported":        loop.ErrModel, // copilot
	"deploymentnotfound":         loop.ErrModel, // Azure

	"usage_limit_reached": loop.ErrUsageLimit, // OpenAI plans
	"freeusagelimiterror": loop.ErrUsageLimit, // opencode
	"terminalquotaerror":  loop.ErrUsageLimit, // gemini

	"connection_failed": loop.ErrNetwork, // claude

	"overloaded":        loop.ErrOverloaded, // claude
	"overloaded_error":  loop.ErrOverloaded, // Anthropic
	"engine_overloaded": loop.ErrOverloaded,

	"contextoverflowerror":    loop.ErrContextOverflow, // opencode
	"context_length_exceeded": loop.ErrContextOverflow, // OpenAI
	"prompt_too_long":         loop.ErrContextOverflow, // claude
	"context_limit":           loop.ErrContextOverflow, // copilot
	"context_window_exceeded": loop.ErrContextOverflow, // cline
	"request_too_large":       loop.ErrContextOverflow, // Anthropic

	"contextwindowexceedederror":  loop.ErrContextOverflow, // aider
	"contentpolicyviolationerror": loop.ErrRefusal,         // aider

	"error_max_turns":       loop.ErrMaxTurns,    // claude
	"max_turns":             loop.ErrMaxTurns,    // claude
	"max_iterations":        loop.ErrMaxTurns,    // cline
	"fatalturnlimitederror": loop.ErrMaxTurns,    // gemini
	"maxsessionturnserror":  loop.ErrMaxTurns,    // gemini
	"error_max_budget_usd":  loop.ErrAgentBudget, // claude

	"permission":     loop.ErrPermission,
	"refusal":        loop.ErrRefusal, // Anthropic's stop reason
	"content_filter": loop.ErrRefusal, // OpenAI's finish reason

	"contentfiltererror":       loop.ErrRefusal, // opencode
	"content_policy_violation": loop.ErrRefusal, // OpenAI
	"invalid_prompt":           loop.ErrRefusal, // OpenAI: it was flagged
	"cyber_policy":             loop.ErrRefusal, // OpenAI
	"data_inspection_failed":   loop.ErrRefusal, // Alibaba
	"datainspectionfailed":     loop.ErrRefusal, // Alibaba
}

// vagueWords say less than the text may.
var vagueWords = map[string]loop.ErrorKind{
	"rate_limit":          loop.ErrRateLimit, // claude, copilot
	"rate_limit_error":    loop.ErrRateLimit, // Anthropic
	"rate_limit_exceeded": loop.ErrRateLimit, // OpenAI
	"requests":            loop.ErrRateLimit, // OpenAI: too many of them
	"tokens":              loop.ErrRateLimit, // OpenAI
	"resource_exhausted":  loop.ErrRateLimit, // Google
	"server_error":        loop.ErrServer,    // claude, OpenAI
	"api_error":           loop.ErrServer,    // Anthropic
	"internal":            loop.ErrServer,    // Google
	"unavailable":         loop.ErrOverloaded,
	"slow_down":           loop.ErrOverloaded, // OpenAI
	"throttlingexception": loop.ErrRateLimit,  // Amazon
	"unauthenticated":     loop.ErrAuth,       // Google
	"permission_denied":   loop.ErrAuth,       // Google: the key may not
	"connection_error":    loop.ErrNetwork,
	"auth":                loop.ErrAuth, // cline

	"ratelimiterror":          loop.ErrRateLimit,  // aider
	"internalservererror":     loop.ErrServer,     // aider
	"serviceunavailableerror": loop.ErrOverloaded, // aider
	"apiconnectionerror":      loop.ErrNetwork,    // aider, kimi
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
	case status == 407, status == 408, status == 504:
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

// statusAt finds a status where agents put it into their text: at the start
// ("429 Too many …"), after a word for it, in brackets, or in the provider's answer.
var statusAt = text.NewPattern(`(?:^\[?|error:? |\bapi error |\berror code:? |\brate_limit: |\boverloaded: |\bstatus(?:[ _]?code)?(?:: ?|=| )|\bhttp(?:/\d(?:\.\d)?)? |\bresponded with |\bserver response: |\(|\b(?:code|(?:http_)?status|statuscode)\\*": ?)([45]\d\d)(?:\D|$)`)

func statusIn(text string) int {
	found := statusAt().FindStringSubmatch(text)
	if found == nil {
		return 0
	}
	status, _ := strconv.Atoi(found[1]) // three digits
	return status
}
