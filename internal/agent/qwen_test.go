package agent

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestQwenCommands(t *testing.T) {
	env := []string{"QWEN_CODE_NO_RELAUNCH=true", "QWEN_DEBUG_LOG_FILE=1"}
	call := Call{HasPrompt: true, Prompt: "do it"}
	argv := func(more ...string) []string {
		return append([]string{"qwen", "--output-format", "stream-json"}, more...)
	}
	checkCommands(t, "qwen", []string{"QWEN_CODE"}, []commandTest{
		{"by its own rules", Options{}, call, Command{Argv: argv(), Env: env, Stdin: "do it", First: "INT"}},
		{"edits", Options{Permissions: "edits"}, call, Command{Argv: argv("--approval-mode", "auto-edit"), Env: env, Stdin: "do it", First: "INT"}},
		{
			"work",
			Options{Permissions: "work"},
			call,
			Command{Argv: argv("--approval-mode", "auto-edit", "--allowed-tools", "run_shell_command"), Env: env, Stdin: "do it", First: "INT"},
		},
		{
			"everything at once",
			Options{Permissions: "full", MaxTurns: 9, SystemFile: "AGENTS.md"},
			Call{HasPrompt: true, Prompt: "do it", Model: "m", Session: "s", LeftUSD: 1},
			Command{
				Argv: argv("--approval-mode", "yolo", "--model", "m", "--resume", "s", "--max-session-turns", "9"),
				Env:  env, Stdin: "do it", First: "INT",
			},
		},
	})
}

func qwenResult(text string) string {
	return `{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"` + text + `"}`
}

func TestQwenEnds(t *testing.T) {
	tests := []struct {
		name string
		line string
		exit loop.Exit
		want loop.AgentResult
	}{
		{"well", qwenResult("bye"), exitOf(0, false), loop.AgentResult{OK: true, Text: "bye"}},
		{
			"with an error of the API for its text", qwenResult("[API Error: 401 invalid x-api-key]"), exitOf(0, false),
			loop.AgentResult{Error: &loop.AgentError{Kind: loop.ErrAuth, Message: "401 invalid x-api-key"}},
		},
		{
			"with one behind its text", qwenResult("so far[API Error: terminated (cause: other side closed)]"), exitOf(0, false),
			loop.AgentResult{Error: &loop.AgentError{Kind: loop.ErrNetwork, Message: "terminated (cause: other side closed)"}},
		},
		{
			"well, having spoken of an error", qwenResult("It prints [API Error: x] and goes on."), exitOf(0, false),
			loop.AgentResult{OK: true, Text: "It prints [API Error: x] and goes on."},
		},
		{
			"with an error of the API and advice", qwenResult(`[API Error: This request would exceed your rate limit. (Status: RESOURCE_EXHAUSTED)]\nPlease wait and try again later. To increase your limits, request a quota increase through AI Studio, or switch to another /auth method`), exitOf(0, false),
			loop.AgentResult{Error: &loop.AgentError{Kind: loop.ErrRateLimit, Message: "This request would exceed your rate limit. (Status: RESOURCE_EXHAUSTED)"}},
		},
		{
			"with a quota that is used up", qwenResult(`Quota exhausted: Your quota resets at 2026-11-19T00:00:00Z.`), exitOf(0, false),
			loop.AgentResult{Error: &loop.AgentError{Kind: loop.ErrUsageLimit, Message: "Quota exhausted: Your quota resets at 2026-11-19T00:00:00Z."}},
		},
		{
			"with the quota of who has signed in", qwenResult(`Qwen OAuth quota exceeded: Your free daily quota has been reached.\n\nTo continue, upgrade.`), exitOf(0, false),
			loop.AgentResult{Error: &loop.AgentError{Kind: loop.ErrUsageLimit, Message: "Qwen OAuth quota exceeded: Your free daily quota has been reached.\n\nTo continue, upgrade."}},
		},
		{
			"with a sign-in that is no more", qwenResult(`Qwen OAuth free tier has been discontinued as of 2026-04-15.\n\nTry one of these.`), exitOf(0, false),
			loop.AgentResult{Error: &loop.AgentError{Kind: loop.ErrAuth, Message: "Qwen OAuth free tier has been discontinued as of 2026-04-15.\n\nTry one of these."}},
		},
		{
			"well, with another bracket behind it", qwenResult(`Fixed the reader of [API Error: 401 x].\n\n<promise>DONE</promise>\n[all tests pass]`), exitOf(0, false),
			loop.AgentResult{OK: true, Text: "Fixed the reader of [API Error: 401 x].\n\n<promise>DONE</promise>\n[all tests pass]"},
		},
		{
			"at its turn limit", ``, exitOf(53, false),
			loop.AgentResult{Error: &loop.AgentError{Kind: loop.ErrMaxTurns, Message: "it reached its turn limit"}},
		},
		{
			"ended by us with the status of the turn limit", ``, exitOf(53, true),
			loop.AgentResult{Error: &loop.AgentError{Kind: loop.ErrAgent, Message: "no final event: exit 53 (timed_out)"}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, got := decodeLines("qwen", tt.exit, tt.line)
			if diff := cmp.Diff(tt.want, *got); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
		})
	}
}

