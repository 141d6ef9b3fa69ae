package agent

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestPiCommands(t *testing.T) {
	env := []string{"PI_SKIP_VERSION_CHECK=1", "PI_TELEMETRY=0"}
	argv := func(args ...string) []string { return append([]string{"pi", "--print", "--mode", "json"}, args...) }
	checkCommands(t, "pi", []string{"PI_CODING_AGENT"}, []commandTest{
		{
			"a fresh session",
			Options{Permissions: "work"},
			Call{HasPrompt: true, Prompt: "do it"},
			Command{Argv: argv(), Env: env, Stdin: "do it", First: "TERM"},
		},
		{
			"a session goes on, with a model",
			Options{Permissions: "full"},
			Call{HasPrompt: true, Prompt: "do it", Model: "a/b", Session: "1-2"},
			Command{Argv: argv("--model", "a/b", "--session", "1-2"), Env: env, Stdin: "do it", First: "TERM"},
		},
		{
			"edits leave out the shell",
			Options{Permissions: "edits"},
			Call{},
			Command{Argv: argv("--tools", "read,edit,write,grep,find,ls"), Env: env, First: "TERM"},
		},
	})
}

// An extension tells how long it waits, which pi itself does not.
func TestPiHasAnEar(t *testing.T) {
	a, err := New(Options{Name: "pi"})
	if err != nil {
		t.Fatal(err)
	}
	room := filepath.Join(t.TempDir(), "a room & more")
	cmd, err := a.Command(Call{Room: room})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(room, "pi.js")
	if cmd.File.Path != path || !strings.Contains(cmd.File.Text, `"refrain: pi "`) {
		t.Errorf("the file is %+v, want an extension in the room", cmd.File)
	}
	if after(cmd.Argv, "--extension") != path {
		t.Errorf("it is called with %q, want the extension %s", cmd.Argv, path)
	}
}

// Exit status 0 says nothing; the last message does, once pi has ended.
func TestPiEnds(t *testing.T) {
	const start, end = `{"type":"agent_start"}`, `{"type":"agent_end","messages":[]}`
	message := func(reason, problem string) string {
		return `{"type":"message_end","message":{"role":"assistant","content":[],"stopReason":"` + reason + `","errorMessage":"` + problem + `"}}`
	}
	tests := []struct {
		name  string
		lines []string
		want  loop.ErrorKind // empty: ok
	}{
		{"a stop", []string{start, message("stop", ""), end}, ""},
		{"a stop without an end", []string{start, message("stop", "")}, loop.ErrAgent},
		{"an end whose type comes last", []string{start, message("stop", ""), `{"messages":[],"type":"agent_end"}`}, ""},
		{"an error", []string{start, message("error", "500 no"), end}, loop.ErrServer},
		{"an error, got over", []string{start, message("error", "500 no"), end, start, message("stop", ""), end}, ""},
		{"an error, ended while it tried again", []string{start, message("error", "500 no"), end, start}, loop.ErrServer},
		{"a stop, then more without an end", []string{start, message("stop", ""), end, start}, loop.ErrAgent},
		{"a reply that was cut off", []string{start, message("length", ""), end}, loop.ErrAgent},
		{"tools that nobody answered", []string{start, message("toolUse", ""), end}, loop.ErrAgent},
		{"nothing at all", nil, loop.ErrAgent},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, got := decodeLines("pi", exitOf(0, false), tt.lines...); kindOf(got) != tt.want {
				t.Errorf("%q end with %+v, want kind %q", tt.lines, got, tt.want)
			}
		})
	}
}

func TestPiRetries(t *testing.T) {
	events, _ := decodeLines("pi", exitOf(0, false),
		`{"type":"auto_retry_start","attempt":1,"maxAttempts":3,"delayMs":2000,"errorMessage":"429 slow down"}`)
	want := []loop.Payload{
		&loop.AgentRetry{Try: 1, Most: 3, After: 2e9, Error: &loop.AgentError{Kind: loop.ErrRateLimit, Message: "429 slow down"}},
		&loop.AgentLimit{Limit: loop.Limit{Kind: "rate_limit"}}, // the line was its last
	}
	if diff := cmp.Diff(want, events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// For every few letters pi prints all that it has said so far. Reading that
// would cost more than the agent does.
func TestPiRepetitionsCostNothing(t *testing.T) {
	d := newPiDecoder(Options{})
	line := []byte(`{"type":"message_update","message":{"content":"` + strings.Repeat("x", 100_000) + `"}}`)
	if n := testing.AllocsPerRun(100, func() { d.Decode(line) }); n != 0 {
		t.Errorf("an update costs %v allocations, want none", n)
	}
}

// As of 1.5 a result has the exit status in a field of its own.
func TestPiExitStatusInAField(t *testing.T) {
	for _, tt := range []struct {
		status int
		failed bool
		want   bool
	}{{0, false, false}, {3, false, true}, {3, true, true}} {
		all, _ := decodeLines("pi", exitOf(0, false), fmt.Sprintf(`{"type":"tool_execution_end","toolCallId":"a","toolName":"bash","result":{"content":[{"type":"text","text":"x"}],"structuredContent":{"exit_code":%d}},"isError":%v}`, tt.status, tt.failed))
		got := all[0].(*loop.AgentToolResult)
		if got.Exit == nil || *got.Exit != tt.status || got.Failed != tt.want {
			t.Errorf("status %d: %+v", tt.status, got)
		}
	}
}

func TestPiStopsForAReasonOfItsOwn(t *testing.T) {
	for reason, want := range map[string]loop.ErrorKind{"stop": "", "refusal": loop.ErrRefusal, "length": loop.ErrAgent, "toolUse": loop.ErrAgent, "pending": loop.ErrAgent, "": loop.ErrAgent} {
		_, got := decodeLines("pi", exitOf(0, false), `{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"a"}],"stopReason":"`+reason+`"}}`, `{"type":"agent_end"}`)
		if kindOf(got) != want {
			t.Errorf("%q: %+v, want %q", reason, got.Error, want)
		}
	}
}
