package agent

import (
	"encoding/json"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestOpencodeCommands(t *testing.T) {
	own := []string{"OPENCODE_DISABLE_AUTOUPDATE=1"}
	checkCommands(t, "opencode", []string{"OPENCODE", "OPENCODE_PID"}, []commandTest{
		{
			"a fresh session, by its own rules",
			Options{Permissions: "own"},
			Call{HasPrompt: true, Prompt: "do it"},
			Command{Argv: []string{"opencode", "run", "--format", "json", "--print-logs", "--log-level", "INFO"}, Env: own, Stdin: "do it"},
		},
		{
			"a session goes on, with a model",
			Options{Permissions: "full"},
			Call{HasPrompt: true, Prompt: "do it", Model: "a/b", Session: "ses_1"},
			Command{
				Argv: []string{"opencode", "run", "--format", "json", "--print-logs", "--log-level", "INFO", "--auto", "--model", "a/b", "--session", "ses_1"},
				Env:  own, Stdin: "do it",
			},
		},
		{
			"edits leave out the shell and what is outside",
			Options{Permissions: "edits"},
			Call{},
			Command{
				Argv: []string{"opencode", "run", "--format", "json", "--print-logs", "--log-level", "INFO", "--auto"},
				Env:  append([]string{own[0]}, `OPENCODE_PERMISSION={"bash":"deny","external_directory":"deny"}`),
			},
		},
		{
			"work leaves out what is outside",
			Options{Permissions: "work"},
			Call{},
			Command{
				Argv: []string{"opencode", "run", "--format", "json", "--print-logs", "--log-level", "INFO", "--auto"},
				Env:  append([]string{own[0]}, `OPENCODE_PERMISSION={"external_directory":"deny"}`),
			},
		},
	})
}

// A plugin tells what its log does not, unless somebody else has put one there.
func TestOpencodeHasAnEar(t *testing.T) {
	a, err := New(Options{Name: "opencode"})
	if err != nil {
		t.Fatal(err)
	}
	room := filepath.Join(t.TempDir(), "a room & more")
	cmd, err := a.Command(Call{Room: room})
	if err != nil {
		t.Fatal(err)
	}
	if cmd.File.Path != filepath.Join(room, "opencode.mjs") || !strings.Contains(cmd.File.Text, `"refrain: opencode "`) {
		t.Errorf("the file is %+v, want a plugin in the room", cmd.File)
	}
	var config struct{ Plugin []string }
	i := slices.IndexFunc(cmd.Wish, func(kv string) bool { return strings.HasPrefix(kv, "OPENCODE_CONFIG_CONTENT=") })
	if i < 0 {
		t.Fatalf("the wishes are %q, want the plugin among them", cmd.Wish)
	}
	if err := json.Unmarshal([]byte(strings.TrimPrefix(cmd.Wish[i], "OPENCODE_CONFIG_CONTENT=")), &config); err != nil {
		t.Fatal(err)
	}
	if at, err := url.Parse(config.Plugin[0]); err != nil || at.Scheme != "file" || strings.TrimPrefix(at.Path, "/") != strings.TrimPrefix(filepath.ToSlash(cmd.File.Path), "/") {
		t.Errorf("the plugin is %q (%v), want the file %s", config.Plugin, err, cmd.File.Path)
	}
	if plain, err := a.Command(Call{}); err != nil || plain.File.Path != "" || len(plain.Wish) > 0 {
		t.Errorf("without a room the command is %+v, %v, want no plugin", plain, err)
	}
}

// The last step tells how it went, and only the last.
func TestOpencodeEnds(t *testing.T) {
	const (
		start    = `{"type":"step_start","sessionID":"s","part":{}}`
		rejected = `{"type":"tool_use","part":{"tool":"write","callID":"1","state":{"status":"error","error":"The user rejected permission to use this specific tool call."}}}`
		limit    = `{"type":"error","error":{"name":"APIError","data":{"message":"slow down","statusCode":429,"responseHeaders":{"retry-after":"60"}}}}`
	)
	finish := func(reason string) string { return `{"type":"step_finish","part":{"reason":"` + reason + `"}}` }
	tests := []struct {
		name  string
		lines []string
		want  loop.ErrorKind // empty: ok
	}{
		{"a stop is the end", []string{start, finish("stop")}, ""},
		{"so is a word of the provider's own", []string{start, finish("other")}, ""},
		{"tools that nobody answered are not", []string{start, finish("tool-calls")}, loop.ErrAgent},
		{"a step after the stop has to end too", []string{start, finish("stop"), start}, loop.ErrAgent},
		{"a reply that was cut off", []string{start, finish("length")}, loop.ErrAgent},
		{"a reply that was stopped", []string{start, finish("content-filter")}, loop.ErrRefusal},
		{"a rejected tool in the last step", []string{start, rejected, finish("tool-calls")}, loop.ErrPermission},
		{"a rejected tool in an earlier step", []string{start, rejected, finish("tool-calls"), start, finish("stop")}, ""},
		{"an error that was got over", []string{limit, start, finish("stop")}, ""},
		{"an error that was not", []string{start, finish("tool-calls"), limit}, loop.ErrRateLimit},
		{"nothing at all", nil, loop.ErrAgent},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, got := decodeLines("opencode", exitOf(0, false), tt.lines...); kindOf(got) != tt.want {
				t.Errorf("%q end with %+v, want kind %q", tt.lines, got, tt.want)
			}
		})
	}
}

func TestOpencodeLimitEndsWhenTheProviderSays(t *testing.T) {
	events, _ := decodeLines("opencode", exitOf(1, false),
		`{"type":"error","error":{"name":"APIError","data":{"message":"slow down","statusCode":429,"responseHeaders":{"retry-after":"60"}}}}`)
	want := &loop.AgentLimit{Limit: loop.Limit{Kind: "rate_limit", Until: recordedAt.Add(60e9)}}
	if diff := cmp.Diff([]loop.Payload{want}, events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}
