package agent

import (
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// How agents and providers put the same thing in other words than those that were
// recorded: what they printed in other versions, and what the providers document.
func TestOtherWordsForFaults(t *testing.T) {
	tests := []struct {
		want   loop.ErrorKind
		status int
		word   string
		text   string
	}{
		{loop.ErrRateLimit, 429, "rate_limit", "API Error: Server is temporarily limiting requests (not your usage limit) · Rate limited"},
		{loop.ErrUsageLimit, 429, "rate_limit", "Limit reached · resets 7pm (Asia/Tokyo) · /upgrade to Max or turn on /extra-usage"},
		{loop.ErrUsageLimit, 0, "", "Limit reached ∙ resets 7pm"},
		{loop.ErrUsageLimit, 0, "", "Opus 4.5 limit reached ∙ resets Nov 20, 7pm"},
		{loop.ErrUsageLimit, 429, "", "Number of request tokens has exceeded your daily rate limit"},
		{loop.ErrUsageLimit, 0, "", "5h limit reached, resets in 2h"},
		{loop.ErrUsageLimit, 0, "", "You've used up your plan's limit"},
		{loop.ErrUsageLimit, 0, "", "You have reached your plan limit."},
		{loop.ErrUsageLimit, 0, "", "You've reached your message limit. Try again in 3 hours."},
		{loop.ErrUsageLimit, 0, "", "Your quota has been exhausted. Resets in 3h"},
		{loop.ErrUsageLimit, 0, "", "Quota limit reached, resets at 3:20 AM"},
		{loop.ErrUsageLimit, 0, "", "Hourly limit reached"},
		{loop.ErrUsageLimit, 0, "", "You've reached your usage cap"},
		{loop.ErrUsageLimit, 0, "", "Qwen OAuth quota exceeded: Your free daily quota has been reached.\n\nTo continue using Qwen Code without waiting, upgrade"},
		{loop.ErrUsageLimit, 403, "", "You've reached your usage limit for this billing cycle. Your quota will be refreshed in the next cycle."},
		{loop.ErrUsageLimit, 0, "", "You've hit your usage limit for GPT-5.1-Codex. Switch to another model now, or try again at 4:05 PM."},
		{loop.ErrUsageLimit, 0, "", "You have used all your premium requests for this month"},
		{loop.ErrBilling, 0, "", "To use Codex with your ChatGPT plan, upgrade to Plus: https://openai.com/chatgpt/pricing."},
		{loop.ErrBilling, 0, "", "Budget has been exceeded! Current cost: 10.1, Max budget: 10.0"},
		{loop.ErrBilling, 403, "", "Key limit exceeded (total limit). Manage it using https://openrouter.ai/settings/keys"},
		{loop.ErrBilling, 0, "", "Your subscription has expired"},
		{loop.ErrBilling, 0, "", "Your free trial has ended."},
		{loop.ErrBilling, 400, "Arrearage", "Access denied, please make sure your account is in good standing."},
		{loop.ErrBilling, 429, "1113", "余额不足或无可用资源包,请充值。"},
		{loop.ErrBilling, 0, "", "Error: insufficient_balance"},
		{loop.ErrBilling, 0, "", "402 status code (no body)"},
		{loop.ErrBilling, 0, "", "Your balance is too low"},
		{loop.ErrBilling, 429, "", "You've reached your workspace spend limit"},
		{loop.ErrContextOverflow, 0, "", "Conversation too long. Press esc twice to go up a few messages and try again."},
		{loop.ErrContextOverflow, 400, "", "input length and `max_tokens` exceed context limit: 199999 + 32000 > 200000, decrease input length"},
		{loop.ErrContextOverflow, 0, "", "Request too large (max 32MB). Double press esc to go back and try with a smaller file."},
		{loop.ErrContextOverflow, 400, "", "Please reduce the length of the messages or completion."},
		{loop.ErrContextOverflow, 400, "", "model_max_prompt_tokens_exceeded"},
		{loop.ErrContextOverflow, 400, "", "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576)."},
		{loop.ErrContextOverflow, 400, "exceed_context_size_error", "the request exceeds the available context size"},
		{loop.ErrContextOverflow, 400, "", "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens."},
		{loop.ErrContextOverflow, 0, "", "The context size has been exceeded."},
		{loop.ErrContextOverflow, 400, "", "prompt exceeds max length"},
		{loop.ErrContextOverflow, 413, "", "Request Entity Too Large"},
		{loop.ErrContextOverflow, 0, "", "Total tokens of image and text exceed max message tokens"},
		{loop.ErrAgent, 0, "", "API Error: Claude's response exceeded the 32000 output token maximum. To configure this behavior, set the CLAUDE_CODE_MAX_OUTPUT_TOKENS environment variable."},
		{loop.ErrModel, 0, "", "ProviderModelNotFoundError: ProviderModelNotFoundError\n data: {\n  providerID: \"fake\"}"},
		{loop.ErrModel, 400, "", "The model `llama-3.1-70b` has been decommissioned and is no longer supported."},
		{loop.ErrModel, 400, "", "The provided model identifier is invalid."},
		{loop.ErrModel, 403, "", "You don't have access to the model with the specified model ID."},
		{loop.ErrModel, 404, "", "The API deployment for this resource does not exist."},
		{loop.ErrModel, 404, "", "Publisher Model `projects/p/locations/l/publishers/google/models/gemini-9` was not found or your project does not have access to it."},
		{loop.ErrModel, 0, "", "No models loaded. Please load a model in the developer page"},
		{loop.ErrModel, 0, "", `No models match pattern "nope"`},
		{loop.ErrModel, 0, "", "litellm.BadRequestError: LLM Provider NOT provided. Pass in the LLM provider you are trying to call. You passed model=nope"},
		{loop.ErrModel, 0, "", `Model "nope" from --model flag is not available.`},
		{loop.ErrModel, 0, "", "Error: no such model: nope"},
		{loop.ErrModel, 0, "", "Could not find model nope"},
		{loop.ErrModel, 400, "", "Unrecognized model: nope"},
		{loop.ErrModel, 404, "not_found_error", "model: claude-nope"},
		{loop.ErrModel, 400, "model_not_supported", "The requested model is not supported."},
		{loop.ErrModel, 0, "", "The model claude-3-opus was retired on January 5"},
		{loop.ErrModel, 404, "", "The model is not found"},
		{loop.ErrModel, 0, "", "No model configured. Run /model"},
		{loop.ErrAuth, 403, "forbidden", "Request not allowed"},
		{loop.ErrAuth, 0, "", "Your account does not have access to Claude Code. Please run /login."},
		{loop.ErrAuth, 0, "", "No models available. Use /login or set an API key environment variable."},
		{loop.ErrAuth, 0, "", "no providers configured - please run 'crush' to set up a provider interactively"},
		{loop.ErrAuth, 0, "", "No models available.\n\nSet an API key environment variable:\n  ANTHROPIC_API_KEY, OPENAI_API_KEY"},
		{loop.ErrAuth, 0, "", "LLM not set"},
		{loop.ErrAuth, 0, "", "Please run `kimi login` first"},
		{loop.ErrAuth, 0, "", "Run: gh auth login"},
		{loop.ErrAuth, 0, "", "Country, region, or territory not supported"},
		{loop.ErrAuth, 0, "", "Error: Access denied by policy settings (Request ID: X)"},
		{loop.ErrAuth, 0, "", "The security token included in the request is expired"},
		{loop.ErrAuth, 0, "", "Could not load credentials from any providers"},
		{loop.ErrAuth, 0, "", "Could not load the default credentials. Browse to https://cloud.google.com/docs/authentication"},
		{loop.ErrAuth, 0, "", "Unable to locate credentials"},
		{loop.ErrAuth, 0, "", "invalid credentials"},
		{loop.ErrAuth, 0, "", "No credentials found for provider anthropic"},
		{loop.ErrAuth, 0, "", "Please use /auth to re-authenticate"},
		{loop.ErrAuth, 0, "", "Unauthenticated"},
		{loop.ErrAuth, 0, "", "Not authorized"},
		{loop.ErrAuth, 0, "", "Your API key has been revoked"},
		{loop.ErrAuth, 0, "", "Verify your account to continue. https://accounts.google.com"},
		{loop.ErrAuth, 0, "", "Your authentication token has been invalidated. Please try signing in again."},
		{loop.ErrAuth, 0, "", "Failed to login. Message: Request had invalid authentication credentials"},
		{loop.ErrAuth, 0, "", "API key is invalid"},
		{loop.ErrAuth, 0, "", "You are not logged in"},
		{loop.ErrAuth, 0, "", "Missing bearer or basic authentication in header"},
		{loop.ErrAuth, 0, "", "HTTP 401"},
		{loop.ErrAuth, 0, "", "HTTP/1.1 401"},
		{loop.ErrRateLimit, 0, "", "ThrottlingException: Too many tokens, please wait before trying again."},
		{loop.ErrRateLimit, 0, "", "Request was throttled"},
		{loop.ErrRateLimit, 0, "", "Too many concurrent requests"},
		{loop.ErrRateLimit, 0, "", "Error 429: slow"},
		{loop.ErrRateLimit, 0, "", "request failed with status code 429"},
		{loop.ErrRateLimit, 0, "", "server responded with 429"},
		{loop.ErrRateLimit, 429, "", "Rate limit reached for gpt-5 in organization org-x on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in 2.5s."},
		{loop.ErrRateLimit, 0, "", "[429] slow"},
		{loop.ErrRateLimit, 429, "rate_limit_exceeded", "Rate limit reached for gpt-5 in organization org-x on requests per min. Limit: 3 / min. Please try again in 20s. Please add a payment method to your account to increase your rate limit. Visit https://platform.openai.com/account/billing to add a payment method."},
		{loop.ErrRateLimit, 0, "", "You can increase your rate limit by adding a payment method to your account at https://platform.openai.com/account/billing."},
		{loop.ErrUsageLimit, 429, "", "Rate limit reached for gpt-5 in organization org-x on requests per day (RPD): Limit 200, Used 200. Please add a payment method to your account to increase your rate limit."},
		{loop.ErrBilling, 0, "", "Your account has no valid payment method"},
		{loop.ErrOverloaded, 0, "", `API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`},
		{loop.ErrOverloaded, 0, "", "Due to capacity constraints we cannot serve this"},
		{loop.ErrOverloaded, 503, "", "Slow down"},
		{loop.ErrOverloaded, 0, "", "ServiceUnavailableException: Bedrock is unable to process your request."},
		{loop.ErrOverloaded, 0, "", "[GoogleGenerativeAI Error]: Error fetching from https://x: [503 Service Unavailable] try"},
		{loop.ErrOverloaded, 0, "", "We are under heavy load, try again"},
		{loop.ErrOverloaded, 0, "", "The server is overwhelmed: too much traffic"},
		{loop.ErrServer, 0, "", `API Error: 500 {"type":"error","error":{"type":"api_error","message":"Internal server error"}}`},
		{loop.ErrServer, 0, "", "502 Bad Gateway"},
		{loop.ErrServer, 0, "", "Error code: 520"},
		{loop.ErrServer, 0, "", "Internal error encountered."},
		{loop.ErrNetwork, 0, "", "API Error: Connection error."},
		{loop.ErrNetwork, 0, "", "API Error: Request timed out."},
		{loop.ErrNetwork, 0, "", "unable to verify the first certificate"},
		{loop.ErrNetwork, 0, "", "SELF_SIGNED_CERT_IN_CHAIN"},
		{loop.ErrNetwork, 0, "", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"},
		{loop.ErrNetwork, 0, "", "Server disconnected without sending a response."},
		{loop.ErrNetwork, 0, "", "peer closed connection without sending complete message body (incomplete chunked read)"},
		{loop.ErrNetwork, 0, "", "ERR_STREAM_PREMATURE_CLOSE"},
		{loop.ErrNetwork, 0, "", "nodename nor servname provided, or not known"},
		{loop.ErrNetwork, 0, "", "No route to host"},
		{loop.ErrNetwork, 0, "", "http2: server sent GOAWAY and closed the connection"},
		{loop.ErrNetwork, 0, "", "stream ended before message_stop"},
		{loop.ErrNetwork, 0, "", "All connection attempts failed"},
		{loop.ErrNetwork, 0, "", "Connection was interrupted"},
		{loop.ErrNetwork, 0, "", "ConnectError: [Errno 111] Connect call failed"},
		{loop.ErrNetwork, 0, "", "TLS handshake eof"},
		{loop.ErrNetwork, 0, "", "write EPROTO 139: SSL routines: wrong version number"},
		{loop.ErrNetwork, 0, "", "The operation was aborted due to timeout"},
		{loop.ErrNetwork, 0, "", "proxy connect aborted"},
		{loop.ErrNetwork, 407, "", "Proxy Authentication Required"},
		{loop.ErrNetwork, 0, "", "Timeout"},
		{loop.ErrNetwork, 0, "", "terminated"},
		{loop.ErrNetwork, 0, "", "API Error: terminated"},
		{loop.ErrNetwork, 0, "", "Network error"},
		{loop.ErrNetwork, 0, "", "A network error occurred."},
		{loop.ErrNetwork, 0, "", "dial tcp 10.0.0.1:443: connect: network is unreachable"},
		{loop.ErrNetwork, 0, "", "The server is unreachable."},
		{loop.ErrNetwork, 0, "", "idle timeout waiting for SSE"},
		{loop.ErrNetwork, 0, "", "gateway timeout"},
		{loop.ErrNetwork, 0, "", "Post \"https://x/v1\": unexpected EOF"},
		{loop.ErrNetwork, 0, "", "UND_ERR_SOCKET"},
		{loop.ErrAgent, 0, "", "thread 'main' panicked at src/main.rs:10:5:\ninternal error: entered unreachable code"},
		{loop.ErrAgent, 0, "", "Error loading config.toml: unknown field `stream_idle_timeout`, expected one of"},
		{loop.ErrAgent, 0, "", "error: unexpected argument '--timeout' found"},
		{loop.ErrAgent, 0, "", "error: unknown option '--network'"},
		{loop.ErrAgent, 0, "", "Error: ENOENT: no such file or directory, open '/srv/network/prompt.md'"},
		{loop.ErrAgent, 0, "", "Error: EACCES: permission denied, open '/srv/network'"},
		{loop.ErrAgent, 0, "", "Error: Cannot find module '/opt/agents/network/index.js'"},
		{loop.ErrAgent, 0, "", "Error: parse config: unexpected EOF"},
		{loop.ErrAgent, 0, "", "Hook failed: exit code 2 (terminated)"},
		{loop.ErrAgent, 0, "", "Tool timeout: command took longer than 120s"},
		{loop.ErrAgent, 0, "", "The tool timed out"},
		{loop.ErrAgent, 0, "", "SyntaxError: Unterminated string in JSON at position 20"},
		{loop.ErrAgent, 0, "", "the process was terminated by the user"},
		{loop.ErrServer, 0, "", "Upstream error from provider"},
		{loop.ErrRefusal, 400, "invalid_prompt", "Invalid prompt: your prompt was flagged as potentially violating our usage policy."},
		{loop.ErrRefusal, 0, "", "Invalid prompt: your prompt was flagged as potentially violating our usage policy."},
		{loop.ErrRefusal, 400, "data_inspection_failed", "Input data may contain inappropriate content."},
		{loop.ErrRefusal, 0, "", "400 Output data may contain inappropriate content."},
		{loop.ErrRefusal, 400, "", "Content Exists Risk"},
		{loop.ErrRefusal, 403, "", `Your chosen model requires moderation and your input was flagged for "violence". No credits were charged.`},
		{loop.ErrRefusal, 0, "", "Candidate was blocked due to SAFETY"},
		{loop.ErrRefusal, 0, "", "Response stopped due to safety settings"},
		{loop.ErrRefusal, 0, "", "finishReason: PROHIBITED_CONTENT"},
		{loop.ErrRefusal, 0, "", "Response blocked: finish reason SAFETY"},
		{loop.ErrRefusal, 400, "", "The request was flagged by our content policy"},
		{loop.ErrRefusal, 0, "", "This request violates our usage policies"},
		{loop.ErrRefusal, 0, "", "API Error: Claude Code is unable to respond to this request, which appears to violate our Usage Policy (https://www.anthropic.com/legal/aup)."},
		{loop.ErrRefusal, 0, "", "stop_reason: refusal"},
		{loop.ErrRefusal, 0, "", "This content can't be shown: the response was filtered"},
		{loop.ErrRefusal, 400, "", `{"innererror":{"code":"ResponsibleAIPolicyViolation"}}`},
		{loop.ErrMaxTurns, 0, "", "Max number of steps reached: 100"},
		{loop.ErrMaxTurns, 0, "", "Reached maximum number of turns (3)"},
		{loop.ErrMaxTurns, 0, "", "max turns exceeded"},
		{loop.ErrMaxTurns, 0, "", "Maximum iterations reached"},
		{loop.ErrPermission, 0, "", "The user rejected permission to use this specific tool call."},
		{loop.ErrAgent, 0, "", "You have 20% of your usage limit remaining"},
		{loop.ErrAgent, 0, "", "output limit reached"},
		{loop.ErrRateLimit, 0, "", "Rate limit reached, resets in 20s"},
		{loop.ErrRateLimit, 0, "", "You've exceeded your rate limit"},
		{loop.ErrRateLimit, 0, "", "Rate limit exceeded. Use /login to add a key of your own"},
		{loop.ErrRateLimit, 0, "", "Rate limit exceeded. Sign in to continue, or set an API key."},
		{loop.ErrContextOverflow, 0, "", "You have reached your context limit"},
		{loop.ErrAgent, 0, "", "You've reached your output limit"},
		{loop.ErrAgent, 0, "", "You've hit your turn limit"},
		{loop.ErrUsageLimit, 0, "", "You have 0% of your usage limit left"},
		{loop.ErrModel, 403, "", "Project `p` does not have access to model `m`"},
		{loop.ErrUsageLimit, 429, "", "Rate limit reached for model `m` on tokens per day (TPD): Limit 100000, Used 99000. Please try again in 20m."},
		{loop.ErrOverloaded, 503, "", "Loading model"},
		{loop.ErrAgent, 0, "", "wrote [500] lines"},
		{loop.ErrBilling, 403, "AllocationQuota.FreeTierOnly", "The free tier of the model has been exhausted. If you wish to continue access the model on a paid basis, please disable the mode."},
		{loop.ErrBilling, 403, "", "Your newly created team doesn't have any credits yet."},
		{loop.ErrUsageLimit, 429, "", "hour allocated quota exceeded."},
		{loop.ErrRateLimit, 429, "", "Allocated quota exceeded, please increase your quota limit."},
		{loop.ErrAuth, 403, "permission_error", "OAuth token does not meet scope requirement user:inference"},
		{loop.ErrAuth, 0, "", "Qwen OAuth free tier has been discontinued as of 2026-04-15."},
		{loop.ErrContextOverflow, 0, "", "Error: turn/start: turn/start failed: Input exceeds the maximum length of 1048576 characters. (code -32602)"},
		{loop.ErrNetwork, 0, "", "HTTP/2 stream 5 was not closed cleanly: INTERNAL_ERROR"},
		{loop.ErrNetwork, 0, "", "incomplete chunked read"},
		{loop.ErrNetwork, 0, "", "SSE stream ended without a message_stop"},
	}
	for _, tt := range tests {
		if got := saying(tt.status, tt.word, tt.text).class(); got != tt.want {
			t.Errorf("%d %q %q is %q, want %q", tt.status, tt.word, tt.text, got, tt.want)
		}
	}
}

// And how they put when a limit ends, on a clock in Berlin.
func TestOtherWordsForResets(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 15, 1, 20, 0, 0, time.UTC)
	twoHours := now.Add(2 * time.Hour)
	tests := []struct {
		text string
		want time.Time
	}{
		{"Please try again after 2026-11-15 03:20:00 UTC", twoHours},
		{"Your quota will reset on 2026-11-15 03:20 UTC", twoHours},
		{"Resets in: 1d 2h", now.Add(26 * time.Hour)},
		{"Reset at 2026-11-15T03:20:00.123Z", twoHours.Add(123 * time.Millisecond)},
		{"Try again in an hour.", now.Add(time.Hour)},
		{"Try again in one hour.", now.Add(time.Hour)},
		{"Try again in two hours.", twoHours},
		{"Try again in a minute.", now.Add(time.Minute)},
		{"Try again in a few minutes.", time.Time{}},
		{"resets Thursday 9am (UTC)", time.Date(2026, 11, 19, 9, 0, 0, 0, time.UTC)},
		{"resets Thu, 9:00 AM UTC", time.Date(2026, 11, 19, 9, 0, 0, 0, time.UTC)},
		{"resets Thu at 9:00 AM UTC", time.Date(2026, 11, 19, 9, 0, 0, 0, time.UTC)},
		{"resets on Monday at 9:00 UTC", time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC)},
		{"resets Sunday at 9:00 UTC", time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)},
		{"resets tomorrow at 9:00 AM UTC", time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC)},
		{"resets today at 9:00 AM UTC", time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)},
		{"resets at midnight UTC", time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC)},
		{"resets at midnight (UTC)", time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC)},
		{"resets at noon (UTC)", time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)},
		{"Your limit refreshes in 2h", twoHours},
		{"Your limit refreshes at 3:20 AM UTC", twoHours},
		{"Your quota renews on Dec 1", time.Date(2026, 12, 1, 0, 0, 0, 0, berlin)},
		{"Quota will be refreshed in 2 hours", twoHours},
		{"Credits replenish in 2 hours", twoHours},
		{"Next reset: 2026-11-15 03:20 UTC", twoHours},
		{"Next reset in 2 hours", twoHours},
		{"Reset time: 3:20 AM UTC", twoHours},
		{"Reset time: 2026-11-15 03:20:00 UTC", twoHours},
		{"reset date: Nov 18, 2026", time.Date(2026, 11, 18, 0, 0, 0, 0, berlin)},
		{"resets at 11/15/2026, 4:20:00 AM", twoHours},
		{"try again after 11/18/2026", time.Date(2026, 11, 18, 0, 0, 0, 0, berlin)},
		{"resets at Sun Nov 15 2026 03:20:00 GMT+0000 (Coordinated Universal Time)", twoHours},
		{"try again at Sun, 15 Nov 2026 03:20:00 GMT", twoHours},
		{"resets at 2026-11-15 03:20:00 +0000 UTC", twoHours},
		{"resets at 2026-11-15T03:20:00.123456789+00:00", twoHours.Add(123456789)},
		{"resets at 3:20 a.m. UTC", twoHours},
		{"resets at 2026-11-15 04:20 +01:00", twoHours},
		{"resets at 04:20+01:00", twoHours},
		{"resets 12:20pm JST", twoHours},
		{"resets 8:50am IST", twoHours},
		{"resets 9:20pm CST", twoHours},
		{"resets 8:20pm MST", twoHours},
		{"resets 3:20am BST", time.Date(2026, 11, 15, 3, 20, 0, 0, time.UTC)},
		{"resets 9:20pm (CT)", twoHours},
		{"resets 7:20pm Pacific Time", twoHours},
		{"resets 7:20pm Pacific", twoHours},
		{`{"retryAfter":7200}`, twoHours},
		{`{"retryAfterMs":7200000}`, twoHours},
		{`{"retry_after_ms":7200000}`, twoHours},
		{`{"retryDelayMs":7200000}`, twoHours},
		{`{"resetInSeconds":7200}`, twoHours},
		{`{"resetsInSeconds":7200}`, twoHours},
		{`{"resetsAt":1794712800}`, time.Unix(1794712800, 0).UTC()},
		{`{"reset_at":"2026-11-15T03:20:00Z"}`, twoHours},
		{`{'resets_in_seconds': 7200}`, twoHours},
		{`{'resets_at': 1794712800}`, time.Unix(1794712800, 0).UTC()},
		{`'retry-after': '7200'`, twoHours},
		{"Try again in less than 2 hours", twoHours},
		{"Try again in at least 2 hours", twoHours},
		{"Try again in another 2 hours", twoHours},
		{"Try again in 1:59:30", now.Add(time.Hour + 59*time.Minute + 30*time.Second)},
		{"Resets in 02:00:00", twoHours},
		{"resets in 120m", twoHours},
		{"Your limit will be lifted in 2 hours", twoHours},
		{"You can continue in 2 hours", twoHours},
		{"You can use it again at 3:20 AM UTC", twoHours},
		{"Please wait 7200 seconds before retrying", twoHours},
		{"Please wait for 2h0m0s", twoHours},
		{"Retry in 2 hours", twoHours},
		{"retry_after: 2h", twoHours},
		{"(resets in 2h 0m)", twoHours},
		{"resets 4:20 AM", twoHours},
		{"resets 4:20", twoHours},
		{"Please try again at 4:20 AM (Europe/Berlin).", twoHours},
		{"Retry-After: 7200s", twoHours},
		{"Your usage resets in 2 hrs, 0 mins", twoHours},
		{"retry after 2026-11-15T03:20:00Z", twoHours},
		{"resets 12/31/2026", time.Date(2026, 12, 31, 0, 0, 0, 0, berlin)},
		{"resets 20/11/2026 at 9:00 AM UTC", time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)},
		{"resets 2026/11/20 09:00 UTC", time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)},
		{"try again in half an hour", now.Add(30 * time.Minute)},
		{"resets at 2026-11-15T04:20:00", twoHours},
		{"resets Sunday at 1:00 UTC", time.Date(2026, 11, 22, 1, 0, 0, 0, time.UTC)},
		{"resets tomorrow", time.Date(2026, 11, 16, 0, 0, 0, 0, berlin)},
		{"resets Monday", time.Date(2026, 11, 16, 0, 0, 0, 0, berlin)},
		{"resets 3:20am (UTC) on Nov 20", time.Date(2026, 11, 20, 3, 20, 0, 0, time.UTC)},
		{"resets at 3:20 AM UTC on November 20, 2026", time.Date(2026, 11, 20, 3, 20, 0, 0, time.UTC)},
		{"resets at 4:20 AM on Nov 20", time.Date(2026, 11, 20, 3, 20, 0, 0, time.UTC)},
		{"resets at 9am (UTC) on Thursday", time.Date(2026, 11, 19, 9, 0, 0, 0, time.UTC)},
		{"resets at 9am UTC tomorrow", time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC)},
		{"Your monthly limit resets 3:20am (UTC) monthly", twoHours},
		{"resets 3:20am (UTC) on 20 Nov", time.Date(2026, 11, 20, 3, 20, 0, 0, time.UTC)},
		{"resets on 15.11.2026 04:20", twoHours},
		{"resets 4.20am", twoHours},
		{"resets @ 4:20am", twoHours},
		{"resets 3:20am Europe/London", twoHours},
		{"Retry after: 120 minutes", twoHours},
		{"Retry after: 2 hours.", twoHours},
		{"Retry after: 7200", twoHours},
		{"retry after Sun, 15 Nov 2026 03:20:00 GMT", twoHours},
		{"Come back at 4:20 AM", twoHours},
		{"unlocks at 4:20 AM", twoHours},
		{"Resumes at 4:20 AM", twoHours},
		{"reset at 1794712800", time.Unix(1794712800, 0).UTC()},
		{`{"resets_in":7200}`, twoHours},
		{`{"reset_after":"7200s"}`, twoHours},
		{"retry_after_s: 7200", twoHours},
		{`"retry_after_secs":7200`, twoHours},
		{`"seconds_until_reset":7200`, twoHours},
		{"x-ratelimit-reset-requests: 2h0m0s", twoHours},
		{"2 hours until reset", twoHours},
		{"120 minutes remaining until your limit resets", twoHours},
		{"limit resets 2 hours from now", twoHours},
		{"your quota refills in 2 hours", twoHours},
		{"Next window opens in 2h", twoHours},
		{"in 2 hours, 0 minutes and 0 seconds you can try again", twoHours},
		{"resets 1/2", time.Time{}},
		{"resets today at 1:00 UTC", time.Time{}},
		{"resets in 99:99", time.Time{}},
		{"try again on a weekday", time.Time{}},
	}
	for _, tt := range tests {
		if got := resetIn(tt.text, now.In(berlin)); !got.Equal(tt.want) {
			t.Errorf("%q ends at %v, want %v", tt.text, got, tt.want.UTC())
		}
	}
}

