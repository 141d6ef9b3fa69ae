package agent

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestClaudeCommands(t *testing.T) {
	env := []string{"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1"}
	unset := []string{
		"AI_AGENT", "CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_ENTRYPOINT",
		"CLAUDE_CODE_EXECPATH", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_SSE_PORT", "CLAUDE_EFFORT",
	}
	call := Call{HasPrompt: true, Prompt: "do it"}
	wish := []string{"CLAUDE_CODE_MAX_RETRIES=6"}
	argv := func(more ...string) []string {
		return append([]string{"claude", "-p", "--output-format", "stream-json", "--verbose"}, more...)
	}
	checkCommands(t, "claude", unset, []commandTest{
		{
			"by its own rules",
			Options{},
			call,
			Command{Wish: wish, Argv: argv(), Env: env, Stdin: "do it", First: "INT"},
		},
		{
			"in a sandbox of ours it has none, and root may skip permissions",
			Options{},
			Call{HasPrompt: true, Prompt: "do it", Confined: true},
			Command{Wish: wish, Argv: argv("--settings", `{"sandbox":{"enabled":false}}`), Env: append(slices.Clone(env), "IS_SANDBOX=1"), Stdin: "do it", First: "INT"},
		},
		{
			"under another name",
			Options{Program: "/opt/claude2"},
			call,
			Command{Wish: wish, Argv: append([]string{"/opt/claude2"}, argv()[1:]...), Env: env, Stdin: "do it", First: "INT"},
		},
		{
			"edits",
			Options{Permissions: "edits"},
			call,
			Command{Wish: wish, Argv: argv("--permission-mode", "acceptEdits"), Env: env, Stdin: "do it", First: "INT"},
		},
		{
			"work",
			Options{Permissions: "work"},
			call,
			Command{Wish: wish, Argv: argv("--permission-mode", "acceptEdits", "--allowedTools", "Bash"), Env: env, Stdin: "do it", First: "INT"},
		},
		{
			"everything at once",
			Options{Permissions: "full", MaxTurns: 9, SystemFile: "AGENTS.md", First: "TERM", Env: map[string]string{"A": "1"}},
			Call{HasPrompt: true, Prompt: "do it", Model: "opus", Session: "s-1", LeftUSD: 1.23456},
			Command{
				Wish: wish, Argv: argv("--dangerously-skip-permissions", "--model", "opus", "--resume", "s-1", "--max-turns", "9",
					"--max-budget-usd", "1.2346", "--append-system-prompt-file", "AGENTS.md"),
				Env: append([]string{"A=1"}, env...), Stdin: "do it", First: "TERM",
			},
		},
		{
			"hardly any money is not none",
			Options{},
			Call{HasPrompt: true, Prompt: "do it", LeftUSD: 1e-9},
			Command{Wish: wish, Argv: argv("--max-budget-usd", "0.0001"), Env: env, Stdin: "do it", First: "INT"},
		},
	})
}

const (
	claudeInit = `{"type":"system","subtype":"init","session_id":"s-1","model":"claude-opus-4-8","apiKeySource":"none"}`
	claudeOK   = `{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"bye","session_id":"s-1"}`
)

// claudeSays is one block of a message.
func claudeSays(id, block string, input, output int) string {
	return fmt.Sprintf(`{"type":"assistant","message":{"id":%q,"model":"claude-opus-4-8","content":[%s],"usage":{"input_tokens":%d,"output_tokens":%d,"cache_read_input_tokens":1000}},"parent_tool_use_id":null,"session_id":"s-1"}`, id, block, input, output)
}

