package agent

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestKimiCommands(t *testing.T) {
	env := []string{"KIMI_CODE_NO_AUTO_UPDATE=1", "KIMI_DISABLE_CRON=1", "KIMI_DISABLE_TELEMETRY=1"}
	wish := []string{"KIMI_LOOP_MAX_ATTEMPTS_PER_STEP=7"}
	argv := func(args ...string) []string {
		return append([]string{"kimi", "--output-format", "stream-json"}, args...)
	}
	checkCommands(t, "kimi", []string{"KIMI_SESSION_ID"}, []commandTest{
		{
			"the prompt is an argument",
			Options{Permissions: "work"},
			Call{HasPrompt: true, Prompt: "- do it"},
			Command{Wish: wish, Argv: argv("--prompt", "- do it"), Env: env},
		},
		{
			"a session goes on, with a model",
			Options{Permissions: "full"},
			Call{HasPrompt: true, Prompt: "do it", Model: "k3", Session: "session_1"},
			Command{Wish: wish, Argv: argv("--model", "k3", "--session", "session_1", "--prompt", "do it"), Env: env},
		},
	})
}

func TestKimiEnds(t *testing.T) {
	const (
		said  = `{"role":"assistant","content":"Hi."}`
		call  = `{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"Bash","arguments":"{\"command\":\"ls\"}"}}]}`
		retry = `{"role":"meta","type":"turn.step.retrying","failed_attempt":1,"max_attempts":10,"delay_ms":500.5,"error_name":"APIConnectionError","error_message":"terminated"}`
		hint  = `{"role":"meta","type":"session.resume_hint","session_id":"session_1"}`
	)
	tests := []struct {
		name  string
		lines []string
		want  loop.ErrorKind // empty: ok
	}{
		{"well", []string{said, hint}, ""},
		{"without its last note", []string{said}, loop.ErrAgent},
		{"while it tried again", []string{retry}, loop.ErrNetwork},
		{"after the half of a reply", []string{retry, said}, loop.ErrNetwork},
		{"long after it had tried again", []string{retry, call, said}, loop.ErrAgent},
		{"well after it had tried again", []string{retry, said, hint}, ""},
		{"without a word", nil, loop.ErrAgent},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, got := decodeLines("kimi", exitOf(0, false), tt.lines...); kindOf(got) != tt.want {
				t.Errorf("%q end with %+v, want kind %q", tt.lines, got, tt.want)
			}
		})
	}
}

func TestKimiRetries(t *testing.T) {
	events, _ := decodeLines("kimi", exitOf(0, false),
		`{"role":"meta","type":"turn.step.retrying","failed_attempt":2,"max_attempts":10,"delay_ms":2000,"error_name":"APIProviderRateLimitError","error_message":"429 slow down","status_code":429}`)
	want := []loop.Payload{
		&loop.AgentRetry{Try: 2, Most: 9, After: 2e9, Error: &loop.AgentError{Kind: loop.ErrRateLimit, Message: "429 slow down"}},
		&loop.AgentLimit{Limit: loop.Limit{Kind: "rate_limit"}}, // the line was its last
	}
	if diff := cmp.Diff(want, events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// Words may come as a list, and the shell's name is that of the program before it.
func TestKimiInOtherForms(t *testing.T) {
	three := 3
	got, _ := decodeLines("kimi", exitOf(0, false),
		`{"role":"assistant","content":[{"type":"think","think":"hm"},{"type":"text","text":"a"}],"tool_calls":[{"id":"1","function":{"name":"Shell","arguments":"{\"command\":\"ls\"}"}}]}`,
		`{"role":"tool","tool_call_id":"1","content":"Command failed with exit code: 3."}`)
	want := []loop.Payload{
		&loop.AgentText{Text: "a"},
		&loop.AgentTool{ID: "1", Name: "Shell", Input: "ls", Shell: true},
		&loop.AgentUsage{Usage: loop.Usage{Turns: 1}},
		&loop.AgentToolResult{ID: "1", Name: "Shell", Output: "Command failed with exit code: 3.", Failed: true, Exit: &three},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}
