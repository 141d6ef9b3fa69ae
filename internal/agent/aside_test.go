package agent

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
)

// aside decodes lines that stand on stderr ("!"), in a diary ("~"), or on stdout. An
// empty one is the end.
func aside(format string, lines ...string) []loop.Payload {
	d := formats[format](Options{Now: func() time.Time { return recordedAt }})
	var all []loop.Payload
	for _, line := range lines {
		read := d.Decode
		switch (line + " ")[0] {
		case ' ':
			read = func([]byte) []loop.Payload { return d.Close(exitOf(1, false)) }
		case '!':
			read = func(line []byte) []loop.Payload { return Complain(d, line[1:]) }
		case '~':
			read = func(line []byte) []loop.Payload { return Overhear(d, line[1:]) }
		}
		all = append(all, read([]byte(line))...)
	}
	return all
}

func because(kind loop.ErrorKind, words string) *loop.AgentError {
	return &loop.AgentError{Kind: kind, Message: words}
}

// qwenNote is a line of qwen's session file.
func qwenNote(event string) string {
	return `~{"type":"system","subtype":"ui_telemetry","systemPayload":{"uiEvent":{` + event + `}}}`
}

// opencodeLog is a line of opencode's log.
func opencodeLog(level, message string, small bool, more string) string {
	return fmt.Sprintf("!timestamp=2026-11-18T14:59:53.853Z level=%s run=7d23 message=%s providerID=p modelID=m session.id=ses_1 small=%v agent=build mode=primary %s", level, message, small, more)
}

// Of what went wrong before it asked a model opencode tells only in its log.
func TestOpencodeThatCannotBegin(t *testing.T) {
	const (
		broken  = `{"type":"error","sessionID":"ses_1","error":{"name":"UnknownError","data":{"message":"Unexpected server error. Check server logs for details.","ref":"err_1"}}}`
		unknown = `!timestamp=2026-11-18T15:02:58.321Z level=ERROR run=52 message=failed ref=err_1 error="ProviderModelNotFoundError: Model not found: fake/nope." cause="x"`
		similar = `!timestamp=2026-11-18T15:02:58.321Z level=ERROR run=52 message=failed ref=err_1 error="ProviderModelNotFoundError: Model not found: a/b-4. Did you mean: b-4-5, b-4-1?" cause="x"`
		known   = `!timestamp=2026-11-18T15:02:58.321Z level=ERROR run=52 message=failed ref=err_1 error="ProviderModelNotFoundError: Model not found: a/b-4. Did you mean: b-4-5, b-4?" cause="x"`
	)
	for _, tt := range []struct {
		name  string
		lines []string
		want  *loop.AgentError
	}{
		{"the log tells why", []string{unknown, broken}, because(loop.ErrModel, "Model not found: fake/nope.")},
		{"and may come later", []string{broken, unknown}, because(loop.ErrModel, "Model not found: fake/nope.")},
		{"a model with names like it", []string{similar, broken}, because(loop.ErrModel, "Model not found: a/b-4. Did you mean: b-4-5, b-4-1?")},
		{"a model that it knows, of a provider where nobody is signed in", []string{known, broken}, because(loop.ErrAuth, "it knows the model a/b-4, but nobody is signed in to a")},
		{"nobody tells", []string{broken}, because(loop.ErrAgent, "it failed before it asked a model: check the name of the model, and that its provider is signed in")},
		{"a filter", []string{`{"type":"error","error":{"name":"ContentFilterError","data":{"message":"The response was blocked by the provider's content filter"}}}`}, because(loop.ErrRefusal, "The response was blocked by the provider's content filter")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all := aside("opencode", append(tt.lines, "")...)
			if got := all[len(all)-1].(*loop.AgentResult); !cmp.Equal(got.Error, tt.want) {
				t.Errorf("%+v, want %+v", got.Error, tt.want)
			}
		})
	}
}

