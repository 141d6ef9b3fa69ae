package agent

import (
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestGrokCommands(t *testing.T) {
	env := []string{"GROK_DISABLE_AUTOUPDATER=1", "GROK_FOLDER_TRUST=0", "GROK_TELEMETRY_ENABLED=false"}
	wish := []string{"GROK_MAX_RETRIES=3"}
	argv := func(args ...string) []string {
		return append(append([]string{"grok", "--output-format", "streaming-messages-json"}, args...), "--prompt-file", "/dev/stdin")
	}
	checkCommands(t, "grok", []string{"GROK_AGENT", "GROK_SESSION_ID"}, []commandTest{
		{
			"by its own rules",
			Options{Permissions: "own"},
			Call{HasPrompt: true, Prompt: "do it"},
			Command{Wish: wish, Argv: argv(), Env: env, Stdin: "do it"},
		},
		{"edits deny the shell", Options{Permissions: "edits"}, Call{}, Command{Wish: wish, Argv: argv("--always-approve", "--deny", "Bash"), Env: env}},
		{
			"a session goes on, with a model and so many turns",
			Options{Permissions: "work", MaxTurns: 9},
			Call{Model: "grok-4.5", Session: "1-2"},
			Command{Wish: wish, Argv: argv("--always-approve", "--model", "grok-4.5", "--resume", "1-2", "--max-turns", "9"), Env: env},
		},
		{
			"in a sandbox its own is off",
			Options{Permissions: "full"},
			Call{Confined: true},
			Command{Wish: wish, Argv: argv("--always-approve"), Env: append(env[:len(env):len(env)], "GROK_SANDBOX=off")},
		},
	})
}

// A fresh session is named, so that what it writes is found before it says a word.
func TestGrokIsToldTheNameOfItsSession(t *testing.T) {
	one, other := madeCommand(t, Options{Name: "grok"}, Call{Room: "/runs/1"}), madeCommand(t, Options{Name: "grok"}, Call{Room: "/runs/2"})
	if !regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(one.Session) || after(one.Argv, "--session-id") != one.Session {
		t.Errorf("the session is %q, and it is called with %q", one.Session, one.Argv)
	}
	if one.Session == other.Session {
		t.Errorf("two attempts have the session %s", one.Session)
	}
	if kept := madeCommand(t, Options{Name: "grok"}, Call{Room: "/runs/1", Session: "1-2"}); kept.Session != "" || after(kept.Argv, "--session-id") != "" {
		t.Errorf("a session that goes on is called with %q", kept.Argv)
	}
}

func TestGrokTrustsNoFolderThatNobodyTrusts(t *testing.T) {
	cmd := madeCommand(t, Options{Name: "grok", Untrusted: []string{"/src"}}, Call{})
	want := []string{"GROK_DISABLE_AUTOUPDATER=1", "GROK_FOLDER_TRUST=1", "GROK_TELEMETRY_ENABLED=false"}
	if diff := cmp.Diff(want, cmd.Env); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
}

func TestGrokEnds(t *testing.T) {
	const (
		call      = `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"1","name":"write","input":{}}]}}`
		cancelled = `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"1","content":"[{\"type\":\"content\",\"content\":{\"type\":\"text\",\"text\":\"User cancelled the execution for tool` + " `write`" + `\"}}]","is_error":true}]}}`
		stopped   = `{"type":"result","subtype":"error_during_execution","is_error":true,"stop_reason":"cancelled","errors":["cancelled"]}`
		turns     = `{"type":"result","subtype":"error_max_turns","is_error":true,"stop_reason":"cancelled","errors":["no more"]}`
		good      = `{"type":"result","subtype":"success","is_error":false,"result":"Hi."}`
	)
	tests := []struct {
		name  string
		lines []string
		want  loop.ErrorKind // empty: ok
	}{
		{"well", []string{good}, ""},
		{"because it was not allowed to go on", []string{call, cancelled, stopped}, loop.ErrPermission},
		{"because somebody stopped it", []string{stopped}, loop.ErrAgent},
		{"at its turn limit, after a tool that was not allowed", []string{call, cancelled, turns}, loop.ErrMaxTurns},
		{"well, in its own way", []string{`{"type":"text","data":"Hi."}`, `{"type":"end","stopReason":"end_turn"}`}, ""},
		{"with a refusal, in its own way", []string{`{"type":"end","stopReason":"refusal"}`}, loop.ErrRefusal},
		{"with an error, in its own way", []string{`{"type":"error","message":"Not signed in."}`}, loop.ErrAuth},
		{"without a word", nil, loop.ErrAgent},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, got := decodeLines("grok", exitOf(0, false), tt.lines...); kindOf(got) != tt.want {
				t.Errorf("%q end with %+v, want kind %q", tt.lines, got, tt.want)
			}
		})
	}
}