func TestClaudeEvents(t *testing.T) {
	three := 3
	reset := recordedAt.Add(2 * time.Hour)
	tests := []struct {
		name string
		line string
		want []loop.Payload
	}{
		{
			"the start", claudeInit,
			[]loop.Payload{&loop.AgentSession{Session: "s-1", Model: "claude-opus-4-8", BilledTo: "subscription"}},
		},
		{
			"a key", `{"type":"system","subtype":"init","apiKeySource":"ANTHROPIC_API_KEY"}`,
			[]loop.Payload{&loop.AgentSession{BilledTo: "api_key"}},
		},
		{
			"thoughts are not said", claudeSays("m", `{"type":"thinking","thinking":"hm"}`, 0, 0),
			[]loop.Payload{&loop.AgentUsage{Usage: loop.Usage{CacheRead: 1000, Turns: 1}}},
		},
		{
			"a tool that fails",
			`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","is_error":true,"content":"Exit code 3\nno"}]}}`,
			[]loop.Payload{&loop.AgentToolResult{ID: "t", Output: "Exit code 3\nno", Failed: true, Exit: &three}},
		},
		{
			"a tool that answers in blocks",
			`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}]}]}}`,
			[]loop.Payload{&loop.AgentToolResult{ID: "t", Output: "a\nb"}},
		},
		{
			"a prompt, or a note of its runtime, is nobody's word",
			`{"type":"user","message":{"content":[{"type":"text","text":"<promise>DONE</promise>"}]}}`, nil,
		},
		{
			"a prompt as plain text", `{"type":"user","message":{"content":"<promise>DONE</promise>"}}`, nil,
		},
		{
			"a subagent's word",
			`{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"<promise>DONE</promise>"}]},"parent_tool_use_id":"t"}`, nil,
		},
		{
			"an error that looks like a message",
			`{"type":"assistant","message":{"id":"m","model":"<synthetic>","content":[{"type":"text","text":"Invalid API key"}]},"error":"authentication_failed"}`, nil,
		},
		{
			"trying again",
			`{"type":"system","subtype":"api_retry","attempt":2,"max_retries":10,"retry_delay_ms":1130.71,"error_status":429,"error":"rate_limit"}`,
			[]loop.Payload{
				&loop.AgentRetry{Try: 2, Most: 10, After: loop.Millis(1130 * time.Millisecond), Error: &loop.AgentError{Kind: loop.ErrRateLimit}},
				&loop.AgentLimit{Limit: loop.Limit{Kind: "rate_limit"}}, // the line was its last
			},
		},
		{
			"a limit", fmt.Sprintf(`{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":%d,"rateLimitType":"five_hour"}}`, reset.Unix()),
			[]loop.Payload{&loop.AgentLimit{Limit: loop.Limit{Kind: "five_hour", Until: reset}}},
		},
		{
			"a limit that ended in the past", `{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1700000000,"rateLimitType":"seven_day"}}`,
			[]loop.Payload{&loop.AgentLimit{Limit: loop.Limit{Kind: "weekly"}}},
		},
		{
			"a week's limit of one model", fmt.Sprintf(`{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":%d,"rateLimitType":"seven_day_opus"}}`, reset.Unix()),
			[]loop.Payload{&loop.AgentLimit{Limit: loop.Limit{Kind: "weekly_opus", Until: reset}}},
		},
		{
			"a limit of a later version", `{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","rateLimitType":"Team Pool"}}`,
			[]loop.Payload{&loop.AgentLimit{Limit: loop.Limit{Kind: "team_pool"}}},
		},
		{
			"a limit that is far away is none", `{"type":"rate_limit_event","rate_limit_info":{"status":"allowed","resetsAt":1794713084,"rateLimitType":"five_hour","overageStatus":"rejected"}}`, nil,
		},
		{
			"a warning of a limit is none", `{"type":"rate_limit_event","rate_limit_info":{"status":"allowed_warning","resetsAt":1794713084}}`, nil,
		},
		{
			"a limit that is paid for is none", `{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","isUsingOverage":true}}`, nil,
		},
		{
			"a line of its runtime", `(node:1) Warning: <promise>DONE</promise>`,
			[]loop.Payload{&loop.AgentToolResult{Name: "output", Output: `(node:1) Warning: <promise>DONE</promise>`}},
		},
		{"an event of a later version", `{"type":"weather","text":"<promise>DONE</promise>"}`, nil},
		{"an empty line", ``, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _ := decodeLines("claude", exitOf(0, false), tt.line)
			if diff := cmp.Diff(tt.want, got, cmpopts.EquateEmpty(), approximately); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.line, diff)
			}
		})
	}
}