func TestRetriesThatAreToldAside(t *testing.T) {
	const quota = "You exceeded your current quota, please check your plan and billing details."
	tests := []struct {
		name, agent string
		lines       []string
		want        []loop.Payload
	}{
		{
			"gemini, on stderr", "gemini",
			[]string{`!Attempt 2 failed with status 503. Retrying with backoff... _ApiError: {"error":{"code":503,"message":"Overloaded"}}`},
			[]loop.Payload{&loop.AgentRetry{Try: 2, After: loop.Millis(10 * time.Second), Error: because(loop.ErrOverloaded, "Overloaded")}},
		},
		{"gemini says other things there", "gemini", []string{"!Ripgrep is not available. Falling back to GrepTool.", "!"}, nil},
		{
			"gemini waits for a limit", "gemini",
			[]string{`!Attempt 1 failed: Please retry in 2h. Retrying after 7200000ms...`},
			[]loop.Payload{
				&loop.AgentRetry{Try: 1, After: loop.Millis(2 * time.Hour), Error: because(loop.ErrRateLimit, "Please retry in 2h")},
				&loop.AgentLimit{Limit: loop.Limit{Kind: "rate_limit", Until: recordedAt.Add(2 * time.Hour)}},
			},
		},
		{
			"qwen, on stderr", "qwen",
			[]string{"!Retrying in 60s (attempt 1/10): [API Error: 429 " + quota + "]"},
			[]loop.Payload{&loop.AgentRetry{Try: 1, Most: 10, After: loop.Millis(time.Minute), Error: because(loop.ErrBilling, "429 "+quota)}},
		},
		{
			"qwen, in its session file, and how long in its log", "qwen",
			[]string{
				qwenNote(`"event.name":"qwen-code.api_error","error_message":"429 Please try again later.","status_code":429`),
				"~2026-11-18T14:47:37.161Z [WARN] [RETRY] Attempt 1 failed with status 429. Retrying after explicit delay of 7200000ms... {",
				"~  kind: 'http',",
			},
			[]loop.Payload{
				&loop.AgentRetry{Try: 1, After: loop.Millis(2 * time.Hour), Error: because(loop.ErrRateLimit, "429 Please try again later.")},
				&loop.AgentLimit{Limit: loop.Limit{Kind: "rate_limit", Until: recordedAt.Add(2 * time.Hour)}},
			},
		},
		{
			"qwen, with no money left, and without a log", "qwen",
			[]string{
				qwenNote(`"event.name":"qwen-code.api_error","error_message":"429 ` + quota + `","status_code":429`),
				qwenNote(`"event.name":"qwen-code.api_error","error_message":"429 ` + quota + `","status_code":429`),
			},
			[]loop.Payload{&loop.AgentRetry{Error: because(loop.ErrBilling, "429 "+quota)}},
		},
		{
			"qwen, without a connection", "qwen",
			[]string{
				qwenNote(`"event.name":"qwen-code.api_error","error_message":"Connection error. (cause: connect ECONNREFUSED 127.0.0.1:8080)"`),
				"~2026-11-18T14:51:24.418Z [WARN] [RETRY] Attempt 5 failed. Retrying with backoff in 27s... {",
			},
			[]loop.Payload{
				&loop.AgentRetry{Try: 5, After: loop.Millis(27 * time.Second), Error: because(loop.ErrNetwork, "Connection error. (cause: connect ECONNREFUSED 127.0.0.1:8080)")},
			},
		},
		{
			"qwen gives up after a failure, whose log is there", "qwen",
			[]string{
				qwenNote(`"event.name":"qwen-code.api_error","error_message":"500 no","status_code":500`),
				"~2026-11-18T14:47:37.161Z [WARN] [RETRY] Attempt 1 failed with status 500. Retrying with backoff in 2s... {",
				qwenNote(`"event.name":"qwen-code.api_error","error_message":"500 no","status_code":500`),
				qwenNote(`"event.name":"qwen-code.api_error","error_message":"500 no","status_code":500`),
			},
			[]loop.Payload{&loop.AgentRetry{Try: 1, After: loop.Millis(2 * time.Second), Error: because(loop.ErrServer, "500 no")}},
		},
		{
			"qwen, in its events, and why on stderr", "qwen",
			[]string{
				`{"type":"system","subtype":"retry","data":{"reason":"retry","attempt":1,"maxRetries":10,"delayMs":60000}}`,
				"!Retrying in 60s (attempt 1/10): [API Error: 500 no]",
				`{"type":"system","subtype":"retry","data":{"reason":"retry","attempt":1,"maxRetries":10,"delayMs":60000}}`,
				`{"type":"system","subtype":"retry","data":{"reason":"retry","attempt":2,"maxRetries":10,"delayMs":60000}}`,
			},
			[]loop.Payload{
				&loop.AgentRetry{Try: 1, Most: 10, After: loop.Millis(time.Minute), Error: because(loop.ErrServer, "500 no")},
				&loop.AgentRetry{Try: 2, Most: 10, After: loop.Millis(time.Minute), Error: because(loop.ErrServer, "500 no")},
			},
		},
		{
			"qwen, in its events alone", "qwen",
			[]string{`{"type":"system","subtype":"retry","data":{"reason":"rate_limit","attempt":1,"maxRetries":10,"delayMs":30000}}`},
			[]loop.Payload{&loop.AgentRetry{Try: 1, Most: 10, After: loop.Millis(30 * time.Second), Error: because(loop.ErrRateLimit, "")}},
		},
		{
			"codex, as it said so before", "codex",
			[]string{`{"type":"error","message":"stream error: exceeded retry limit, last status: 429 Too Many Requests; retrying 1/5 in 204ms…"}`, `{"type":"error","message":"Reconnecting… 2/5 (Internal server error)"}`},
			[]loop.Payload{
				&loop.AgentRetry{Try: 1, Most: 5, Error: because(loop.ErrRateLimit, "stream error: exceeded retry limit, last status: 429 Too Many Requests")},
				&loop.AgentRetry{Try: 2, Most: 5, After: loop.Millis(400 * time.Millisecond), Error: because(loop.ErrServer, "Internal server error")},
			},
		},
		{
			"qwen does not try again with a key that is wrong", "qwen",
			[]string{qwenNote(`"event.name":"qwen-code.api_error","error_message":"401 invalid x-api-key","status_code":401`)},
			nil,
		},
		{
			"qwen names the model that answered", "qwen",
			[]string{`{"type":"system","subtype":"init","session_id":"s","model":"asked"}`, qwenNote(`"event.name":"qwen-code.api_response","model":"other","status_code":200`)},
			[]loop.Payload{&loop.AgentSession{Session: "s", Model: "asked"}, &loop.AgentSession{Model: "other"}},
		},
		{
			"a line that a tool of the agent's may have printed is no diary", "qwen",
			[]string{"~[RETRY]", "~qwen-code.api_error", `~{"systemPayload":{"uiEvent":{"event.name":"qwen-code.api_"}}}`},
			nil,
		},
		{
			"codex waits for a limit, nobody knows for how long", "codex",
			[]string{`{"type":"error","message":"Reconnecting... 1/5 (exceeded retry limit, last status: 429 Too Many Requests)"}`},
			[]loop.Payload{&loop.AgentRetry{Try: 1, Most: 5, Error: because(loop.ErrRateLimit, "exceeded retry limit, last status: 429 Too Many Requests")}},
		},
		{
			"codex counts its tokens", "codex",
			[]string{
				`~{"type":"token_usage_record","payload":{"usage":{"input_tokens":1200,"output_tokens":50},"thread_token_usage":{"input_tokens":1200,"cached_input_tokens":200,"output_tokens":50}}}`,
				`~{"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":1200,"output_tokens":50}}}}`,
				`~{"type":"token_usage_record","payload":{"thread_token_usage":{"input_tokens":3600,"cached_input_tokens":1100,"output_tokens":110}}}`,
				`~{"type":"response_item","payload":{"text":"\"token_usage_record\" thread_token_usage"}}`,
			},
			[]loop.Payload{
				&loop.AgentUsage{Usage: loop.Usage{Input: 1000, CacheRead: 200, Output: 50}},
				&loop.AgentUsage{Usage: loop.Usage{Input: 2500, CacheRead: 1100, Output: 110}},
			},
		},
		{
			"codex, late: what it has told itself at its end stands", "codex",
			[]string{
				`{"type":"turn.completed","usage":{"input_tokens":3700,"output_tokens":120}}`,
				`~{"type":"token_usage_record","payload":{"thread_token_usage":{"input_tokens":1200,"output_tokens":50}}}`,
			},
			[]loop.Payload{&loop.AgentUsage{Usage: loop.Usage{Input: 3700, Output: 120}}},
		},
		{
			"opencode, in its log", "opencode",
			[]string{
				opencodeLog(`INFO`, `stream`, false, ``),
				opencodeLog(`INFO`, `stream`, true, ``),
				opencodeLog(`ERROR`, `"stream error"`, false, `error.error="AI_APICallError: Internal server error"`),
				opencodeLog(`ERROR`, `"stream error"`, true, `error.error="AI_RetryError: Failed after 3 attempts. Last error: Internal server error"`),
				opencodeLog(`INFO`, `stream`, false, ``),
				opencodeLog(`ERROR`, `"stream error"`, false, `error.error="AI_APICallError: The \"usage limit\" has been reached"`),
			},
			[]loop.Payload{
				&loop.AgentSession{Model: "p/m"},
				&loop.AgentRetry{Try: 1, Most: 5, Within: loop.Millis(7500 * time.Millisecond), Error: because(loop.ErrServer, "Internal server error")},
				&loop.AgentRetry{Try: 1, Most: 5, After: loop.Millis(time.Millisecond), Error: because(loop.ErrServer, "Internal server error")},
				&loop.AgentRetry{Try: 2, Most: 5, Within: loop.Millis(10 * time.Second), Error: because(loop.ErrUsageLimit, `The "usage limit" has been reached`)},
			},
		},
		{
			"opencode, in a log that tells less", "opencode",
			[]string{`!timestamp=2026-11-18T15:12:32.348Z level=ERROR run=1 message="stream error" providerID=p modelID=m session.id=s agent=build mode=primary error.error="AI_APICallError: Internal server error"`},
			[]loop.Payload{&loop.AgentRetry{Try: 1, Most: 5, Within: loop.Millis(7500 * time.Millisecond), Error: because(loop.ErrServer, "Internal server error")}},
		},
		{
			"opencode, by a plugin: until when it waits", "opencode",
			[]string{
				opencodeLog(`ERROR`, `"stream error"`, false, `error.error="AI_APICallError: The usage limit has been reached"`),
				fmt.Sprintf(`!refrain: opencode {"type":"retry","attempt":1,"message":"Rate limited","next":%d}`, recordedAt.Add(2*time.Hour).UnixMilli()),
				opencodeLog(`INFO`, `stream`, false, ``),
				opencodeLog(`ERROR`, `"stream error"`, false, `error.error="AI_APICallError: Internal server error"`),
				fmt.Sprintf(`!refrain: opencode {"type":"retry","attempt":2,"message":"Internal server error","next":%d}`, recordedAt.Add(4*time.Second).UnixMilli()),
			},
			[]loop.Payload{
				&loop.AgentRetry{Try: 1, Most: 5, Within: loop.Millis(7500 * time.Millisecond), Error: because(loop.ErrUsageLimit, "The usage limit has been reached")},
				&loop.AgentRetry{Try: 1, Most: 5, After: loop.Millis(2 * time.Hour), Error: because(loop.ErrUsageLimit, "Rate limited")},
				&loop.AgentLimit{Limit: loop.Limit{Kind: "usage_limit", Until: recordedAt.Add(2 * time.Hour)}},
				&loop.AgentSession{Model: "p/m"},
				&loop.AgentRetry{Try: 1, Most: 5, After: loop.Millis(time.Millisecond), Error: because(loop.ErrUsageLimit, "Rate limited")},
				&loop.AgentRetry{Try: 2, Most: 5, After: loop.Millis(4 * time.Second), Error: because(loop.ErrServer, "Internal server error")},
			},
		},
		{
			"opencode takes a model of its own", "opencode",
			[]string{
				"!timestamp=x level=INFO run=1 message=stream providerID=opencode modelID=big session.id=s small=false agent=build mode=primary",
				"!timestamp=x level=INFO run=1 message=stream providerID=opencode modelID=big session.id=s small=false agent=build mode=primary",
			},
			[]loop.Payload{
				&loop.AgentSession{Model: "opencode/big"},
				&loop.Warning{Key: "opencode's choice", Text: `no model is set, and opencode has taken opencode/big at opencode.ai: where nobody is signed in, that is a free one`, Hint: `sign in with "opencode auth login", or name a model with -m`},
			},
		},
		{
			"pi, by an extension: how long it waits", "pi",
			[]string{
				`!refrain: pi {"status":429,"wait":7200000,"body":"{\"error\":{\"code\":\"usage_limit_reached\",\"message\":\"The usage limit has been reached\"}}"}`,
				`!refrain: pi {"status":503,"wait":6000,"body":"busy"}`,
			},
			[]loop.Payload{
				&loop.AgentRetry{Try: 1, After: loop.Millis(2 * time.Hour), Error: because(loop.ErrUsageLimit, "The usage limit has been reached")},
				&loop.AgentLimit{Limit: loop.Limit{Kind: "usage_limit", Until: recordedAt.Add(2 * time.Hour)}},
				&loop.AgentRetry{Try: 2, After: loop.Millis(6 * time.Second), Error: because(loop.ErrOverloaded, "busy")},
			},
		},
		{
			"droid, in the log of all sessions", "droid",
			[]string{
				`{"type":"system","subtype":"init","session_id":"s"}`,
				`~[2026-11-19T02:35:44.400Z] WARN: Retry attempt failed | Context: {"cause":{"message":"getaddrinfo ENOTFOUND api.factory.ai"},"tags":{"sessionId":"s"}}`,
				`~[2026-11-19T02:35:44.433Z] WARN: [LLM] LLM error | Context: {"attempt":1,"statusCode":429,"tags":{"sessionId":"other"}}`,
				`~    at x (y:1:2) | Context: {"cause":{"message":"401 no"},"tags":{"sessionId":"other"}}`,
				`~[2026-11-19T02:35:44.433Z] WARN: [LLM] LLM error | Context: {"attempt":2,"statusCode":429,"tags":{"sessionId":"s"}}`,
				`~[2026-11-19T02:35:44.440Z] WARN: Retry attempt failed`,
				`~    at x (y:1:2) | Context: {"cause":{"message":"401 no"},"tags":{"sessionId":"other"}}`,
				`~    at x (y:1:2) | Context: {"cause":{"message":"429 The usage limit has been reached"},"tags":{"sessionId":"s"}}`,
				`~    at x (y:1:2) | Context: {"cause":{"message":"429 The usage limit has been reached"},"tags":{"sessionId":"s"}}`,
				`~[2026-11-19T02:35:44.433Z] WARN: [LLM] LLM error | Context: {`,
			},
			[]loop.Payload{
				&loop.AgentSession{Session: "s"},
				&loop.AgentRetry{Try: 2, Error: because(loop.ErrUsageLimit, "429 The usage limit has been reached")},
			},
		},
		{
			"grok, in its session", "grok",
			[]string{
				`~{"method":"session/update","params":{"update":{"sessionUpdate":"user_message_chunk","content":{"text":"\"retry_state\""}}}}`,
				`~{"method":"_x.ai/session/update","params":{"update":{"sessionUpdate":"retry_state","type":"retrying","attempt":1,"max_retries":3,"reason":"API error (status 429 Too Many Requests): usage_limit_reached: no more","error_type":"rate_limited"}}}`,
				`~{"method":"_x.ai/session/update","params":{"update":{"sessionUpdate":"retry_state","type":"retrying","attempt":2,"max_retries":3,"reason":"reqwest error stream: Transport error: error decoding response body","error_type":"http"}}}`,
				`~{"method":"_x.ai/session/update","params":{"update":{"sessionUpdate":"retry_state","type":"other"}}}`,
				`~"retry_state"`,
			},
			[]loop.Payload{
				&loop.AgentRetry{Try: 1, Most: 3, Within: loop.Millis(7500 * time.Millisecond), Error: because(loop.ErrUsageLimit, "usage_limit_reached: no more")},
				&loop.AgentRetry{Try: 2, Most: 3, Error: because(loop.ErrNetwork, "reqwest error stream: Transport error: error decoding response body")},
			},
		},
		{
			"a line like the extension's", "pi",
			[]string{`!refrain: pi {"status":429}`, `!refrain: pi {"status":429,"wait":1e300}`, `!refrain: pi {`, `!refrain: pi `},
			nil,
		},
		{
			"a line like the plugin's", "opencode",
			[]string{`!refrain: opencode {"type":"idle"}`, `!refrain: opencode {`, `!refrain: opencode `},
			nil,
		},
		{
			"opencode does not try again with a key that is wrong", "opencode",
			[]string{opencodeLog(`ERROR`, `"stream error"`, false, `error.error="AI_APICallError: invalid x-api-key"`)},
			nil,
		},
		{"opencode says other things, too", "opencode", []string{"!timestamp=", "!permission requested: bash; auto-rejecting", `!x message="stream error" small=false error.error="AI: Overloaded"`}, nil},
		{"who keeps silent", "claude", []string{"!Retrying in 60s (attempt 1/10): no", "~Retrying in 60s (attempt 1/10): no"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, aside(tt.agent, tt.lines...)); diff != "" {
				t.Errorf("%q (-want +got):\n%s", tt.lines, diff)
			}
		})
	}
}

