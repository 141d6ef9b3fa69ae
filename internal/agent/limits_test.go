package agent

import (
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
)

// claudeEnd is a result with an error in its text.
func claudeEnd(text string) string {
	return fmt.Sprintf(`{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":%q}`, text)
}

func codexEnd(text string) string {
	return fmt.Sprintf(`{"type":"turn.failed","error":{"message":%q}}`, text)
}

func geminiEnd(text string) string {
	return fmt.Sprintf(`{"type":"result","status":"error","error":{"type":"unknown","message":%q}}`, text)
}

func qwenEnd(text string) string {
	return fmt.Sprintf(`{"type":"result","subtype":"success","is_error":false,"result":%q}`, "[API Error: "+text+"]")
}

func piEnd(text string) string {
	return fmt.Sprintf(`{"type":"message_end","message":{"role":"assistant","stopReason":"error","errorMessage":%q}}`, text)
}

func copilotEnd(text string) string {
	return fmt.Sprintf(`{"type":"session.error","data":{"errorType":"rate_limit","statusCode":429,"message":%q}}`, text)
}

// A limit is known by the agent's event for it, then by what it says.
func TestLimits(t *testing.T) {
	at := func(day, hour, minute int) time.Time { return time.Date(2026, 11, day, hour, minute, 0, 0, time.UTC) }
	event := func(kind string, reset time.Time) string {
		return fmt.Sprintf(`{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","rateLimitType":%q,"resetsAt":%d}}`, kind, reset.Unix())
	}
	tests := []struct {
		name, agent string
		lines       []string
		want        loop.Limit
		kind        loop.ErrorKind
	}{
		{
			"an event says more than the text after it", "claude",
			[]string{event("five_hour", at(15, 3, 24)), claudeEnd("You've hit your limit · resets 4am (UTC)")},
			loop.Limit{Kind: "five_hour", Until: at(15, 3, 24)},
			loop.ErrUsageLimit,
		},
		{
			"an event without an end gives its name to the text's", "claude",
			[]string{`{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","rateLimitType":"seven_day_opus"}}`, claudeEnd("You've hit your limit · resets 4am (UTC)")},
			loop.Limit{Kind: "weekly_opus", Until: at(15, 4, 0)},
			loop.ErrUsageLimit,
		},
		{
			"a warning before it is nothing", "claude",
			[]string{
				`{"type":"rate_limit_event","rate_limit_info":{"status":"allowed_warning","rateLimitType":"seven_day","resetsAt":1795500000,"utilization":0.9}}`,
				claudeEnd("You've hit your session limit · resets 3:24am (UTC)"),
			},
			loop.Limit{Kind: "five_hour", Until: at(15, 3, 24)},
			loop.ErrUsageLimit,
		},
		{"a stamp", "claude", []string{claudeEnd("Claude AI usage limit reached|1794713084")}, loop.Limit{Kind: "usage_limit", Until: time.Unix(1794713084, 0).UTC()}, loop.ErrUsageLimit},
		{"five hours", "claude", []string{claudeEnd("5-hour limit reached ∙ resets 3pm")}, loop.Limit{Kind: "five_hour", Until: at(15, 15, 0)}, loop.ErrUsageLimit},
		{"a week", "claude", []string{claudeEnd("You've hit your weekly limit · resets Nov 18, 9am (UTC)")}, loop.Limit{Kind: "weekly", Until: at(18, 9, 0)}, loop.ErrUsageLimit},
		{"a week of one model", "claude", []string{claudeEnd("Opus weekly limit reached ∙ resets Nov 24")}, loop.Limit{Kind: "weekly_opus", Until: at(24, 0, 0)}, loop.ErrUsageLimit},
		{"a model", "claude", []string{claudeEnd("You've hit your Sonnet limit · resets Nov 24, 1am (UTC)")}, loop.Limit{Kind: "weekly_sonnet", Until: at(24, 1, 0)}, loop.ErrUsageLimit},
		{"a month", "claude", []string{claudeEnd("You've hit your org's monthly usage limit")}, loop.Limit{Kind: "monthly"}, loop.ErrUsageLimit},
		{"what was paid for", "claude", []string{claudeEnd("You're out of extra usage · resets 9am (UTC)")}, loop.Limit{Kind: "overage", Until: at(15, 9, 0)}, loop.ErrUsageLimit},
		{"a rate", "claude", []string{claudeEnd("API Error: Request rejected (429) · This request would exceed your rate limit.")}, loop.Limit{Kind: "rate_limit"}, loop.ErrRateLimit},

		{"a time of day", "codex", []string{codexEnd("You’ve hit your usage limit. Visit … or try again at 3:25 AM.")}, loop.Limit{Kind: "usage_limit", Until: at(15, 3, 25)}, loop.ErrUsageLimit},
		{"a wait", "codex", []string{codexEnd("You've hit your usage limit. Upgrade to Pro or try again in 3 days 4 hours.")}, loop.Limit{Kind: "usage_limit", Until: recordedAt.Add(76 * time.Hour)}, loop.ErrUsageLimit},
		{"the provider's answer", "codex", []string{codexEnd(`{"error":{"type":"usage_limit_reached","message":"The usage limit has been reached","resets_at":1794714335}}`)}, loop.Limit{Kind: "usage_limit", Until: time.Unix(1794714335, 0).UTC()}, loop.ErrUsageLimit},

		{"a wait for a model", "gemini", []string{geminiEnd("[API Error: You have exhausted your capacity on this model. Your quota will reset after 23h14m5s.]")}, loop.Limit{Kind: "usage_limit", Until: recordedAt.Add(23*time.Hour + 14*time.Minute + 5*time.Second)}, loop.ErrUsageLimit},
		{"a day", "gemini", []string{geminiEnd("[API Error: You have exhausted your daily quota on this model.]\nPlease wait and try again later.")}, loop.Limit{Kind: "daily"}, loop.ErrUsageLimit},
		{
			"a day, in the provider's answer, with advice after it", "gemini",
			[]string{geminiEnd(`[API Error: {"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"You exceeded your current quota.","details":[{"quotaId":"GenerateRequestsPerDayPerProject"},{"retryDelay":"7200s"}]}}]` + "\nPlease wait.")},
			loop.Limit{Kind: "daily", Until: recordedAt.Add(2 * time.Hour)},
			loop.ErrUsageLimit,
		},
		{
			"a minute, in an answer within an answer", "gemini",
			[]string{geminiEnd(`[API Error: {"error":{"message":"{\"error\":{\"code\":429,\"message\":\"You exceeded your current quota. Please retry in 39.5s.\",\"status\":\"RESOURCE_EXHAUSTED\"}}","code":429,"status":"Too Many Requests"}}]`)},
			loop.Limit{Kind: "rate_limit", Until: recordedAt.Add(39500 * time.Millisecond)},
			loop.ErrRateLimit,
		},

		{"a day", "qwen", []string{qwenEnd("Qwen OAuth quota exceeded: Your free daily quota has been reached.")}, loop.Limit{Kind: "daily"}, loop.ErrUsageLimit},
		{"a free quota", "qwen", []string{qwenEnd("429 Free allocated quota exceeded.")}, loop.Limit{Kind: "usage_limit"}, loop.ErrUsageLimit},

		{"a plan", "pi", []string{piEnd("You have hit your ChatGPT usage limit (plus plan). Try again in ~123 min.")}, loop.Limit{Kind: "usage_limit", Until: recordedAt.Add(123 * time.Minute)}, loop.ErrUsageLimit},
		{"the provider's answer", "pi", []string{piEnd(`Codex error: {"error":{"type":"usage_limit_reached","resets_in_seconds":7200}}`)}, loop.Limit{Kind: "usage_limit", Until: recordedAt.Add(2 * time.Hour)}, loop.ErrUsageLimit},

		{"a wait", "copilot", []string{copilotEnd("Sorry, you've hit a rate limit that restricts the number of requests. Please try again in 2 hours.")}, loop.Limit{Kind: "rate_limit", Until: recordedAt.Add(2 * time.Hour)}, loop.ErrRateLimit},
		{"a week", "copilot", []string{copilotEnd("You've reached your weekly rate limit. Please wait for your limit to reset on November 20, 2026 at 2:00 AM.")}, loop.Limit{Kind: "weekly", Until: at(20, 2, 0)}, loop.ErrUsageLimit},
		{
			"a warning before it is nothing", "copilot",
			[]string{
				`{"type":"session.warning","data":{"warningType":"rate_limit","message":"You've used over 75% of your weekly rate limit."}}`,
				copilotEnd("Too many requests."),
			},
			loop.Limit{Kind: "rate_limit"},
			loop.ErrRateLimit,
		},

		{
			"a week", "opencode",
			[]string{`{"type":"error","error":{"name":"APIError","data":{"statusCode":429,"message":"Weekly usage limit reached. It will reset in 5 days 10 hours."}}}`},
			loop.Limit{Kind: "weekly", Until: recordedAt.Add(130 * time.Hour)},
			loop.ErrUsageLimit,
		},
		{
			"a header", "opencode",
			[]string{`{"type":"error","error":{"name":"APIError","data":{"statusCode":429,"message":"Free usage exceeded","responseHeaders":{"retry-after":"62056"}}}}`},
			loop.Limit{Kind: "usage_limit", Until: recordedAt.Add(62056 * time.Second)},
			loop.ErrUsageLimit,
		},
		{
			"a header of a subscription", "opencode",
			[]string{`{"type":"error","error":{"name":"APIError","data":{"statusCode":429,"message":"slow","responseHeaders":{"anthropic-ratelimit-unified-reset":"1794714335"}}}}`},
			loop.Limit{Kind: "rate_limit", Until: time.Unix(1794714335, 0).UTC()},
			loop.ErrRateLimit,
		},

		{"a rate", "aider", []string{"litellm.RateLimitError: OpenAIException - Rate limit reached. Please try again in 20s."}, loop.Limit{Kind: "rate_limit", Until: recordedAt.Add(20 * time.Second)}, loop.ErrRateLimit},
	}
	for _, tt := range tests {
		t.Run(tt.agent+", "+tt.name, func(t *testing.T) {
			all, result := decodeLines(tt.agent, exitOf(1, false), tt.lines...)
			var got loop.Limit
			for _, p := range all {
				if p, ok := p.(*loop.AgentLimit); ok {
					got = p.Limit
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || kindOf(result) != tt.kind {
				t.Errorf("%q end with %q, want %q; limit (-want +got):\n%s", tt.lines, kindOf(result), tt.kind, diff)
			}
		})
	}
}

// A limit that is over says nothing of the next one.
func TestTheNextLimit(t *testing.T) {
	const (
		event     = `{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","rateLimitType":"five_hour","resetsAt":1794720000}}`
		waits     = `{"type":"system","subtype":"api_retry","attempt":1,"max_retries":10,"retry_delay_ms":120000,"error_status":429,"error":"rate_limit"}`
		reconnect = `{"type":"error","message":"Reconnecting... 1/5 (Rate limit reached for gpt-5: please try again in 2m0s)"}`
		piWaits   = `{"type":"auto_retry_start","attempt":1,"maxAttempts":3,"delayMs":2000,"errorMessage":"429 rate limit, try again in 5 minutes"}`
	)
	answer := claudeSays("m1", `{"type":"text","text":"a"}`, 1, 1)
	at := func(day, hour, minute int) time.Time { return time.Date(2026, 11, day, hour, minute, 0, 0, time.UTC) }
	tests := []struct {
		name, agent string
		lines       []string
		want        loop.Limit
	}{
		{"after an answer", "codex", []string{reconnect, `{"type":"item.completed","item":{"type":"agent_message","text":"a"}}`, codexEnd("You've hit your usage limit. Try again at 6:20 AM.")}, loop.Limit{Kind: "usage_limit", Until: at(15, 6, 20)}},
		{"without an answer between", "codex", []string{reconnect, codexEnd("You've hit your usage limit. Try again at 6:20 AM.")}, loop.Limit{Kind: "usage_limit", Until: at(15, 6, 20)}},
		{"with no more to say", "codex", []string{reconnect, codexEnd("exceeded retry limit, last status: 429 Too Many Requests")}, loop.Limit{Kind: "rate_limit", Until: recordedAt.Add(2 * time.Minute)}},
		{"after an answer", "pi", []string{
			piWaits, `{"type":"message_end","message":{"role":"assistant","stopReason":"toolUse","content":[{"type":"text","text":"a"}]}}`,
			piEnd("You have hit your ChatGPT usage limit (plus plan). Try again in ~123 min."),
		}, loop.Limit{Kind: "usage_limit", Until: recordedAt.Add(123 * time.Minute)}},
		{"after a try", "claude", []string{waits, answer, claudeEnd("You've hit your session limit · resets 6:20am (UTC)")}, loop.Limit{Kind: "five_hour", Until: at(15, 6, 20)}},
		{"after an event", "claude", []string{event, answer, claudeEnd("You've hit your weekly limit · resets Nov 18, 9am (UTC)")}, loop.Limit{Kind: "weekly", Until: at(18, 9, 0)}},
		{"of the same event", "claude", []string{event, answer, event, claudeEnd("You've hit your limit")}, loop.Limit{Kind: "five_hour", Until: time.Unix(1794720000, 0).UTC()}},
		{"after a note", "kimi", []string{
			`{"role":"meta","type":"turn.step.retrying","failed_attempt":1,"max_attempts":7,"delay_ms":120000,"status_code":429,"error_message":"rate limit"}`,
			`{"role":"assistant","content":"a"}`,
			`{"role":"meta","type":"turn.step.retrying","failed_attempt":1,"max_attempts":7,"delay_ms":1000,"status_code":429,"error_message":"You have reached your weekly usage limit. Resets in 3 days"}`,
		}, loop.Limit{Kind: "weekly", Until: recordedAt.Add(72 * time.Hour)}},
	}
	for _, tt := range tests {
		t.Run(tt.agent+", "+tt.name, func(t *testing.T) {
			all, _ := decodeLines(tt.agent, exitOf(1, false), tt.lines...)
			var got loop.Limit
			for _, p := range all {
				if p, ok := p.(*loop.AgentLimit); ok {
					got = p.Limit
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("limit (-want +got):\n%s", diff)
			}
		})
	}
}

// What the agent got over is no limit, and neither is what it only warns of.
func TestNoLimits(t *testing.T) {
	tests := []struct {
		name, agent string
		lines       []string
	}{
		{"a limit that comes nearer", "claude", []string{`{"type":"rate_limit_event","rate_limit_info":{"status":"allowed_warning","rateLimitType":"five_hour","resetsAt":1794713084}}`, claudeOK}},
		{"a limit that comes nearer, before a crash", "codex", []string{`{"type":"error","message":"Heads up, you have less than 10% of your weekly limit left. Run /status for a breakdown."}`}},
		{"a warning of codex", "codex", []string{`{"type":"item.completed","item":{"type":"error","message":"You've hit your usage limit soon"}}`, `{"type":"turn.completed"}`}},
		{"a retry that worked", "claude", []string{`{"type":"system","subtype":"api_retry","error_status":429,"error":"rate_limit"}`, claudeSays("m1", `{"type":"text","text":"a"}`, 1, 1)}},
		{"a retry that worked", "copilot", []string{
			`{"type":"model.call_failure","data":{"statusCode":429,"errorMessage":"slow down"}}`,
			`{"type":"assistant.turn_retry","data":{"reason":"rate_limit"}}`,
			`{"type":"tool.execution_start","data":{"toolName":"bash"}}`,
		}},
		{"a warning of a session", "copilot", []string{`{"type":"session.warning","data":{"warningType":"rate_limit","message":"You've used over 75% of your weekly rate limit."}}`}},
		{"what the agent says of limits", "gemini", []string{`{"type":"message","role":"assistant","content":"usage limit reached, resets 3pm"}`}},
		{"what the agent says of limits", "aider", []string{"You've hit your usage limit, try again at 3pm"}},
	}
	for _, tt := range tests {
		t.Run(tt.agent+", "+tt.name, func(t *testing.T) {
			all, result := decodeLines(tt.agent, exitOf(1, false), tt.lines...)
			for _, p := range all {
				if limit, ok := p.(*loop.AgentLimit); ok {
					t.Errorf("%q are taken for the limit %+v", tt.lines, limit.Limit)
				}
			}
			if kind := kindOf(result); kind != loop.ErrAgent {
				t.Errorf("%q end with %q, want %q", tt.lines, kind, loop.ErrAgent)
			}
		})
	}
}

// An agent that is ended while it tries again says what held it up.
func TestCutOffWhileTryingAgain(t *testing.T) {
	exit := loop.Exit{Signal: "KILL", Cause: loop.WhenIdle}
	all, result := decodeLines("copilot", exit,
		`{"type":"model.call_failure","data":{"statusCode":429,"errorMessage":"{\"code\":\"usage_limit_reached\",\"message\":\"The usage limit has been reached\",\"resets_at\":1794714335}"}}`,
		`{"type":"assistant.turn_retry","data":{"reason":"rate_limit"}}`)
	want := &loop.AgentLimit{Limit: loop.Limit{Kind: "usage_limit", Until: time.Unix(1794714335, 0).UTC()}}
	if diff := cmp.Diff(loop.Payload(want), all[len(all)-1]); diff != "" {
		t.Errorf("last event (-want +got):\n%s", diff)
	}
	wantError := &loop.AgentError{
		Kind:    loop.ErrUsageLimit,
		Message: "no final event: ended by signal KILL (idle); it was trying again after: The usage limit has been reached",
	}
	if diff := cmp.Diff(wantError, result.Error); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
}

// The names of limits are kept in files and compared.
func TestLimitNames(t *testing.T) {
	form := regexp.MustCompile(`^[a-z0-9_]+$`)
	for _, name := range limitNames {
		if normal(name.text) != name.text || !form.MatchString(name.kind) {
			t.Errorf("the limit %+v", name)
		}
	}
	for word, want := range map[string]string{
		"five_hour": "five_hour", "seven_day": "weekly", "seven_day_sonnet": "weekly_sonnet",
		"overage": "overage", "Team Pool": "team_pool", "": "usage_limit",
	} {
		if got := claudeLimit(word); got != want {
			t.Errorf("claude's limit %q is %q, want %q", word, got, want)
		}
	}
}