// The same message comes once for each of its blocks, and its tokens each time.
func TestClaudeCountsAMessageOnce(t *testing.T) {
	all, _ := decodeLines("claude", exitOf(0, false),
		claudeInit,
		claudeSays("m1", `{"type":"text","text":"a"}`, 100, 1),
		claudeSays("m1", `{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls\n-l"}}`, 100, 1),
		claudeSays("m2", `{"type":"text","text":"b"}`, 10, 1),
	)
	want := []loop.Payload{
		&loop.AgentSession{Session: "s-1", Model: "claude-opus-4-8", BilledTo: "subscription"},
		&loop.AgentText{Text: "a"},
		&loop.AgentUsage{Usage: loop.Usage{Input: 100, Output: 1, CacheRead: 1000, Turns: 1, CostUSD: 0.001025, CostEstimated: true, ContextPercent: 1}},
		&loop.AgentTool{ID: "t", Name: "Bash", Input: "ls -l", Shell: true},
		&loop.AgentText{Text: "b"},
		&loop.AgentUsage{Usage: loop.Usage{Input: 110, Output: 2, CacheRead: 2000, Turns: 2, CostUSD: 0.0016, CostEstimated: true, ContextPercent: 1}},
	}
	if diff := cmp.Diff(want, all, approximately); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// approximately compares costs.
var approximately = cmp.Comparer(func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 })

func TestClaudeTotals(t *testing.T) {
	const models = `"modelUsage":{"claude-opus-4-8":{"inputTokens":100,"outputTokens":10,"cacheReadInputTokens":7,"cacheCreationInputTokens":3,"contextWindow":2000},"claude-haiku-4-5":{"inputTokens":5,"outputTokens":1,"contextWindow":9}}`
	tests := []struct {
		name, result string
		want         loop.Usage
	}{
		{
			"all models, and their cost", `{"type":"result","subtype":"success","is_error":false,"num_turns":2,"total_cost_usd":0.5,"usage":{"input_tokens":0},` + models + `}`,
			loop.Usage{Input: 105, Output: 11, CacheRead: 7, CacheWrite: 3, CostUSD: 0.5, Turns: 2, ContextPercent: 55},
		},
		{
			"the cost as old versions tell it", `{"type":"result","subtype":"success","is_error":false,"num_turns":2,"cost_usd":0.25,"usage":{"input_tokens":100,"output_tokens":10}}`,
			loop.Usage{Input: 100, Output: 10, CostUSD: 0.25, Turns: 2, ContextPercent: 1},
		},
		{
			"without models, the plain sum", `{"type":"result","subtype":"success","is_error":false,"num_turns":2,"usage":{"input_tokens":100,"output_tokens":10}}`,
			loop.Usage{Input: 100, Output: 10, CostUSD: 0.00075, CostEstimated: true, Turns: 2, ContextPercent: 1},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			all, _ := decodeLines("claude", exitOf(0, false), claudeInit, claudeSays("m1", `{"type":"text","text":"a"}`, 100, 10), tt.result)
			last := all[len(all)-1].(*loop.AgentUsage)
			if diff := cmp.Diff(tt.want, last.Usage, approximately); diff != "" {
				t.Errorf("usage (-want +got):\n%s", diff)
			}
		})
	}
}

