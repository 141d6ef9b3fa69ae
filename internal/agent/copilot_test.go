package agent

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestCopilotCommands(t *testing.T) {
	env := []string{"COPILOT_AUTO_UPDATE=false"}
	argv := func(args ...string) []string {
		return append([]string{"copilot", "--output-format", "json", "--no-ask-user", "--disable-client-telemetry"}, args...)
	}
	unset := []string{
		"COPILOT_AGENT_SESSION_ID", "COPILOT_CLI", "COPILOT_CLI_BINARY_VERSION",
		"COPILOT_CLI_RESOLVED_DIST_DIR", "COPILOT_LOADER_PID",
	}
	checkCommands(t, "copilot", unset, []commandTest{
		{
			"a fresh session, by its own rules",
			Options{Permissions: "own"},
			Call{HasPrompt: true, Prompt: "do it"},
			Command{Argv: argv(), Env: env, Stdin: "do it", First: "INT"},
		},
		{
			"a session goes on, with a model",
			Options{Permissions: "full"},
			Call{HasPrompt: true, Prompt: "do it", Model: "gpt-5", Session: "1-2"},
			Command{Argv: argv("--allow-all", "--model", "gpt-5", "--resume=1-2"), Env: env, Stdin: "do it", First: "INT"},
		},
		{"edits", Options{Permissions: "edits"}, Call{}, Command{Argv: argv("--allow-tool", "write"), Env: env, First: "INT"}},
		{"work", Options{Permissions: "work"}, Call{}, Command{Argv: argv("--allow-all-tools"), Env: env, First: "INT"}},
	})
}

func TestCopilotEnds(t *testing.T) {
	const (
		message = `{"type":"assistant.message","data":{"content":"Hi."}}`
		failed  = `{"type":"session.error","data":{"errorType":"query","message":"no","statusCode":500}}`
		abort   = `{"type":"abort","data":{"reason":"user_abort"}}`
		good    = `{"type":"result","exitCode":0}`
		bad     = `{"type":"result","exitCode":1}`
		detach  = `{"type":"tool.execution_complete","data":{"toolCallId":"1","success":true,"result":{"content":"<command started in detached background with shellId: 7>"}}}`
		notice  = `{"type":"system.notification","data":{"kind":{"type":"shell_completed","shellId":"7"}}}`
	)
	tests := []struct {
		name    string
		lines   []string
		want    loop.ErrorKind // empty: ok
		pending bool
	}{
		{"well", []string{message, good}, "", false},
		{"with an exit status", []string{message, bad}, loop.ErrAgent, false},
		{"without one", []string{message, `{"type":"result"}`}, loop.ErrAgent, false},
		{"with an error", []string{failed, bad}, loop.ErrServer, false},
		{"with an error and status 0", []string{failed, good}, loop.ErrServer, false},
		{"with an error and no result", []string{failed}, loop.ErrServer, false},
		{"after an error that it got over", []string{failed, message, good}, "", false},
		{"by a signal, though it says 0", []string{message, abort, good}, loop.ErrAgent, false},
		{"with a command in the background", []string{detach, message, good}, "", true},
		{"after a command in the background", []string{detach, notice, message, good}, "", false},
		{"without a word", nil, loop.ErrAgent, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, got := decodeLines("copilot", exitOf(0, false), tt.lines...)
			if kindOf(got) != tt.want || got.Pending != tt.pending {
				t.Errorf("%q end with %+v, want kind %q, pending %v", tt.lines, got, tt.want, tt.pending)
			}
		})
	}
}

func TestCopilotHearsOnlyTheAgentItself(t *testing.T) {
	events, _ := decodeLines("copilot", exitOf(0, false),
		`{"type":"user.message","data":{"content":"the prompt"}}`,
		`{"type":"assistant.reasoning","data":{"content":"a thought"}}`,
		`{"type":"assistant.message_delta","data":{"deltaContent":"Hel"}}`,
		`{"type":"assistant.message","data":{"content":"a subagent","parentToolCallId":"1"}}`,
		`{"type":"assistant.message","data":{"content":"Hello."}}`)
	if diff := cmp.Diff([]loop.Payload{&loop.AgentText{Text: "Hello."}}, events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestCopilotBills(t *testing.T) {
	for byok, want := range map[string]string{"true": "api_key", "false": "subscription"} {
		events, _ := decodeLines("copilot", exitOf(0, false), `{"type":"model.call_final_result","data":{"isByok":`+byok+`}}`)
		if diff := cmp.Diff([]loop.Payload{&loop.AgentSession{BilledTo: want}}, events); diff != "" {
			t.Errorf("isByok %s (-want +got):\n%s", byok, diff)
		}
	}
}

// While it tries again, the provider's own answer is passed on.
func TestCopilotRetries(t *testing.T) {
	events, _ := decodeLines("copilot", exitOf(0, false),
		`{"type":"model.call_failure","data":{"statusCode":429,"errorMessage":"{\"code\":\"usage_limit_reached\",\"message\":\"The limit.\"}"}}`,
		`{"type":"assistant.turn_retry","data":{"reason":"rate_limit"}}`)
	want := []loop.Payload{
		&loop.AgentRetry{Try: 1, Error: &loop.AgentError{Kind: loop.ErrUsageLimit, Message: "The limit."}},
		&loop.AgentLimit{Limit: loop.Limit{Kind: "usage_limit"}},
	}
	if diff := cmp.Diff(want, events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// An error that ends it has its exit status. Others are about something beside the work.
func TestCopilotErrorsBesideTheWork(t *testing.T) {
	const (
		said    = `{"type":"assistant.message","data":{"model":"m","content":"a"}}`
		beside  = `{"type":"session.error","data":{"errorType":"mcp","message":"MCP server x failed: connection refused"}}`
		refused = `{"type":"model.call_failure","data":{"statusCode":500,"errorMessage":"no"}}`
		well    = `{"type":"result","sessionId":"s","exitCode":0}`
		badly   = `{"type":"result","sessionId":"s","exitCode":1}`
	)
	for _, tt := range []struct {
		name  string
		lines []string
		want  loop.ErrorKind
	}{
		{"after its last words", []string{said, beside, well}, ""},
		{"with a status for it", []string{said, beside, badly}, loop.ErrNetwork},
		{"and nobody has answered", []string{beside, well}, loop.ErrNetwork},
		{"and the model's last answer was none", []string{said, refused, beside, well}, loop.ErrServer},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, got := decodeLines("copilot", exitOf(0, false), tt.lines...); kindOf(got) != tt.want {
				t.Errorf("%+v, want kind %q", got.Error, tt.want)
			}
		})
	}
}
