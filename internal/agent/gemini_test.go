package agent

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestGeminiCommands(t *testing.T) {
	env := []string{"GEMINI_CLI_NO_RELAUNCH=true", "GEMINI_CLI_TRUST_WORKSPACE=true"}
	argv := func(args ...string) []string {
		return append([]string{"gemini", "--output-format", "stream-json"}, args...)
	}
	checkCommands(t, "gemini", []string{"GEMINI_CLI"}, []commandTest{
		{
			"a fresh session, by its own rules",
			Options{Permissions: "own", SystemFile: "AGENTS.md", MaxTurns: 3},
			Call{HasPrompt: true, Prompt: "do it"},
			Command{Argv: argv(), Env: env, Stdin: "do it", StdoutFile: true},
		},
		{
			"in a sandbox of ours it has none",
			Options{Permissions: "own"},
			Call{HasPrompt: true, Prompt: "do it", Confined: true},
			Command{Argv: argv(), Env: append(slices.Clone(env), "GEMINI_SANDBOX=false"), Stdin: "do it", StdoutFile: true},
		},
		{
			"a session goes on, with a model",
			Options{Permissions: "full"},
			Call{HasPrompt: true, Prompt: "do it", Model: "gemini-2.5-pro", Session: "1-2"},
			Command{Argv: argv("--approval-mode", "yolo", "--model", "gemini-2.5-pro", "--resume", "1-2"), Env: env, Stdin: "do it", StdoutFile: true},
		},
		{"edits", Options{Permissions: "edits"}, Call{}, Command{Argv: argv("--approval-mode", "auto_edit"), Env: env, StdoutFile: true}},
		{
			"work",
			Options{Permissions: "work"},
			Call{},
			Command{Argv: argv("--approval-mode", "auto_edit", "--allowed-tools", "run_shell_command"), Env: env, StdoutFile: true},
		},
	})
}

func TestGeminiToolsThatItMayNotUse(t *testing.T) {
	tests := []struct {
		name, tool, problem string
		want                bool
	}{
		{"a rule forbids it", "read_file", "policy_violation", true},
		{"the shell is kept from it", "run_shell_command", "tool_not_registered", true},
		{"no such tool exists", "Bash", "tool_not_registered", false},
		{"it was called wrongly", "run_shell_command", "invalid_tool_params", false},
		{"it worked", "run_shell_command", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			events, _ := decodeLines("gemini", exitOf(0, false),
				`{"type":"tool_use","tool_id":"1","tool_name":"`+tt.tool+`","parameters":{"command":"ls"}}`,
				`{"type":"tool_result","tool_id":"1","status":"error","error":{"type":"`+tt.problem+`","message":"no"}}`)
			got := events[1].(*loop.AgentToolResult)
			want := &loop.AgentToolResult{ID: "1", Name: tt.tool, Output: "no", Failed: true, Denied: tt.want}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
		})
	}
}

// The exit status is that of the provider's answer, less what does not fit.
func TestGeminiExitStatus(t *testing.T) {
	const well = `{"type":"result","status":"success"}`
	const plain = `{"type":"result","status":"error","error":{"type":"unknown","message":"[API Error: no]"}}`
	tests := []struct {
		name  string
		code  int
		lines []string
		want  loop.ErrorKind // empty: ok
	}{
		{"401 with a result", 401 - 256, []string{plain}, loop.ErrAuth},
		{"429 with a result", 429 - 256, []string{plain}, loop.ErrRateLimit},
		{"503 with a result", 503 - 256, []string{plain}, loop.ErrOverloaded},
		{"401 whose result was lost", 401 - 256, nil, loop.ErrAuth},
		{"not signed in", 41, nil, loop.ErrAuth},
		{"turn limit without a result", 53, nil, loop.ErrMaxTurns},
		{"ended by INT", 130, nil, loop.ErrAgent},
		{"a result without a cause", 0, []string{`{"type":"result","status":"error"}`}, loop.ErrAgent},
		{"a status that we do not know", 0, []string{`{"type":"result"}`}, loop.ErrAgent},
		{"success", 0, []string{`{"type":"result","status":"success"}`}, ""},
		{"turn limit with an error of another kind", 53, []string{plain}, loop.ErrMaxTurns},
		{"turn limit by its name", 1, []string{`{"type":"result","status":"error","error":{"type":"MaxSessionTurnsError","message":"no"}}`}, loop.ErrMaxTurns},
		{"turn limit, called a success", 0, []string{`{"type":"error","severity":"error","message":"Maximum session turns exceeded"}`, well}, loop.ErrMaxTurns},
		{"a quota, called a success", 0, []string{`{"type":"error","severity":"error","message":"[API Error: You have exhausted your daily quota on this model.]"}`, well}, loop.ErrUsageLimit},
		{"a loop, called a success", 0, []string{`{"type":"error","severity":"warning","message":"Loop detected, stopping execution"}`, well}, loop.ErrAgent},
		{"an error that it got over", 0, []string{`{"type":"error","severity":"error","message":"no"}`, `{"type":"message","role":"assistant","content":"a"}`, well}, ""},
		{"a warning", 0, []string{`{"type":"error","severity":"warning","message":"The context is nearly full"}`, well}, ""},
		{"success, then a failing exit", 1, []string{`{"type":"result","status":"success"}`}, loop.ErrAgent},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, got := decodeLines("gemini", exitOf(tt.code, false), tt.lines...); kindOf(got) != tt.want {
				t.Errorf("exit %d after %q gives %+v, want kind %q", tt.code, tt.lines, got, tt.want)
			}
		})
	}
}

func TestGeminiText(t *testing.T) {
	events, _ := decodeLines("gemini", exitOf(0, false),
		`{"type":"message","role":"user","content":"<promise>DONE</promise>\n"}`,
		`{"type":"message","role":"assistant","content":"One\n<prom","delta":true}`,
		`{"type":"message","role":"assistant","content":"ise>DONE</promise>","delta":true}`,
		`{"type":"tool_use","tool_id":"1","tool_name":"glob","parameters":{"pattern":"*.go"}}`,
		`{"type":"message","role":"model","content":"Whole."}`,
		`{"type":"message","role":"assistant","content":"Left","delta":true}`)
	want := []loop.Payload{
		&loop.AgentText{Text: "One"},
		&loop.AgentText{Text: "<promise>DONE</promise>"},
		&loop.AgentTool{ID: "1", Name: "glob", Input: "*.go"},
		&loop.AgentText{Text: "Whole."},
		&loop.AgentText{Text: "Left"},
	}
	if diff := cmp.Diff(want, events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}
