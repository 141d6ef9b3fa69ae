package agent

import (
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestDroidCommands(t *testing.T) {
	env := []string{"FACTORY_DROID_AUTO_UPDATE_ENABLED=false"}
	argv := func(args ...string) []string {
		return append([]string{"droid", "exec", "--output-format", "stream-json"}, args...)
	}
	checkCommands(t, "droid", []string{"DROID_PARENT_SESSION_ID", "FACTORY_DISABLE_SETTINGS_PERSISTENCE"}, []commandTest{
		{
			"by its own rules",
			Options{Permissions: "own"},
			Call{HasPrompt: true, Prompt: "do it"},
			Command{Argv: argv(), Env: env, Stdin: "do it"},
		},
		{"edits take the shell away", Options{Permissions: "edits"}, Call{}, Command{Argv: argv("--auto", "low", "--remove-tools", "Execute"), Env: env}},
		{"work", Options{Permissions: "work"}, Call{}, Command{Argv: argv("--auto", "medium"), Env: env}},
		{
			"with a model",
			Options{Permissions: "full"},
			Call{Model: "custom:x"},
			Command{Argv: argv("--skip-permissions-unsafe", "--model", "custom:x"), Env: env},
		},
	})
}

func TestDroidEnds(t *testing.T) {
	const (
		good   = `{"type":"completion","finalText":"Hi.","numTurns":1,"usage":{"input_tokens":1,"output_tokens":1}}`
		failed = `{"type":"error","source":"agent_loop","message":"429 slow down"}`
		again  = `{"type":"error","source":"cli","message":"Exec failed"}`
		early  = `{"type":"error","source":"cli","message":"Exec ended early: insufficient permission to proceed."}`
	)
	tests := []struct {
		name  string
		lines []string
		want  loop.ErrorKind // empty: ok
	}{
		{"well", []string{good}, ""},
		{"with an error, and the word that it failed", []string{failed, again}, loop.ErrRateLimit},
		{"because it was not allowed to go on", []string{early}, loop.ErrPermission},
		{"well after an error, which nobody has seen", []string{failed, good}, loop.ErrRateLimit},
		{"well after an error that it got over", []string{`{"type":"error","source":"mcp","message":"MCP server x failed to start: connection refused"}`, `{"type":"message","role":"assistant","text":"a"}`, good}, ""},
		{"with an error after its words", []string{`{"type":"message","role":"assistant","text":"a"}`, failed, again}, loop.ErrRateLimit},
		{"without a word", nil, loop.ErrAgent},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, got := decodeLines("droid", exitOf(0, false), tt.lines...); kindOf(got) != tt.want {
				t.Errorf("%q end with %+v, want kind %q", tt.lines, got, tt.want)
			}
		})
	}
}
