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