// What is no number of ours is nothing that anybody waits for.
func TestNoticesThatSayNonsense(t *testing.T) {
	for _, line := range []string{
		"Retrying in 99999999999999999999s (attempt 99999999999999999999/10): x",
		"Attempt 1 failed: x. Retrying after 99999999999999999999ms...",
		"Attempt 1 failed: x. Retrying after 999999999999ms...",
	} {
		if try, _, ok := notice(line); !ok || try.After != 0 {
			t.Errorf("notice(%q) = %+v, %v, want no wait", line, try, ok)
		}
	}
}

// In other versions the same is put in other words.
func TestNoticesInOtherWords(t *testing.T) {
	tests := []struct {
		line      string
		try, most int
		after     time.Duration
		want      loop.ErrorKind
	}{
		{"Attempt 1 failed: You have exhausted your capacity on this model. Your quota will reset after 3s.. Retrying after 3644.254ms...", 1, 0, 3644254 * time.Microsecond, loop.ErrUsageLimit},
		{"Attempt 3 failed with status 429. Retrying with backoff...", 3, 0, 0, loop.ErrRateLimit},
		{"Attempt 3 failed with status code 500. Retrying with exponential backoff in 1.5s... {", 3, 0, 1500 * time.Millisecond, loop.ErrServer},
		{"Attempt 2/10 failed: 503 Service Unavailable. Retrying in 5 seconds...", 2, 10, 5 * time.Second, loop.ErrOverloaded},
		{"Attempt 4 failed. Retrying with backoff in 27s... Error: connect ECONNREFUSED 127.0.0.1:8080", 4, 0, 27 * time.Second, loop.ErrNetwork},
		{"Retrying in 300s (attempt 4/10): [API Error: 429 Rate limit reached]", 4, 10, 5 * time.Minute, loop.ErrRateLimit},
		{"Retrying in 5m (attempt 4/10): [API Error: 500 Internal server error]", 4, 10, 5 * time.Minute, loop.ErrServer},
		{"Retrying in 1m30s (attempt 4 of 10): 503 The model is overloaded", 4, 10, 90 * time.Second, loop.ErrOverloaded},
		{"Retrying in 2 hours (4/10): 429 The usage limit has been reached", 4, 10, 2 * time.Hour, loop.ErrUsageLimit},
		{"[WARN] Retrying in 2.5 seconds: fetch failed", 0, 0, 2500 * time.Millisecond, loop.ErrNetwork},
		{"Rate limited (429). Retrying in 60s... (attempt 2/10)", 2, 10, time.Minute, loop.ErrRateLimit},
		{"API Error: 529 Overloaded. Retrying in 12 seconds (attempt 3/10)", 3, 10, 12 * time.Second, loop.ErrOverloaded},
	}
	for _, tt := range tests {
		try, f, ok := notice(tt.line)
		if !ok || try.Try != tt.try || try.Most != tt.most || try.After.Duration() != tt.after || f.class() != tt.want {
			t.Errorf("%q is try %d of %d in %v for %q (%v), want %d of %d in %v for %q",
				tt.line, try.Try, try.Most, try.After, f.class(), ok, tt.try, tt.most, tt.after, tt.want)
		}
	}
	for _, line := range []string{
		"Retrying provider attempt (0 buffered tool call(s) discarded).",
		"Retrying the command in a shell",
		"Retrying",
		"I am Retrying in a while",
		"retrying in 5s",
		"",
	} {
		if try, f, ok := notice(line); ok {
			t.Errorf("%q is taken for a notice: %+v, %+v", line, try, f)
		}
	}
}