// Whole streams of versions and troubles that were not recorded.
func TestOtherStreams(t *testing.T) {
	claude := func(result string) string {
		return `{"type":"result","subtype":"success","is_error":true,"result":"` + result + `"}`
	}
	codex := func(message string) string { return `{"type":"turn.failed","error":{"message":"` + message + `"}}` }
	gemini := func(kind, message string) string {
		return `{"type":"result","status":"error","error":{"type":"` + kind + `","message":"` + message + `"}}`
	}
	opencode := func(name, data string) string {
		return `{"type":"error","error":{"name":"` + name + `","data":{` + data + `}}}`
	}
	copilot := func(kind, message string) string {
		return `{"type":"session.error","data":{"errorType":"` + kind + `","message":"` + message + `"}}`
	}
	qwen := func(message string) string {
		return `{"type":"result","subtype":"error_during_execution","is_error":true,"error":{"message":"[API Error: ` + message + `]"}}`
	}
	pi := func(message string) string {
		return `{"type":"message_end","message":{"role":"assistant","content":[],"stopReason":"error","errorMessage":"` + message + `"}}`
	}
	const untilSome = true
	tests := []struct {
		agent, line string
		want        loop.ErrorKind
		until       bool // it tells when the limit ends
	}{
		{"claude", claude(`API Error: 529 {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}`), loop.ErrOverloaded, false},
		{"claude", claude("Claude AI usage limit reached|1794720000"), loop.ErrUsageLimit, untilSome},
		{"claude", claude("Limit reached · resets 7pm (UTC) · /upgrade to Max"), loop.ErrUsageLimit, untilSome},
		{"claude", claude("You've hit your session limit · resets 3:45pm (America/New_York)"), loop.ErrUsageLimit, untilSome},
		{"claude", claude("API Error: Server is temporarily limiting requests (not your usage limit) · Rate limited"), loop.ErrRateLimit, false},
		{"claude", claude("Your account does not have access to Claude Code. Please run /login."), loop.ErrAuth, false},
		{"claude", claude("Your organization's monthly spend limit has been reached"), loop.ErrBilling, false},
		{"claude", `{"type":"result","subtype":"error_max_structured_output_retries","is_error":true,"errors":["no"]}`, loop.ErrAgent, false},
		{"codex", codex("You've hit your usage limit. Upgrade to Pro or try again in 3 days 21 hours 5 minutes."), loop.ErrUsageLimit, untilSome},
		{"codex", codex(`{\"error\":{\"type\":\"usage_limit_reached\",\"resets_in_seconds\":7200}}`), loop.ErrUsageLimit, untilSome},
		{"codex", codex("Invalid prompt: your prompt was flagged as potentially violating our usage policy."), loop.ErrRefusal, false},
		{"codex", codex("To use Codex with your ChatGPT plan, upgrade to Plus: https://openai.com/chatgpt/pricing."), loop.ErrBilling, false},
		{"codex", codex(`{\"detail\":\"The 'gpt-9' model is not supported when using Codex with a ChatGPT account.\"}`), loop.ErrModel, false},
		{"gemini", gemini("TerminalQuotaError", "Your quota will reset after 13h25m3s."), loop.ErrUsageLimit, untilSome},
		{"gemini", gemini("ModelNotFoundError", "models/gemini-9 is not found for API version v1beta"), loop.ErrModel, false},
		{"gemini", gemini("Error", "The response was blocked: finishReason: SAFETY"), loop.ErrRefusal, false},
		{"qwen", qwen("400 Input data may contain inappropriate content."), loop.ErrRefusal, false},
		{"qwen", qwen("400 Access denied, please make sure your account is in good standing."), loop.ErrBilling, false},
		{"opencode", opencode("ProviderAuthError", `"message":"x"`), loop.ErrAuth, false},
		{"opencode", opencode("UnknownError", `"message":"ProviderModelNotFoundError: ProviderModelNotFoundError\n data: {}"`), loop.ErrModel, false},
		{"opencode", opencode("APIError", `"message":"Too Many Requests","statusCode":429,"responseHeaders":{"retry-after":"7200"}`), loop.ErrRateLimit, untilSome},
		{"opencode", opencode("MessageAbortedError", `"message":"aborted"`), loop.ErrAgent, false},
		{"opencode", `{"type":"error","error":"Model not found: a/b"}`, loop.ErrModel, false},
		{"opencode", `{"type":"error","error":{"name":"UnknownError","message":"Unauthorized"}}`, loop.ErrAuth, false},
		{"copilot", copilot("quota", "You have exceeded your monthly quota"), loop.ErrBilling, false},
		{"copilot", copilot("rate_limit", "Sorry, you've hit a rate limit. Please try again in 58 hours."), loop.ErrRateLimit, untilSome},
		{"copilot", copilot("query", "400 The requested model is not supported."), loop.ErrModel, false},
		{"pi", pi("You have hit your ChatGPT usage limit (plus plan). Try again in ~123 min."), loop.ErrUsageLimit, untilSome},
		{"grok", `{"type":"result","subtype":"error_during_execution","is_error":true,"errors":["API error (status 503 Service Unavailable): busy"]}`, loop.ErrOverloaded, false},
		{"droid", `{"type":"error","source":"agent_loop","message":"402 status code (no body)"}`, loop.ErrBilling, false},
		{"pi", `{"type":"message_end","message":{"role":"assistant","content":[],"stopReason":"error","rawStopReason":"refusal"}}`, loop.ErrRefusal, false},
		{"pi", `{"type":"message_end","message":{"role":"assistant","content":[],"stopReason":"error","rawStopReason":"content_filter","errorMessage":"The provider stopped the response"}}`, loop.ErrRefusal, false},
		{"cline", `{"type":"run_result","finishReason":"max_iterations","iterations":9}`, loop.ErrMaxTurns, false},
		{"cline", `{"type":"run_result","finishReason":"mistake_limit","iterations":9}`, loop.ErrAgent, false},
		{"cline", `{"type":"run_result","finishReason":"error","text":"Unauthorized: Please sign in to Cline before trying again.","iterations":1}`, loop.ErrAuth, false},
	}
	for _, tt := range tests {
		all, result := decodeLines(tt.agent, exitOf(1, false), tt.line)
		until := false
		for _, p := range all {
			if limit, ok := p.(*loop.AgentLimit); ok && !limit.Limit.Until.IsZero() {
				until = true
			}
		}
		if got := kindOf(result); got != tt.want || until != tt.until {
			t.Errorf("%s: %s\nis %q with an end (%v), want %q (%v)", tt.agent, tt.line, got, until, tt.want, tt.until)
		}
	}
}