func TestClaudeEnds(t *testing.T) {
	tests := []struct {
		name  string
		lines []string
		exit  loop.Exit
		want  loop.AgentResult
	}{
		{"well", []string{claudeOK}, exitOf(0, false), loop.AgentResult{OK: true, Text: "bye"}},
		{
			"with a word of success that is none",
			[]string{`{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"slow"}`},
			exitOf(1, false),
			loop.AgentResult{Error: &loop.AgentError{Kind: loop.ErrRateLimit, Message: "slow"}},
		},
		{
			"by a signal, after its success",
			[]string{claudeOK},
			loop.Exit{Signal: "INT", Cause: loop.OnRequest},
			loop.AgentResult{Text: "bye", Error: &loop.AgentError{Kind: loop.ErrAgent, Message: "it reported success, but ended by signal INT (asked)"}},
		},
		{
			"without a word", nil, exitOf(0, false),
			loop.AgentResult{Error: &loop.AgentError{Kind: loop.ErrAgent, Message: "no final event: exit 0"}},
		},
		{
			"with a task in the background",
			[]string{`{"type":"system","subtype":"task_started","task_id":"b1"}`, claudeOK, `{"type":"system","subtype":"task_notification","task_id":"b1","status":"stopped"}`},
			exitOf(0, false),
			loop.AgentResult{OK: true, Text: "bye", Pending: true},
		},
		{
			"at its turn limit, with a task in the background",
			[]string{`{"type":"system","subtype":"task_started","task_id":"b1"}`, `{"type":"result","subtype":"error_max_turns","is_error":true,"errors":["Reached maximum number of turns (3)"]}`},
			exitOf(1, false),
			loop.AgentResult{Error: &loop.AgentError{Kind: loop.ErrMaxTurns, Message: "Reached maximum number of turns (3)"}, Pending: true},
		},
		{
			"after its task has ended and woken it up",
			[]string{`{"type":"system","subtype":"task_started","task_id":"b1"}`, claudeOK, `{"type":"system","subtype":"task_notification","task_id":"b1","status":"completed"}`, claudeOK},
			exitOf(0, false),
			loop.AgentResult{OK: true, Text: "bye"},
		},
		{
			"after its task has ended without a notice",
			[]string{`{"type":"system","subtype":"task_started","task_id":"b1"}`, `{"type":"system","subtype":"task_updated","task_id":"b1","patch":{"status":"completed"}}`, claudeOK},
			exitOf(0, false),
			loop.AgentResult{OK: true, Text: "bye"},
		},
		{
			"with a task that goes on",
			[]string{`{"type":"system","subtype":"task_started","task_id":"b1"}`, `{"type":"system","subtype":"task_updated","task_id":"b1","patch":{"status":"running"}}`, claudeOK},
			exitOf(0, false),
			loop.AgentResult{OK: true, Text: "bye", Pending: true},
		},
		{
			"with a wake-up to come",
			[]string{`{"type":"user","message":{"content":[]},"tool_use_result":{"scheduledFor":1794715089518}}`, claudeOK},
			exitOf(0, false),
			loop.AgentResult{OK: true, Text: "bye", Pending: true},
		},
		{
			"with a wake-up that was refused",
			[]string{`{"type":"user","message":{"content":[]},"tool_use_result":{"scheduledFor":0}}`, claudeOK},
			exitOf(0, false),
			loop.AgentResult{OK: true, Text: "bye"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, got := decodeLines("claude", tt.exit, tt.lines...)
			if diff := cmp.Diff(tt.want, *got); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
		})
	}
}

func TestClaudeTellsWhatWasDenied(t *testing.T) {
	all, result := decodeLines("claude", exitOf(0, false),
		`{"type":"result","subtype":"success","is_error":false,"result":"bye","permission_denials":[{"tool_name":"Bash","tool_use_id":"t1","tool_input":{"command":"x"}}]}`)
	want := &loop.AgentToolResult{ID: "t1", Name: "Bash", Failed: true, Denied: true}
	if diff := cmp.Diff(loop.Payload(want), all[0]); diff != "" || !result.OK {
		t.Errorf("first event (-want +got), ok %v:\n%s", result.OK, diff)
	}
}

func TestClaudeLeavesNoSession(t *testing.T) {
	tests := []struct {
		name, version, session string
		forgets, want          bool
	}{
		{"a version that can", "2.1.197", "", true, true},
		{"a later one", "2.2.0", "", true, true},
		{"much later", "10.0.1", "", true, true},
		{"an earlier one", "2.1.80", "", true, false},
		{"nobody knows", "", "", true, false},
		{"the session is kept", "2.1.197", "", false, false},
		{"a session goes on", "2.1.197", "s", true, false},
	}
	for _, tt := range tests {
		a, err := New(Options{Name: "claude", Version: tt.version, Forgets: tt.forgets})
		if err != nil {
			t.Fatal(err)
		}
		cmd, err := a.Command(Call{HasPrompt: true, Prompt: "x", Session: tt.session})
		if got := slices.Contains(cmd.Argv, "--no-session-persistence"); err != nil || got != tt.want {
			t.Errorf("%s: %q, %v; want it told: %v", tt.name, cmd.Argv, err, tt.want)
		}
	}
}

