package agent

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestClineCommands(t *testing.T) {
	env := []string{"CLINE_NO_AUTO_UPDATE=1", "CLINE_SESSION_BACKEND_MODE=local"}
	checkCommands(t, "cline", []string{"CLINE_CONNECTOR_CLI_LAUNCH", "CLINE_RUN_AS_HUB_DAEMON"}, []commandTest{
		{
			"by its own rules, and a word is no command",
			Options{Permissions: "own"},
			Call{HasPrompt: true, Prompt: "version"},
			Command{Argv: []string{"cline", "--json", "--", "version\n"}, Env: env, First: "INT"},
		},
		{
			"with a model",
			Options{Permissions: "work"},
			Call{HasPrompt: true, Prompt: "- do it\n", Model: "gpt-5"},
			Command{Argv: []string{"cline", "--json", "--auto-approve", "true", "--model", "gpt-5", "--", "- do it\n"}, Env: env, First: "INT"},
		},
	})
}

func TestWhoRunsCommandsAnyway(t *testing.T) {
	for _, name := range []string{"cline", "crush", "kimi"} {
		if _, err := New(Options{Name: name, Permissions: "edits"}); err == nil {
			t.Errorf("%s is made for edits only, and nothing would keep it from more", name)
		}
		// A command of the user's own is the user's word.
		if _, err := New(Options{Name: name, Permissions: "edits", Command: []string{"x"}}); err != nil {
			t.Errorf("a command in the place of %s: %v", name, err)
		}
	}
}

func TestClineEnds(t *testing.T) {
	const (
		denied  = `{"type":"agent_event","event":{"type":"content_end","contentType":"tool","toolName":"editor","toolCallId":"1","output":{"error":"Tool \"editor\" requires approval in a TTY session"},"error":"x"}}`
		broken  = `{"type":"agent_event","event":{"type":"error","error":{"message":"1 tool call(s) failed"},"recoverable":true}}`
		failed  = `{"type":"agent_event","event":{"type":"error","error":{"message":"no"},"errorClass":"auth","recoverable":false}}`
		good    = `{"type":"run_result","finishReason":"completed","text":"Hi."}`
		bad     = `{"type":"run_result","finishReason":"error","text":"500 no"}`
		aborted = `{"type":"run_result","finishReason":"aborted"}`
		after   = `{"type":"run_aborted","reason":"local_abort","message":"aborted"}`
	)
	tests := []struct {
		name  string
		lines []string
		want  loop.ErrorKind // empty: ok
	}{
		{"well", []string{good}, ""},
		{"after a tool that failed", []string{broken, good}, ""},
		{"well, though somebody ended it", []string{good, after}, loop.ErrAgent},
		{"with an error in a class of its own", []string{failed, bad}, loop.ErrAuth},
		{"with an error in the result only", []string{bad}, loop.ErrServer},
		{"with an error and no result", []string{failed}, loop.ErrAuth},
		{"before it was done", []string{aborted}, loop.ErrAgent},
		{"because it was not allowed to go on", []string{denied, aborted, after}, loop.ErrPermission},
		{"without a word", nil, loop.ErrAgent},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, got := decodeLines("cline", exitOf(0, false), tt.lines...); kindOf(got) != tt.want {
				t.Errorf("%q end with %+v, want kind %q", tt.lines, got, tt.want)
			}
		})
	}
}

// A call may be of several commands, and is as bad as the first that failed.
func TestClineCommandsOfOneCall(t *testing.T) {
	events, _ := decodeLines("cline", exitOf(0, false),
		`{"type":"agent_event","event":{"type":"content_start","contentType":"tool","toolName":"run_commands","toolCallId":"1","input":{"commands":["a","b"]}}}`,
		`{"type":"agent_event","event":{"type":"content_end","contentType":"tool","toolName":"run_commands","toolCallId":"1","output":[
			{"result":"A","success":true},{"result":"B","error":"Command exited with code 4","success":false},{"result":"C","error":"Command exited with code 5","success":false}]}}`)
	four := 4
	want := []loop.Payload{
		&loop.AgentTool{ID: "1", Name: "run_commands", Input: "a; b", Shell: true},
		&loop.AgentToolResult{ID: "1", Name: "run_commands", Output: "A\nB\nC", Failed: true, Exit: &four},
	}
	if diff := cmp.Diff(want, events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}
