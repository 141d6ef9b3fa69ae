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

// googleQuota is how Google puts that a quota is used up, for a minute or for
// good.
const googleQuota = "You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits."

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
		{"gemini, filter", fault{text: "The model response was blocked due to safety settings."}, loop.ErrRefusal},
		{"codex, filter", fault{text: "stream disconnected before completion: Incomplete response returned, reason: content_filter"}, loop.ErrRefusal},
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

		{"claude, no more than a limit", saying(429, "rate_limit", "You've hit your limit · resets 10pm (Europe/Berlin)"), loop.ErrUsageLimit},
		{"claude, a limit of a new model", saying(429, "rate_limit", "You've hit your Fable limit · resets Nov 18"), loop.ErrUsageLimit},
		{"claude, a limit of last year", saying(0, "", "5-hour limit reached ∙ resets 2am"), loop.ErrUsageLimit},
		{"claude, what was paid for", saying(429, "rate_limit", "You're out of extra usage · resets 9am (America/Cordoba)"), loop.ErrUsageLimit},
		{"claude, a team's month", saying(429, "rate_limit", "You've hit your org's monthly usage limit"), loop.ErrUsageLimit},
		{"claude, a long context that is not paid for", saying(429, "rate_limit", "API Error: Extra usage is required for long context requests."), loop.ErrBilling},
		{"claude, a month of the key", saying(400, "unknown", "API Error: 400 You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC."), loop.ErrUsageLimit},
		{"claude, sign-in expired", saying(401, "unknown", "OAuth token has expired. Please obtain a new token or refresh your existing token. · Please run /login"), loop.ErrAuth},
		{"claude, sign-in that cannot be renewed", saying(0, "unknown", "Failed to authenticate: OAuth session expired and could not be refreshed"), loop.ErrAuth},
		{"claude, bad credentials", saying(0, "", "API Error: 401 Invalid authentication credentials"), loop.ErrAuth},
		{"claude, shut out", saying(400, "unknown", "API Error: 400 This organization has been disabled."), loop.ErrAuth},
		{"claude, socket", saying(0, "unknown", "API Error: The socket connection was closed unexpectedly."), loop.ErrNetwork},
		{"codex, sign-in used twice", fault{text: "Your access token could not be refreshed because your refresh token was already used. Please log out and sign in again."}, loop.ErrAuth},
		{"codex, sign-in of another account", fault{text: "Your access token could not be refreshed because you have since logged out or signed in to another account. Please sign in again."}, loop.ErrAuth},
		{"codex, sign-in refused", fault{text: "Failed to refresh token: 401 Unauthorized: Please try signing in again."}, loop.ErrAuth},
		{"codex, sign-in refused again and again", fault{text: "exceeded retry limit, last status: 401 Unauthorized, request id: 9943"}, loop.ErrAuth},
		{"codex, a team without money", fault{text: "Your workspace is out of credits. Add credits to continue."}, loop.ErrBilling},
		{"codex, model", fault{text: "The requested model 'gpt-9' does not exist."}, loop.ErrModel},
		{"gemini, day", saying(429, "", "You have exhausted your daily quota on this model."), loop.ErrUsageLimit},
		{"gemini, day in other words", saying(0, "", "You have reached your daily gemini-2.5-pro quota limit."), loop.ErrUsageLimit},
		{"gemini, day by its metric", saying(429, "", "Quota exceeded for quota metric 'Gemini 2.5 Pro Requests' and limit 'Gemini 2.5 Pro Requests per day per user per tier'."), loop.ErrUsageLimit},
		{"gemini, day of a key", fault{status: 429, text: googleQuota, detail: `"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"`}, loop.ErrUsageLimit},
		{"gemini, minute of a key", fault{status: 429, text: googleQuota, detail: `"quotaId": "GenerateContentInputTokensPerModelPerMinute-FreeTier"`}, loop.ErrRateLimit},
		{"gemini, a wait of seconds", saying(429, "RESOURCE_EXHAUSTED", googleQuota+"\n* Quota exceeded for metric: x, limit: 250000\nPlease retry in 39.8s."), loop.ErrRateLimit},
		{"gemini, a model that needs money", saying(429, "RESOURCE_EXHAUSTED", googleQuota+"\n* Quota exceeded for metric: x, limit: 0\nPlease retry in 39.8s."), loop.ErrBilling},
		{"gemini, no capacity", saying(429, "RESOURCE_EXHAUSTED", "No capacity available for model gemini-3.1-pro-preview on the server"), loop.ErrOverloaded},
		{"gemini, sign-in", saying(0, "", "Cached credentials are not valid: invalid_grant"), loop.ErrAuth},
		{"gemini, no sign-in", saying(0, "", "Please set an Auth method in your settings.json or specify one of the following environment variables"), loop.ErrAuth},
		{"gemini, advice on signing in is not about it", saying(0, "", "Too many requests. To increase your limits, switch to another /auth method"), loop.ErrRateLimit},
		{"copilot, hours", saying(429, "rate_limit", "Sorry, you've hit a rate limit that restricts the number of Copilot model requests. Please try again in 2 hours."), loop.ErrRateLimit},
		{"copilot, week", saying(429, "rate_limit", "You've reached your weekly rate limit. Please wait for your limit to reset on April 20"), loop.ErrUsageLimit},
		{"copilot, week by its code", fault{status: 429, kind: "rate_limit", text: "Sorry", detail: `{"code":"user_weekly_rate_limited"}`}, loop.ErrUsageLimit},
		{"copilot, all", saying(429, "rate_limit", "You've hit your global rate limit. Please upgrade your plan or wait."), loop.ErrRateLimit},
		{"copilot, month", saying(402, "query", "402 You have no quota"), loop.ErrBilling},
		{"copilot, sign-in", saying(0, "query", "Authorization error, you may need to run /login"), loop.ErrAuth},
		{"opencode, free", saying(429, "APIError", "Free usage exceeded, add credits https://opencode.ai/zen"), loop.ErrUsageLimit},
		{"opencode, free by its type", fault{status: 429, kind: "APIError", text: "Rate limit exceeded.", detail: `{"error":{"type":"FreeUsageLimitError"}}`}, loop.ErrUsageLimit},
		{"opencode, month", saying(429, "APIError", "Monthly usage limit reached. It will reset in 10 days 19 hours."), loop.ErrUsageLimit},
		{"opencode, how to pay", saying(401, "APIError", "No payment method. Add a payment method here"), loop.ErrBilling},
		{"opencode, model", saying(404, "APIError", "model: nope"), loop.ErrModel},
		{"qwen, free", fault{text: "429 Free allocated quota exceeded."}, loop.ErrUsageLimit},
		{"qwen, money", fault{text: "400 Access denied, please make sure your account is in good standing."}, loop.ErrBilling},
		{"pi, ChatGPT", fault{text: "You have hit your ChatGPT usage limit (plus plan). Try again in ~123 min."}, loop.ErrUsageLimit},
		{"pi, a local model", fault{text: `404 model "llama9" not found, try pulling it first`}, loop.ErrModel},
		{"aider, rate", saying(0, "RateLimitError", "litellm.RateLimitError: AnthropicException - This request would exceed your organization's rate limit of 80,000 input tokens per minute"), loop.ErrRateLimit},
		{"aider, money", saying(0, "BadRequestError", "litellm.BadRequestError: Your credit balance is too low"), loop.ErrBilling},
		{"aider, overloaded", saying(0, "InternalServerError", "litellm.InternalServerError: AnthropicException - Overloaded"), loop.ErrOverloaded},
		{"OpenRouter, day", saying(429, "", "Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day"), loop.ErrUsageLimit},

		{"claude, a long context without credits", saying(429, "rate_limit", "Usage credits required for 1M context"), loop.ErrBilling},
		{"a day", saying(429, "", "Daily limit reached."), loop.ErrUsageLimit},
		{"a week of a plan", fault{text: "You have exceeded your weekly usage quota"}, loop.ErrUsageLimit},
		{"a plan", saying(429, "", "You've reached the limit of your plan for this week"), loop.ErrUsageLimit},
		{"xAI, money with the status of a wrong key", saying(403, "", "Your team abc has either used all available credits or reached its monthly spending limit."), loop.ErrBilling},
		{"Google, money", fault{text: "Your prepayment credits are depleted"}, loop.ErrBilling},

		{"xAI, context", saying(400, "", "This model's maximum prompt length is 131072 but the request contains 140000 tokens."), loop.ErrContextOverflow},
		{"copilot, context by its count", saying(400, "", "prompt token count of 140000 exceeds the limit of 128000"), loop.ErrContextOverflow},
		{"Moonshot, context", saying(400, "", "Invalid request: Your request exceeded model token limit: 262144 (requested: 300000)"), loop.ErrContextOverflow},
		{"Alibaba, context", saying(400, "", "Range of input length should be [1, 129024]"), loop.ErrContextOverflow},
		{"llama.cpp, context", saying(400, "", "the request exceeds the available context size, try increasing it"), loop.ErrContextOverflow},
		{"cline, context by its class", saying(0, "context_window_exceeded", "too much"), loop.ErrContextOverflow},
		{"kimi, context by its name", fault{text: "compaction.failed: APIContextOverflowError: 400 something else"}, loop.ErrContextOverflow},

		{"OpenRouter, model", saying(400, "", "nope/foo is not a valid model ID"), loop.ErrModel},
		{"OpenRouter, nobody has the model", saying(404, "", "No endpoints found for foo/bar."), loop.ErrModel},
		{"DeepSeek, model", saying(400, "", "Model Not Exist"), loop.ErrModel},
		{"Moonshot, model", fault{text: "Not found the model kimi-zz or Permission denied"}, loop.ErrModel},
		{"Google, model", saying(404, "NOT_FOUND", "Requested entity was not found."), loop.ErrModel},
		{"a model of the past", saying(400, "", "The model gpt-4-x has been deprecated, learn more here"), loop.ErrModel},
		{"codex, a model of the future", saying(400, "", "The 'gpt-9.9-codex' model requires a newer version of Codex."), loop.ErrModel},
		{"crush, model", fault{text: "Agent processing failed: failed to start agent processing stream: not found: model: nope."}, loop.ErrModel},

		{"Azure, filter", saying(400, "", "The response was filtered due to the prompt triggering Azure OpenAI's content management policy."), loop.ErrRefusal},
		{"Anthropic, filter", saying(400, "", "Output blocked by content filtering policy"), loop.ErrRefusal},
		{"OpenAI, filter", saying(400, "", "Your request was rejected as a result of our safety system."), loop.ErrRefusal},
		{"OpenAI, filter by its code", saying(400, "content_policy_violation", "No."), loop.ErrRefusal},
		{"Google, filter", fault{text: "Content blocked: PROHIBITED_CONTENT"}, loop.ErrRefusal},
		{"xAI, filter with the status of a wrong key", saying(403, "", "Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO"), loop.ErrRefusal},
		{"Moonshot, filter", saying(400, "", "The request was rejected because it was considered high risk"), loop.ErrRefusal},
		{"grok, refusal without its word", fault{text: "The model refused to continue"}, loop.ErrRefusal},

		{"gemini, no key", fault{text: "GEMINI_API_KEY environment variable not found. Add that to your environment and try again"}, loop.ErrAuth},
		{"codex, no key", fault{text: "Missing environment variable: `OPENAI_API_KEY`."}, loop.ErrAuth},
		{"Anthropic, no key is no host that could not be resolved", fault{text: "Could not resolve authentication method. Expected one of apiKey or authToken to be set."}, loop.ErrAuth},
		{"crush, shut out", fault{text: "Agent processing failed: failed to start agent processing stream: forbidden: no."}, loop.ErrAuth},
		{"kimi, shut out", fault{text: "provider.auth_error: 403 no"}, loop.ErrAuth},
		{"Moonshot, key", fault{text: "Invalid Authentication"}, loop.ErrAuth},
		{"DeepSeek, key", fault{text: "Authentication Fails, Your api key: ****1234 is invalid"}, loop.ErrAuth},

		{"kimi, rate", fault{text: "provider.rate_limit: 429 max RPM: 3, please try again after 1 seconds"}, loop.ErrRateLimit},
		{"kimi, rate without a status", fault{text: "provider.rate_limit: slow down"}, loop.ErrRateLimit},
		{"grok, rate by its word", fault{text: "requests: Number of requests too high"}, loop.ErrRateLimit},
		{"grok, money by its word", fault{text: "insufficient_quota: no"}, loop.ErrBilling},
		{"grok, a plan by its word", fault{text: "usage_limit_reached: no more"}, loop.ErrUsageLimit},
		{"grok, server by its word", fault{text: "server_error: oh"}, loop.ErrServer},
		{"grok, overloaded by its word", fault{text: "overloaded_error: busy"}, loop.ErrOverloaded},
		{"kimi, server", fault{text: "provider.api_error: 500 x"}, loop.ErrServer},
		{"kimi, overloaded", fault{text: "provider.api_error: 529 x"}, loop.ErrOverloaded},
		{"kimi, a bad request", fault{text: "provider.api_error: 400 x"}, loop.ErrAgent},
		{"kimi, connection", fault{text: "provider.connection_error: x"}, loop.ErrNetwork},
		{"copilot, a status behind its error", fault{text: "Failed to get response from the AI model; retried 5 times Last error: CAPIError: 503 busy"}, loop.ErrOverloaded},
		{"Python, a status", fault{text: "Error code: 502 - {'error': {'message': 'oh'}}"}, loop.ErrServer},
		{"a status by its name", fault{text: "LLM provider error: status_code=401"}, loop.ErrAuth},
		{"a status in the provider's answer", fault{text: `{"error":{"code":503,"message":"try later"}}`}, loop.ErrOverloaded},
		{"a status in an answer within an answer", fault{text: `{"message":"{\"statusCode\": 500}"}`}, loop.ErrServer},
		{"grok, a status on a line of its own", fault{text: "Internal error: {\n  \"message\": \"backend failed\",\n  \"http_status\": 500\n}"}, loop.ErrServer},
		{"OpenAI, server", fault{text: "The server had an error while processing your request. Sorry about that!"}, loop.ErrServer},
		{"DeepSeek, overloaded", fault{text: "The server is currently busy, please try again"}, loop.ErrOverloaded},

		{"Rust, no host", fault{text: "dns error: failed to lookup address information"}, loop.ErrNetwork},
		{"Rust, cut", fault{text: "error decoding response body"}, loop.ErrNetwork},
		{"Go, cut", fault{text: `retry error: Post "https://x": EOF`}, loop.ErrNetwork},
		{"Go, a certificate", fault{text: "tls: failed to verify certificate: x509: certificate signed by unknown authority"}, loop.ErrNetwork},
		{"Node, a certificate", fault{text: "unable to get local issuer certificate"}, loop.ErrNetwork},
		{"Node, no way to the host", fault{text: "connect EHOSTUNREACH 10.0.0.1:443"}, loop.ErrNetwork},
		{"Node, cut", fault{text: "Cannot connect to API: other side closed"}, loop.ErrNetwork},
		{"claude, no more of a reply", fault{text: "API Error: Response stalled mid-stream"}, loop.ErrNetwork},

		{"a limit that comes nearer", fault{text: "Heads up, you have less than 10% of your weekly limit left. Run /status for a breakdown."}, loop.ErrAgent},
		{"a limit that has nearly come", fault{text: "You've used 90% of your weekly limit · resets Nov 18"}, loop.ErrAgent},
		{"a warning of a limit", fault{text: "Approaching Opus usage limit · /model to use another"}, loop.ErrAgent},
		{"a warning before another error", fault{text: "Approaching usage limit. API Error: 500 Oops"}, loop.ErrServer},
		{"a warning before the limit itself", fault{text: "Approaching usage limit · You've hit your session limit · resets 3pm"}, loop.ErrUsageLimit},

		{"a status alone", fault{status: 529}, loop.ErrOverloaded},
		{"a gateway", fault{status: 502}, loop.ErrServer},
		{"a status in the middle is a number like any other", fault{text: "wrote 500 lines"}, loop.ErrAgent},
		{"the status of a program is another", fault{text: "exit code 500"}, loop.ErrAgent},
		{"a bad request", fault{text: `{"error":{"code":400,"message":"no such field"}}`}, loop.ErrAgent},
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