// Words for a fault that come without a status. Some that look like them are none.
func TestWordsWithoutAStatus(t *testing.T) {
	for kind, texts := range map[loop.ErrorKind][]string{
		loop.ErrUsageLimit: {
			"You are out of usage for this week. Resets Nov 20.", "You have no usage left until 3:25 AM", "Quota exhausted. Resets in 2h",
			"You've run out of messages until 3:25 AM", "You've reached the 5h cap. Resets in 2h", "Your plan's allowance is used up until 3:25 AM",
			"429 Max plan usage exceeded. Your usage will reset at 3:25 AM", "429 You have reached the 5-hour message cap",
		},
		loop.ErrRateLimit: {
			"Rate exceeded", "Slow down: you are sending requests too fast", "Request rate exceeded", "Tokens per minute exceeded for this key", "You're sending messages too quickly",
			"Resource has been exhausted (e.g. check quota).", "Resource exhausted. Please try again later. Please refer to https://cloud.google.com/x for more details.",
		},
		loop.ErrOverloaded: {"The model is currently at maximum capacity", "Server busy", "We're experiencing exceptionally high traffic"},
		loop.ErrServer:     {"Unexpected server response: 502", "An error occurred while processing your request. You can retry your request, or contact us through our help center"},
		loop.ErrNetwork: {
			"Failed to fetch", "transport error", "stream interrupted before the reply was complete", "Stream idle for 300 s, giving up", "Premature end of stream",
			"client error (Connect)", "No internet connection", "Could not connect to the server", "EOF",
		},
		loop.ErrAuth: {
			"Invalid token", "Error: Access denied.", "Login failed", "Token is expired", "Bad credentials", "You must sign in first", "API key required", "API key was rejected", "ANTHROPIC_API_KEY is not set",
			"Environment variable OPENAI_API_KEY not set", "You do not have permission to access this resource",
		},
		loop.ErrContextOverflow: {
			"Too many tokens in the prompt: 250000 > 200000", "This request exceeds the maximum allowed number of input tokens: 128000", "input length exceeds the model limit",
			"Input is too large for this model",
		},
		loop.ErrModel: {"Model 'nope' is unavailable", "Unable to find model nope", "Unable to access model nope", "No provider found for model nope", "Could not resolve model 'nope'"},
		loop.ErrRefusal: {
			"The request was blocked by the safety filter", "Response blocked by content filter", "Content filtered", "finish_reason: content-filter",
			"The response was stopped by a safety classifier", "Opus 5.5's safeguards flagged this message", "The model declined to answer",
			"This request has been flagged for possible cybersecurity risk.",
		},
		loop.ErrMaxTurns:    {"Turn limit reached", "Reached the turn limit (3)", "Max steps reached", "Maximum session turns exceeded"},
		loop.ErrAgentBudget: {"Reached maximum budget ($0.001)"},
		loop.ErrBilling: {
			"You have insufficient credit", "No credits left", "insufficient_credits", "Billing is not active", "This request requires a paid plan",
			"You've reached your spending cap", "You've reached your workspace's credit limit. Ask your admin",
		},
		loop.ErrAgent: {
			"permission: the file could not be written", "Disk quota exceeded", "quota: no such program", "Failed to fetch the tool list", "SyntaxError: invalid token",
			"Access denied for the file a.txt", "Invalid model tool call", "model 'a' is temporarily busy", "The memory usage exceeded 2 GB", "The error rate exceeded 5",
		},
	} {
		for _, text := range texts {
			if got := (fault{text: text}).class(); got != kind {
				t.Errorf("%q is %q, want %q", text, got, kind)
			}
		}
	}
}