// An error comes as if it were said, before the result and in other fields of it.
func TestClaudeErrorsInOtherPlaces(t *testing.T) {
	notice := func(text, more string) string {
		return `{"type":"assistant","message":{"id":"m","model":"<synthetic>","content":[{"type":"text","text":"` + text + `"}]}` + more + `}`
	}
	fails := func(more string) string {
		return `{"type":"result","subtype":"success","is_error":true,` + more + `}`
	}
	well := func(text string) string {
		return `{"type":"result","subtype":"success","is_error":false,"result":"` + text + `"}`
	}
	const limit = "You've hit your 5-hour limit · resets 5:04pm (UTC)"
	answer := claudeSays("m1", `{"type":"text","text":"a"}`, 1, 1)
	tests := []struct {
		name  string
		lines []string
		want  loop.ErrorKind
		until bool
	}{
		{"a limit, and no result", []string{notice(limit, `,"error":"rate_limit"`)}, loop.ErrUsageLimit, true},
		{"the same, which it got over", []string{notice(limit, `,"error":"rate_limit"`), answer}, loop.ErrAgent, false},
		{"the end of a limit beside its text", []string{
			notice("You've hit your 5-hour limit", `,"error":"rate_limit","rate_limit_info":{"status":"rejected","resetsAt":1794720000,"rateLimitType":"five_hour"}`),
			fails(`"api_error_status":429,"result":"You've hit your 5-hour limit"`),
		}, loop.ErrUsageLimit, true},
		{"a limit, called a success", []string{notice("Claude AI usage limit reached|1794720000", ""), well("Claude AI usage limit reached|1794720000")}, loop.ErrUsageLimit, true},
		{"an error, called a success", []string{notice("API Error: 500 no", ""), well("API Error: 500 no")}, loop.ErrServer, false},
		{"a remark of its own", []string{notice("No response requested.", ""), well("No response requested.")}, "", false},
		{"what the model says of an error", []string{claudeSays("m1", `{"type":"text","text":"API Error: 500 no"}`, 1, 1), well("API Error: 500 no")}, "", false},
		{"a word of the provider's", []string{fails(`"api_error_type":"overloaded_error","result":"API Error: something"`)}, loop.ErrOverloaded, false},
		{"another", []string{fails(`"api_error_type":"authentication_error","result":"API Error: something"`)}, loop.ErrAuth, false},
		{"a lost connection, called a server's error", []string{notice("x", `,"error":"server_error"`), fails(`"result":"API Error: Connection dropped (ECONNRESET). Check the gateway"`)}, loop.ErrNetwork, false},
		{"a wait, called a server's error", []string{notice("x", `,"error":"server_error"`), fails(`"result":"API Error: Request timed out."`)}, loop.ErrNetwork, false},
		{"a server's error", []string{notice("x", `,"error":"server_error"`), fails(`"result":"API Error: Internal"`)}, loop.ErrServer, false},
		{"errors that are objects", []string{`{"type":"result","subtype":"error_during_execution","is_error":true,"errors":[{"message":"429 usage limit reached"}]}`}, loop.ErrUsageLimit, false},
		{"an error that is a text", []string{`{"type":"result","subtype":"error_during_execution","is_error":true,"error":"429 usage limit reached"}`}, loop.ErrUsageLimit, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			all, got := decodeLines("claude", exitOf(0, false), tt.lines...)
			until := false
			for _, p := range all {
				if limit, ok := p.(*loop.AgentLimit); ok {
					until = !limit.Limit.Until.IsZero()
				}
			}
			if kindOf(got) != tt.want || until != tt.until {
				t.Errorf("%+v with an end (%v), want %q (%v)", got.Error, until, tt.want, tt.until)
			}
		})
	}
}
