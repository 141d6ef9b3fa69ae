package agent

import (
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
)

// phrase is how an error of some kind is put, in lower case and with plain
// apostrophes.
type phrase struct {
	text string
	kind loop.ErrorKind
}

// tellingPhrases are clear whatever the status. Google's quotas come first:
// they are put like OpenAI's "you exceeded your current quota", which is about
// money, but they pass, unless there is none at all. Then comes money, which has
// the status of a rate limit, yet waiting does not help.
var tellingPhrases = []phrase{
	{"disk quota", loop.ErrAgent},
	{"invalid model tool", loop.ErrAgent},
	{"not your usage limit", loop.ErrRateLimit}, // claude, while its server limits everybody
	{"on tokens per day", loop.ErrUsageLimit},   // Groq
	{"on requests per day", loop.ErrUsageLimit}, // OpenAI
	// OpenAI, with advice to pay behind it: who waits gets on.
	{"rate limit reached for", loop.ErrRateLimit},
	{"increase your rate limit", loop.ErrRateLimit},
	{"no capacity available", loop.ErrOverloaded},
	{"model_capacity_exhausted", loop.ErrOverloaded},
	{"exhausted. it will reset at", loop.ErrUsageLimit}, // qwen, with a word for money behind it
	{", limit: 0,", loop.ErrBilling},
	{", limit: 0\n", loop.ErrBilling},
	{"perday", loop.ErrUsageLimit}, // "GenerateRequestsPerDayPerProjectPerModel"
	{"daily quota", loop.ErrUsageLimit},
	{"perminute", loop.ErrRateLimit},
	{"please retry in", loop.ErrRateLimit},
	{"ai.google.dev/gemini-api/docs/rate-limits", loop.ErrUsageLimit},

	{"reason: content_filter", loop.ErrRefusal},        // codex, for which it is a stream that ended too early
	{"due to safety", loop.ErrRefusal},                 // gemini
	{"prohibited_content", loop.ErrRefusal},            // Google
	{"violates usage guidelines", loop.ErrRefusal},     // xAI, with the status of a wrong key
	{"content management policy", loop.ErrRefusal},     // Azure
	{"content filtering policy", loop.ErrRefusal},      // Anthropic
	{"content_policy_violation", loop.ErrRefusal},      // OpenAI
	{"rejected by our safety system", loop.ErrRefusal}, // OpenAI
	{"result of our safety system", loop.ErrRefusal},   // OpenAI
	{"requires moderation", loop.ErrRefusal},           // OpenRouter, with the status of a wrong key
	{"prompt was flagged", loop.ErrRefusal},
	{"input was flagged", loop.ErrRefusal},
	{"request was flagged", loop.ErrRefusal},
	{"content was flagged", loop.ErrRefusal},
	{"inappropriate content", loop.ErrRefusal},        // Alibaba
	{"content exists risk", loop.ErrRefusal},          // DeepSeek
	{"unsafe or sensitive content", loop.ErrRefusal},  // Zhipu
	{"responsibleaipolicyviolation", loop.ErrRefusal}, // Azure
	{"content policy", loop.ErrRefusal},
	{"usage policies", loop.ErrRefusal},
	{"response was filtered", loop.ErrRefusal},
	{"flagged for possible", loop.ErrRefusal}, // codex
	{"safeguards flagged", loop.ErrRefusal},   // claude
	{"blocked by content filter", loop.ErrRefusal},
	{"blocked by the content filter", loop.ErrRefusal},
	{"blocked by safety filter", loop.ErrRefusal},
	{"blocked by the safety filter", loop.ErrRefusal},
	{"safety classifier", loop.ErrRefusal},

	{"credit balance", loop.ErrBilling},
	{"billing details", loop.ErrBilling},
	{"billing hard limit", loop.ErrBilling},
	{"insufficient_quota", loop.ErrBilling},
	{"insufficient credit", loop.ErrBilling},
	{"insufficient_credit", loop.ErrBilling},
	{"no credits left", loop.ErrBilling},
	{"billing is not active", loop.ErrBilling},
	{"requires a paid plan", loop.ErrBilling},
	{"payment overdue", loop.ErrBilling},
	{"spending cap", loop.ErrBilling},
	{"workspace's credit limit", loop.ErrBilling}, // codex
	{"insufficient balance", loop.ErrBilling},
	{"exceeded your current quota", loop.ErrBilling},
	{"requires more credits", loop.ErrBilling},
	{"payment required", loop.ErrBilling},
	{"payment method", loop.ErrBilling}, // opencode
	{"out of credits", loop.ErrBilling}, // codex, for a team
	{"not enough credit", loop.ErrBilling},
	{"insufficient funds", loop.ErrBilling},
	{"account is in good standing", loop.ErrBilling}, // qwen
	{"extra usage is required", loop.ErrBilling},     // claude, for a long context
	{"you have no quota", loop.ErrBilling},           // copilot
	{"spending limit", loop.ErrBilling},              // xAI, for a team
	{"run out of credit", loop.ErrBilling},
	{"credits are depleted", loop.ErrBilling},     // Google
	{"usage credits required", loop.ErrBilling},   // claude, for a long context
	{"budget has been exceeded", loop.ErrBilling}, // LiteLLM
	{"spend limit", loop.ErrBilling},
	{"spend cap", loop.ErrBilling},
	{"key limit exceeded", loop.ErrBilling}, // OpenRouter, with the status of a wrong key
	{"subscription has expired", loop.ErrBilling},
	{"subscription has ended", loop.ErrBilling},
	{"subscription expired", loop.ErrBilling},
	{"no active subscription", loop.ErrBilling},
	{"trial has ended", loop.ErrBilling},
	{"free tier of the model has been exhausted", loop.ErrBilling}, // Alibaba, with the status of a wrong key
	{"doesn't have any credits", loop.ErrBilling},                  // xAI, with the status of a wrong key
	{"trial has expired", loop.ErrBilling},
	{"insufficient_balance", loop.ErrBilling},
	{"insufficient account balance", loop.ErrBilling},
	{"not enough balance", loop.ErrBilling},
	{"balance is too low", loop.ErrBilling},
	{"余额不足", loop.ErrBilling},                                // Zhipu
	{"arrearage", loop.ErrBilling},                           // Alibaba
	{"to use codex with your chatgpt plan", loop.ErrBilling}, // codex: the plan has none

	{"usage limit", loop.ErrUsageLimit},
	{"usage quota", loop.ErrUsageLimit},
	{"limit of your plan", loop.ErrUsageLimit},
	{"usagelimiterror", loop.ErrUsageLimit},     // opencode
	{"free usage exceeded", loop.ErrUsageLimit}, // opencode
	{"out of extra usage", loop.ErrUsageLimit},  // claude
	{"weekly rate limit", loop.ErrUsageLimit},   // copilot
	{"weekly_rate_limited", loop.ErrUsageLimit}, // copilot
	{"session limit", loop.ErrUsageLimit},
	{"weekly limit", loop.ErrUsageLimit},
	{"daily rate limit", loop.ErrUsageLimit},
	{"hourly limit", loop.ErrUsageLimit},
	{"daily limit", loop.ErrUsageLimit},
	{"monthly limit", loop.ErrUsageLimit},
	{"5-hour limit", loop.ErrUsageLimit},
	{"5 hour limit", loop.ErrUsageLimit},
	{"5h limit", loop.ErrUsageLimit},
	{"five-hour limit", loop.ErrUsageLimit},
	{"opus limit", loop.ErrUsageLimit},
	{"sonnet limit", loop.ErrUsageLimit},
	{"free allocated quota", loop.ErrUsageLimit}, // qwen
	{"requests per day per", loop.ErrUsageLimit}, // gemini
	{"free-models-per-day", loop.ErrUsageLimit},  // OpenRouter
	{"expected quota reset", loop.ErrUsageLimit}, // gemini
	{"quota will reset", loop.ErrUsageLimit},
	{"exhausted your capacity", loop.ErrUsageLimit},
	{"plan limit", loop.ErrUsageLimit},
	{"message limit", loop.ErrUsageLimit},
	{"message cap", loop.ErrUsageLimit},
	{"5h cap", loop.ErrUsageLimit},
	{"run out of messages", loop.ErrUsageLimit},
	{"out of usage for", loop.ErrUsageLimit},
	{"no usage left", loop.ErrUsageLimit},
	{"plan usage exceeded", loop.ErrUsageLimit},
	{"usage will reset", loop.ErrUsageLimit},
	{"allowance is used up", loop.ErrUsageLimit},
	{"usage cap", loop.ErrUsageLimit},
	{"quota has been exhausted", loop.ErrUsageLimit},
	{"quota has been reached", loop.ErrUsageLimit},
	{"quota limit reached", loop.ErrUsageLimit},
	{"quota exhausted", loop.ErrUsageLimit}, // qwen
	{"quota reached", loop.ErrUsageLimit},
	{"hour allocated quota", loop.ErrUsageLimit},  // Alibaba, for a plan
	{"week allocated quota", loop.ErrUsageLimit},  // the same
	{"month allocated quota", loop.ErrUsageLimit}, // the same
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
	{"contextoverflowerror", loop.ErrContextOverflow},           // kimi
	{"maximum prompt length", loop.ErrContextOverflow},          // xAI
	{"prompt token count of", loop.ErrContextOverflow},          // copilot
	{"exceeded model token limit", loop.ErrContextOverflow},     // Moonshot
	{"range of input length", loop.ErrContextOverflow},          // Alibaba
	{"available context size", loop.ErrContextOverflow},         // llama.cpp
	{"context size has been exceeded", loop.ErrContextOverflow}, // LM Studio
	{"exceed_context_size", loop.ErrContextOverflow},            // llama.cpp
	{"conversation too long", loop.ErrContextOverflow},          // claude
	{"conversation is too long", loop.ErrContextOverflow},
	{"request too large (max", loop.ErrContextOverflow}, // claude
	{"reduce the length of the messages", loop.ErrContextOverflow},
	{"prompt_tokens_exceeded", loop.ErrContextOverflow},
	{"input tokens exceed", loop.ErrContextOverflow},
	{"prompt exceeds max", loop.ErrContextOverflow},
	{"input exceeds the maximum length", loop.ErrContextOverflow}, // codex
	{"exceed max message tokens", loop.ErrContextOverflow},
	{"too many tokens in the prompt", loop.ErrContextOverflow},
	{"allowed number of input tokens", loop.ErrContextOverflow},
	{"maximum number of input tokens", loop.ErrContextOverflow},
	{"exceeds the maximum number of tokens", loop.ErrContextOverflow},
	{"input length exceeds", loop.ErrContextOverflow},
	{"input is too large for this model", loop.ErrContextOverflow},
	{"too large for the model", loop.ErrContextOverflow},
	{"longer than the model's context", loop.ErrContextOverflow},

	{"model_not_found", loop.ErrModel},
	{"model not found", loop.ErrModel},
	{"issue with the selected model", loop.ErrModel},
	{"model is not supported", loop.ErrModel},
	{"does not exist or you do not have access", loop.ErrModel},
	{"not found for api version", loop.ErrModel},
	{"unknown model", loop.ErrModel},
	{"unsupported model", loop.ErrModel},
	{"use /login to log into", loop.ErrAuth}, // pi
	{"no model selected", loop.ErrModel},
	{"selected model is unavailable", loop.ErrModel},
	{"invalid model", loop.ErrModel},
	{"is not a valid model", loop.ErrModel},
	{"model not exist", loop.ErrModel},                                 // DeepSeek
	{"modelnotfounderror", loop.ErrModel},                              // opencode
	{"api deployment for this resource does not exist", loop.ErrModel}, // Azure
	{"llm provider not provided", loop.ErrModel},                       // aider
	{"not found the model", loop.ErrModel},                             // Moonshot
	{"no endpoints found", loop.ErrModel},                              // OpenRouter
	{"not found: model", loop.ErrModel},                                // codex, crush
	{"could not resolve model", loop.ErrModel},
	{"couldn't set model", loop.ErrModel}, // grok
	{"unable to find model", loop.ErrModel},
	{"unable to access model", loop.ErrModel},
	{"no provider found for model", loop.ErrModel},

	{"could not be refreshed", loop.ErrAuth}, // claude, codex
	{"please run /login", loop.ErrAuth},      // claude
	{"organization has been disabled", loop.ErrAuth},

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
	{"not signed in", loop.ErrAuth}, // grok
	{"please log in", loop.ErrAuth},
	{"sign in again", loop.ErrAuth},
	{"log in again", loop.ErrAuth},
	{"oauth token", loop.ErrAuth},
	{"token has expired", loop.ErrAuth},
	{"refresh token", loop.ErrAuth},
	{"no api key", loop.ErrAuth},
	{"missing api key", loop.ErrAuth},          // qwen
	{"no auth type is selected", loop.ErrAuth}, // qwen
	{"login required", loop.ErrAuth},
	{"need to run /login", loop.ErrAuth}, // copilot
	{"failed to authenticate", loop.ErrAuth},
	{"authentication required", loop.ErrAuth},
	{"authentication information", loop.ErrAuth}, // copilot
	{"authentication credentials", loop.ErrAuth},
	{"set an auth method", loop.ErrAuth}, // gemini
	{"not authenticated", loop.ErrAuth},
	{"session expired", loop.ErrAuth},
	{"session has expired", loop.ErrAuth},
	{"token expired", loop.ErrAuth},
	{"token refresh failed", loop.ErrAuth},
	{"token revoked", loop.ErrAuth},
	{"api key expired", loop.ErrAuth},
	{"api_key_invalid", loop.ErrAuth}, // Google
	{"api key not found", loop.ErrAuth},
	{"api_key environment variable", loop.ErrAuth}, // gemini
	{"missing environment variable", loop.ErrAuth}, // codex
	{"authentication method", loop.ErrAuth},
	{"must be logged in", loop.ErrAuth},
	{"please login", loop.ErrAuth},
	{"login expired", loop.ErrAuth},
	{"invalid authentication", loop.ErrAuth}, // Moonshot
	{"authentication fails", loop.ErrAuth},   // DeepSeek
	{"invalid api-key", loop.ErrAuth},        // Alibaba
	{"api key you provided", loop.ErrAuth},
	{"invalid subscription key", loop.ErrAuth},  // Azure
	{"no auth credentials", loop.ErrAuth},       // OpenRouter
	{"auth_error", loop.ErrAuth},                // kimi
	{"forbidden", loop.ErrAuth},                 // crush, for a 403
	{"location is not supported", loop.ErrAuth}, // Google
	{"invalid bearer token", loop.ErrAuth},
	{"invalid_grant", loop.ErrAuth}, // Google, for a sign-in that has expired
	{"please sign in", loop.ErrAuth},
	{"signing in again", loop.ErrAuth},        // codex
	{"no providers configured", loop.ErrAuth}, // crush
	{"llm not set", loop.ErrAuth},             // kimi
	{"country, region, or territory", loop.ErrAuth},
	{"access denied by policy", loop.ErrAuth}, // copilot
	{"security token", loop.ErrAuth},          // Amazon
	{"load credentials", loop.ErrAuth},        // Amazon
	{"default credentials", loop.ErrAuth},     // Google
	{"locate credentials", loop.ErrAuth},      // Amazon
	{"invalid credentials", loop.ErrAuth},
	{"no credentials", loop.ErrAuth},
	{"missing credentials", loop.ErrAuth},
	{"unauthenticated", loop.ErrAuth},
	{"not authorized", loop.ErrAuth},
	{"verify your account", loop.ErrAuth}, // gemini
	{"api key is ", loop.ErrAuth},
	{"api key has ", loop.ErrAuth},
	{"basic authentication", loop.ErrAuth},
	{"free tier has been discontinued", loop.ErrAuth}, // qwen
	{"token is expired", loop.ErrAuth},
	{"bad credentials", loop.ErrAuth}, // GitHub
	{"credentials are invalid", loop.ErrAuth},
	{"api key required", loop.ErrAuth},
	{"api key was rejected", loop.ErrAuth},
	{"wrong api key", loop.ErrAuth},
	{"api_key is not set", loop.ErrAuth},
	{"api_key not set", loop.ErrAuth},
	{"api_key is missing", loop.ErrAuth},
	{"unauthorised", loop.ErrAuth},
	{"invalid authorization header", loop.ErrAuth},
	{"do not have permission to access this resource", loop.ErrAuth},

	{"quota exceeded", loop.ErrBilling}, // codex, with no money left
	{"rate limit", loop.ErrRateLimit},
	{"rate_limit", loop.ErrRateLimit}, // kimi
	{"rate-limited", loop.ErrRateLimit},
	{"ratelimit", loop.ErrRateLimit},
	{"too many requests", loop.ErrRateLimit},
	{"resource_exhausted", loop.ErrRateLimit},
	{"resource exhausted", loop.ErrRateLimit},          // Google
	{"resource has been exhausted", loop.ErrRateLimit}, // Google
	{"request rate exceeded", loop.ErrRateLimit},
	{"tokens per minute exceeded", loop.ErrRateLimit},
	{"rpm limit exceeded", loop.ErrRateLimit},
	{"slow down", loop.ErrRateLimit},
	{"requests too fast", loop.ErrRateLimit},
	{"requests too quickly", loop.ErrRateLimit},
	{"messages too quickly", loop.ErrRateLimit},
	{"throttl", loop.ErrRateLimit}, // Amazon, Alibaba
	{"concurrent requests", loop.ErrRateLimit},
	{"concurrency limit", loop.ErrRateLimit},

	{"high demand", loop.ErrOverloaded}, // codex, for any 5xx
	{"service unavailable", loop.ErrOverloaded},
	{"temporarily unavailable", loop.ErrOverloaded},
	{"server is currently busy", loop.ErrOverloaded},
	{"server is busy", loop.ErrOverloaded},
	{"server busy", loop.ErrOverloaded},
	{"at maximum capacity", loop.ErrOverloaded},
	{"high traffic", loop.ErrOverloaded},
	{"capacity constraints", loop.ErrOverloaded},
	{"insufficient capacity", loop.ErrOverloaded},
	{"serviceunavailable", loop.ErrOverloaded}, // Amazon
	{"heavy load", loop.ErrOverloaded},
	{"high load", loop.ErrOverloaded},
	{"overwhelmed", loop.ErrOverloaded},
	{"loading model", loop.ErrOverloaded},
	{"model is loading", loop.ErrOverloaded},
	{"without a finish reason", loop.ErrOverloaded}, // gemini: the server broke off
	{"internal server error", loop.ErrServer},
	{"server_error", loop.ErrServer},
	{"server error", loop.ErrServer},
	{"bad gateway", loop.ErrServer},
	{"server had an error", loop.ErrServer}, // OpenAI
	{"upstream error", loop.ErrServer},
	{"internal error has occurred", loop.ErrServer}, // Google
	{"internal error encountered", loop.ErrServer},  // Google
	{"internal_server_error", loop.ErrServer},
	{"error occurred while processing your request", loop.ErrServer}, // OpenAI

	{"stream disconnected", loop.ErrNetwork}, // codex
	{"stream error", loop.ErrNetwork},
	{"stream closed", loop.ErrNetwork},
	{"error sending request", loop.ErrNetwork},
	{"connection error", loop.ErrNetwork},
	{"connection_error", loop.ErrNetwork}, // kimi
	{"connect error", loop.ErrNetwork},
	{"cannot connect", loop.ErrNetwork},    // opencode, cline
	{"other side closed", loop.ErrNetwork}, // Node
	{"closed the connection", loop.ErrNetwork},
	{"stream ended unexpectedly", loop.ErrNetwork},
	{"without finish_reason", loop.ErrNetwork}, // pi
	{"econnaborted", loop.ErrNetwork},
	{"connection refused", loop.ErrNetwork},
	{"connection reset", loop.ErrNetwork},
	{"connection closed", loop.ErrNetwork},
	{"connection lost", loop.ErrNetwork},
	{"connection was", loop.ErrNetwork},
	{"no internet connection", loop.ErrNetwork},
	{"internet_disconnected", loop.ErrNetwork},  // Chromium
	{"client error (connect)", loop.ErrNetwork}, // Rust
	{"socket was closed", loop.ErrNetwork},
	{"stream interrupted", loop.ErrNetwork},
	{"stream was interrupted", loop.ErrNetwork},
	{"premature end of stream", loop.ErrNetwork},
	{"stream ended early", loop.ErrNetwork},
	{"stream idle for", loop.ErrNetwork},
	{"connection attempts failed", loop.ErrNetwork},
	{"server disconnected", loop.ErrNetwork},    // Python
	{"peer closed connection", loop.ErrNetwork}, // Python
	{"premature_close", loop.ErrNetwork},
	{"stream ended before", loop.ErrNetwork},
	{"stream ended without", loop.ErrNetwork},
	{"not closed cleanly", loop.ErrNetwork},      // HTTP/2
	{"incomplete chunked read", loop.ErrNetwork}, // Python
	{"proxy connect", loop.ErrNetwork},
	{"connect call failed", loop.ErrNetwork},
	{"socket connection", loop.ErrNetwork},
	{"failed to connect", loop.ErrNetwork},
	{"could not resolve", loop.ErrNetwork},
	{"no such host", loop.ErrNetwork},
	{"getaddrinfo", loop.ErrNetwork},
	{"host unreachable", loop.ErrNetwork},
	{"network is unreachable", loop.ErrNetwork},
	{"premature close", loop.ErrNetwork},
	{"reading a body", loop.ErrNetwork}, // copilot, for a stream that was cut off
	{"fetch failed", loop.ErrNetwork},
	{"socket hang up", loop.ErrNetwork},
	{"econnrefused", loop.ErrNetwork},
	{"econnreset", loop.ErrNetwork},
	{"enotfound", loop.ErrNetwork},
	{"etimedout", loop.ErrNetwork},
	{"eai_again", loop.ErrNetwork},
	{"ehostunreach", loop.ErrNetwork},
	{"enetunreach", loop.ErrNetwork},
	{"epipe", loop.ErrNetwork},
	{"broken pipe", loop.ErrNetwork},
	{"failed to lookup address", loop.ErrNetwork}, // Rust
	{"name resolution", loop.ErrNetwork},
	{"nodename nor servname", loop.ErrNetwork},
	{"no route to host", loop.ErrNetwork},
	{"error decoding response body", loop.ErrNetwork}, // Rust, for a stream that was cut off
	{"stalled mid-stream", loop.ErrNetwork},           // claude
	{"deadline exceeded", loop.ErrNetwork},
	{"x509:", loop.ErrNetwork},
	{"signed by unknown authority", loop.ErrNetwork},
	{"invalid peer certificate", loop.ErrNetwork}, // Rust
	{"self signed certificate", loop.ErrNetwork},
	{"self-signed certificate", loop.ErrNetwork},
	{"local issuer certificate", loop.ErrNetwork},
	{"certificate has expired", loop.ErrNetwork},
	{"certificate verify failed", loop.ErrNetwork},
	{"verify the first certificate", loop.ErrNetwork},
	{"self_signed_cert", loop.ErrNetwork},      // Node
	{"unable_to_verify_leaf", loop.ErrNetwork}, // Node
	{"cert_has_expired", loop.ErrNetwork},      // Node
	{"tls handshake", loop.ErrNetwork},
	{"ssl routines", loop.ErrNetwork},
	{"timeouterror", loop.ErrNetwork}, // Node, OpenAI's and Anthropic's
	{"readtimeout", loop.ErrNetwork},  // Python
	{"connecttimeout", loop.ErrNetwork},
	{"connect_timeout", loop.ErrNetwork}, // Node
	{"headers_timeout", loop.ErrNetwork}, // Node
	{"body_timeout", loop.ErrNetwork},    // Node
	{"und_err_socket", loop.ErrNetwork},  // Node
	{"request timed out", loop.ErrNetwork},
	{"connection timed out", loop.ErrNetwork},
	{"i/o timeout", loop.ErrNetwork}, // Go

	{"reached max session turns", loop.ErrMaxTurns}, // qwen, gemini
	{"session turns exceeded", loop.ErrMaxTurns},    // gemini
	{"maximum number of turns", loop.ErrMaxTurns},   // claude, grok
	{"max turns", loop.ErrMaxTurns},
	{"number of steps reached", loop.ErrMaxTurns}, // kimi
	{"maximum iterations", loop.ErrMaxTurns},
	{"maximum number of iterations", loop.ErrMaxTurns},
	{"max steps reached", loop.ErrMaxTurns},
	{"turn limit reached", loop.ErrMaxTurns},
	{"reached the turn limit", loop.ErrMaxTurns},
	{"reached maximum budget", loop.ErrAgentBudget}, // claude
	{"declined to answer", loop.ErrRefusal},
	{"content filtered", loop.ErrRefusal},
	{"usage policy", loop.ErrRefusal},                  // claude
	{"content moderation policy", loop.ErrRefusal},     // droid
	{"safety policy blocked", loop.ErrRefusal},         // kimi
	{"finish_reason: content_filter", loop.ErrRefusal}, // pi
	{"finish_reason: safety", loop.ErrRefusal},
	{"refused to continue", loop.ErrRefusal},          // grok
	{"considered high risk", loop.ErrRefusal},         // Moonshot
	{"high-risk cyber", loop.ErrRefusal},              // codex
	{"requested entity was not found", loop.ErrModel}, // Google
	{"permission denied by", loop.ErrPermission},
	{"rejected permission", loop.ErrPermission},
	{"use /login", loop.ErrAuth}, // pi; others advise it for a limit too
	{"set your api key", loop.ErrAuth},
	{"set an api key", loop.ErrAuth}, // pi
	{"must sign in", loop.ErrAuth},
	{"need to sign in", loop.ErrAuth},
	{"sign in to continue", loop.ErrAuth},
	{"authenticate first", loop.ErrAuth},
	{"re-authenticate", loop.ErrAuth},
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