func TestDiaryOf(t *testing.T) {
	made := func(name string) Agent {
		a, err := New(Options{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	qwen := []string{"projects/*/chats/{session}.jsonl", "debug/{session}.txt"}
	for _, tt := range []struct {
		name, agent string
		env         []string
		want        Diary
	}{
		{"below the home folder that counts", "qwen", []string{"HOME=/before", "HOME=/home/me"}, Diary{filepath.FromSlash("/home/me/.qwen"), qwen}},
		{"where a variable says", "codex", []string{"HOME=/home/me", "CODEX_HOME=/elsewhere"}, Diary{"/elsewhere", []string{"sessions/*/*/*/rollout-*-{session}.jsonl"}}},
		{"nobody knows where", "qwen", nil, Diary{}},
		{"none", "claude", []string{"HOME=/home/me"}, Diary{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, DiaryOf(made(tt.agent), tt.env)); diff != "" {
				t.Errorf("DiaryOf(%s, %q) (-want +got):\n%s", tt.agent, tt.env, diff)
			}
		})
	}
}

func TestNotices(t *testing.T) {
	for agent, lines := range map[string][]string{
		"qwen":     {"Ripgrep not available: spawn /x/rg EACCES. Falling back to built-in grep.", "Warning: running headless with --yolo / approval-mode=yolo and no sandbox."},
		"gemini":   {"YOLO mode is enabled. All tool calls will be automatically approved."},
		"opencode": {opencodeLog("INFO", "stream", false, "")[1:], opencodeLog("ERROR", `"stream error"`, true, `error.error="x"`)[1:]},
		"codex":    {"Reading additional input from stdin..."},
	} {
		a, err := New(Options{Name: agent})
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range lines {
			if !Notice(a, line) {
				t.Errorf("%s: %q is no notice, want one", agent, line)
			}
		}
		if Notice(a, "Error: no model") {
			t.Errorf("%s: an error is a notice", agent)
		}
	}
}

// An agent that dies before it has begun has told why on stderr, and nowhere else.
func TestAnAgentThatNeverBegan(t *testing.T) {
	one := 1
	exit := loop.Exit{Code: &one, Cause: loop.Exited}
	tests := []struct {
		name, agent string
		stderr      []string
		stdout      []string
		exit        loop.Exit
		want        loop.ErrorKind
		message     string
	}{
		{
			name: "without a sign-in", agent: "copilot", exit: exit,
			stderr:  []string{"Error: No authentication information found.", "", "Copilot can be authenticated with GitHub using an OAuth Token."},
			want:    loop.ErrAuth,
			message: "Error: No authentication information found.",
		},
		{
			name: "without a sign-in", agent: "gemini", exit: exit,
			stderr: []string{"Ripgrep is not available. Falling back to GrepTool.", "Please set an Auth method in your settings.json or specify one of the following environment variables"},
			want:   loop.ErrAuth,
		},
		{name: "by what follows", agent: "copilot", exit: exit, stderr: []string{"Error: it failed", "To authenticate, run `copilot login`"}, want: loop.ErrAuth},
		{name: "without a way to the server", agent: "claude", exit: exit, stderr: []string{"TypeError: fetch failed", "    at node:internal"}, want: loop.ErrNetwork},
		{name: "with a model that nobody knows", agent: "codex", exit: exit, stderr: []string{"Error: unknown model nope"}, want: loop.ErrModel},
		{name: "in JSON", agent: "cline", exit: exit, stderr: []string{`{"type":"error","message":"Invalid API key"}`}, want: loop.ErrAuth, message: "error: Invalid API key"},
		{name: "in words on stdout", agent: "claude", exit: exit, stdout: []string{"Invalid API key · Please run /login"}, want: loop.ErrAuth},
		{name: "for another reason", agent: "codex", exit: exit, stderr: []string{"error: unexpected argument '--modle' found"}, want: loop.ErrAgent},
		{name: "after a warning", agent: "claude", exit: exit, stderr: []string{"telemetry: connection refused", "error: unknown option '--nope'"}, want: loop.ErrAgent},
		{name: "killed", agent: "claude", exit: loop.Exit{Signal: "KILL", Cause: loop.WhenIdle}, stderr: []string{"Error: fetch failed"}, want: loop.ErrAgent},
		{name: "after it had begun", agent: "claude", exit: exit, stdout: []string{claudeSays("m1", `{"type":"text","text":"a"}`, 1, 1)}, stderr: []string{"Error: fetch failed"}, want: loop.ErrAgent},
		{name: "whose log tells of other things", agent: "opencode", exit: exit, stderr: []string{`timestamp=1 level=INFO message="timed out"`}, want: loop.ErrAgent},
		{name: "without a sign-in, in three lines", agent: "pi", exit: exit, stderr: []string{"No models available. Use /login to log into a provider via OAuth or API key. See:", "  /opt/pi/docs/providers.md", "  /opt/pi/docs/models.md"}, want: loop.ErrAuth},
		{name: "without a model, for want of a sign-in", agent: "pi", exit: exit, stderr: []string{"No model selected.", "", "Use /login to log into a provider via OAuth or API key. See:", "  /opt/pi/docs/models.md", "", "Then use /model to select a model."}, want: loop.ErrAuth},
		{name: "without a key, and with a notice", agent: "qwen", exit: exit, stderr: []string{"Missing API key for OpenAI-compatible auth. Set it.", "Ripgrep not available: spawn EACCES. Falling back to built-in grep."}, want: loop.ErrAuth},
		{
			name: "of a limit, and with a notice", agent: "codex", exit: exit, want: loop.ErrUsageLimit,
			stderr: []string{"ERROR: You've hit your usage limit. Try again at 3:25 AM.", "2026-11-18T15:12:32Z ERROR codex_core::session: failed to record rollout items: thread t not found"},
		},
		{
			name: "of a quota, in JSON on many lines", agent: "gemini", exit: exit, want: loop.ErrUsageLimit, message: "[API Error: You have exhausted your daily quota on this model.]",
			stderr: []string{"{", `  "session_id": "x",`, `  "error": {`, `    "type": "Error",`, `    "message": "[API Error: You have exhausted your daily quota on this model.]",`, `    "code": 429`, "  }", "}"},
		},
		{name: "after something in passing", agent: "claude", exit: exit, stderr: []string{"telemetry: connection refused", "The settings cannot be read."}, want: loop.ErrAgent},
		{name: "after a warning of its model", agent: "pi", exit: exit, stderr: []string{`Warning: Model "m" not found for provider "p". Using custom model id.`, "Segmentation fault"}, want: loop.ErrAgent},
		{name: "with a page of help", agent: "claude", exit: exit, stderr: []string{"error: unknown option '--nope'", "Usage: x [options]", "  --wait SECONDS   network timeout"}, want: loop.ErrAgent},
		{name: "for want of a session", agent: "grok", exit: exit, stderr: []string{"Error: Failed to authenticate for session restore: x"}, want: loop.ErrAgent},
	}
	for _, tt := range tests {
		t.Run(tt.agent+", "+tt.name, func(t *testing.T) {
			d := formats[tt.agent](Options{})
			for _, line := range tt.stdout {
				d.Decode([]byte(line))
			}
			for _, line := range tt.stderr {
				Complain(d, []byte(line))
			}
			all := d.Close(tt.exit)
			result := all[len(all)-1].(*loop.AgentResult)
			if got := kindOf(result); got != tt.want || tt.message != "" && result.Error.Message != tt.message {
				t.Errorf("%q: %+v, want %s", tt.stderr, result.Error, tt.want)
			}
		})
	}
}

// One that dies later may say why there, too, in a way of its own. A tool says other
// things on the same stderr.
func TestLastWordsOnStderr(t *testing.T) {
	const (
		codexSays = `{"type":"item.completed","item":{"type":"agent_message","text":"a"}}`
		grokFails = `{"type":"result","subtype":"error_during_execution","is_error":true}`
		droidEnds = `{"type":"error","source":"cli","message":"Exec failed"}`
	)
	tests := []struct {
		name, agent string
		lines       []string
		want        loop.ErrorKind
	}{
		{"an error for people", "codex", []string{codexSays, "!ERROR: You've hit your usage limit. Try again at 3:25 AM."}, loop.ErrUsageLimit},
		{"its log", "codex", []string{codexSays, "!2026-11-18T15:12:32Z ERROR codex_core: stream error: connection reset"}, loop.ErrAgent},
		{"in JSON", "cline", []string{`{"type":"agent_event","event":{"type":"content_end","contentType":"text","text":"a"}}`, `!{"ts":"2026-11-18T15:12:32.120Z","type":"error","message":"Usage limit reached. Try again at 3:25 AM"}`}, loop.ErrUsageLimit},
		{"a tool's JSON", "cline", []string{`{"type":"agent_event","event":{"type":"content_end","contentType":"text","text":"a"}}`, `!{"type":"error","message":"Usage limit reached"}`}, loop.ErrAgent},
		{"with a capital", "kimi", []string{`{"role":"assistant","content":"a"}`, "!Error: failed to run prompt: provider.auth_error: 401 invalid x-api-key"}, loop.ErrAuth},
		{"on two lines", "kimi", []string{`{"role":"assistant","content":"a"}`, "!error: failed to run prompt: provider.api_error: request failed", "!429 The usage limit has been reached, try again in 2 hours", "!See log: /x"}, loop.ErrUsageLimit},
		{"a tool of kimi's", "kimi", []string{`{"role":"assistant","content":"a"}`, "!Error: 401 Unauthorized"}, loop.ErrAgent},
		{"beside a result without a reason", "grok", []string{grokFails, "!Error: usage_limit_reached: The usage limit has been reached"}, loop.ErrUsageLimit},
		{"beside a result with a reason", "grok", []string{`{"type":"result","subtype":"error_during_execution","is_error":true,"errors":["the file is locked"]}`, "!Error: connection refused"}, loop.ErrAgent},
		{"beside its word that it failed", "droid", []string{droidEnds, "!Error: 429 The usage limit has been reached"}, loop.ErrUsageLimit},
		{"that it failed, and then why", "droid", []string{droidEnds, `{"type":"error","source":"agent_loop","message":"401 invalid x-api-key"}`}, loop.ErrAuth},
		{"why, and then that it failed", "droid", []string{`{"type":"error","source":"agent_loop","message":"401 invalid x-api-key"}`, droidEnds}, loop.ErrAuth},
		{"an error", "gemini", []string{`{"type":"message","role":"assistant","content":"a"}`, "!TerminalQuotaError: You have exhausted your daily quota on this model."}, loop.ErrUsageLimit},
		{"an error", "pi", []string{`{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"a"}],"stopReason":"toolUse"}}`, "!Error: 401 invalid x-api-key"}, loop.ErrAuth},
	}
	for _, tt := range tests {
		t.Run(tt.agent+", "+tt.name, func(t *testing.T) {
			all := aside(tt.agent, append(tt.lines, "")...)
			if got := all[len(all)-1].(*loop.AgentResult); kindOf(got) != tt.want {
				t.Errorf("%q: %+v, want %s", tt.lines, got.Error, tt.want)
			}
		})
	}
}