// What was said before the stream broke is the agent's, the error is not.
func TestQwenSaysNoErrors(t *testing.T) {
	all, _ := decodeLines("qwen", exitOf(0, false),
		`{"type":"assistant","message":{"content":[{"type":"text","text":"[API Error: 400 no]"}]}}`,
		`{"type":"assistant","message":{"content":[{"type":"text","text":"so far[API Error: terminated]"}]}}`,
	)
	if diff := cmp.Diff([]loop.Payload{&loop.AgentText{Text: "so far"}}, all); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// The model's own words about an error are paid for. A version that says which results
// are errors is believed.
func TestQwenSpeaksOfErrors(t *testing.T) {
	const (
		old    = `{"type":"system","subtype":"init","session_id":"s","qwen_code_version":"0.15.10"}`
		tells  = `{"type":"system","subtype":"init","session_id":"s","qwen_code_version":"0.24.4"}`
		spoken = `{"type":"assistant","message":{"content":[{"type":"text","text":"It now prints [API Error: 401 x]"}],"usage":{"input_tokens":9,"output_tokens":5}}}`
		empty  = `{"type":"assistant","message":{"content":[{"type":"text","text":"[API Error: Model stream ended with empty response text.]"}],"usage":{"input_tokens":9,"output_tokens":5}}}`
	)
	for _, tt := range []struct {
		name  string
		lines []string
		want  loop.ErrorKind
	}{
		{"its own words", []string{old, spoken, qwenResult("It now prints [API Error: 401 x]")}, ""},
		{"the same, unpaid", []string{old, qwenResult("It now prints [API Error: 401 x]")}, loop.ErrAuth},
		{"the same, in a version that tells", []string{tells, qwenResult("It now prints [API Error: 401 x]")}, ""},
		{"nothing else, in a version that tells", []string{tells, qwenResult("Quota exhausted: Your quota resets at 2026-11-19T00:00:00Z.")}, loop.ErrUsageLimit},
		{"an empty reply, which is paid for", []string{old, empty, qwenResult("[API Error: Model stream ended with empty response text.]")}, loop.ErrAgent},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, got := decodeLines("qwen", exitOf(0, false), tt.lines...)
			if kind := kindOf(got); kind != tt.want {
				t.Errorf("%q, want %q", kind, tt.want)
			}
		})
	}
}

// A reply without a word is asked for again, and is paid for: only the sum knows of
// it. The sum is the whole session's.
func TestQwenCountsWhatItTriedAgain(t *testing.T) {
	message := `{"type":"assistant","message":{"id":"m","content":[],"usage":{"input_tokens":100,"output_tokens":10,"cache_read_input_tokens":40}}}`
	sum := `{"type":"result","subtype":"success","num_turns":1,"session_id":"s","usage":{"input_tokens":500,"output_tokens":50,"cache_read_input_tokens":200}}`
	tests := []struct {
		name  string
		lines []string
		used  loop.Usage
		want  loop.Usage
	}{
		{"a session of its own", []string{message, sum}, loop.Usage{}, loop.Usage{Input: 300, Output: 50, CacheRead: 200, Turns: 1}},
		{
			"a continued one",
			[]string{message, sum},
			loop.Usage{Input: 120, Output: 20, CacheRead: 80},
			loop.Usage{Input: 180, Output: 30, CacheRead: 120, Turns: 1},
		},
		{
			"one that says less than its messages",
			[]string{message, sum},
			loop.Usage{Input: 300, Output: 50, CacheRead: 200},
			loop.Usage{Input: 60, Output: 10, CacheRead: 40, Turns: 1},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newQwenDecoder(Options{Used: func(string) loop.Usage { return tt.used }})
			d.Decode([]byte(`{"type":"system","subtype":"init","session_id":"s"}`))
			var got loop.Usage
			for _, p := range decodeAll(d, []byte(strings.Join(tt.lines, "\n")), exitOf(0, false)) {
				if u, ok := p.(*loop.AgentUsage); ok {
					got = u.Usage
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("usage (-want +got):\n%s", diff)
			}
		})
	}
}
