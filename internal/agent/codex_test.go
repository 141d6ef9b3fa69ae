package agent

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestCodexCommands(t *testing.T) {
	unset := []string{
		"CODEX_APPLY_PATCH_PRESERVE_LINE_ENDINGS", "CODEX_CI", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED",
		"CODEX_SESSION_ID", "CODEX_THREAD_ID", "CODEX_TOOL_CALL_ID",
	}
	call := Call{HasPrompt: true, Prompt: "do it"}
	always := []string{"--json", "--skip-git-repo-check", "-c", "check_for_update_on_startup=false", "-c", "analytics.enabled=false"}
	argv := func(more ...string) []string {
		return append(append([]string{"codex", "exec"}, always...), more...)
	}
	checkCommands(t, "codex", unset, []commandTest{
		{"by its own rules", Options{}, call, Command{Argv: argv("-"), Stdin: "do it", First: "INT"}},
		{
			"edits",
			Options{Permissions: "edits"},
			call,
			Command{Argv: argv("-c", `sandbox_mode="workspace-write"`, "-"), Stdin: "do it", First: "INT"},
		},
		{
			"work may commit",
			Options{Permissions: "work"},
			call,
			Command{Argv: argv("-c", `sandbox_mode="workspace-write"`, "-c", `sandbox_workspace_write.writable_roots=[".git"]`, "-"), Stdin: "do it", First: "INT"},
		},
		{
			"in a sandbox of ours it has none",
			Options{Permissions: "work"},
			Call{HasPrompt: true, Prompt: "do it", Confined: true},
			Command{Argv: argv("-c", `sandbox_mode="danger-full-access"`, "-"), Stdin: "do it", First: "INT"},
		},
		{
			"nor by its own rules",
			Options{},
			Call{HasPrompt: true, Prompt: "do it", Confined: true},
			Command{Argv: argv("-c", `sandbox_mode="danger-full-access"`, "-"), Stdin: "do it", First: "INT"},
		},
		{
			"everything at once",
			Options{Permissions: "full", MaxTurns: 9, SystemFile: "AGENTS.md"},
			Call{HasPrompt: true, Prompt: "do it", Model: "gpt-5-codex", Session: "t-1", LeftUSD: 1},
			Command{
				Argv:  append(append([]string{"codex", "exec", "resume"}, always...), "--dangerously-bypass-approvals-and-sandbox", "--model", "gpt-5-codex", "t-1", "-"),
				Stdin: "do it", First: "INT",
			},
		},
	})
}

func TestCodexRefusesAPromptThatIsTooLong(t *testing.T) {
	a, err := New(Options{Name: "codex"})
	if err != nil {
		t.Fatal(err)
	}
	longest := strings.Repeat("ü", codexMaxPrompt) // characters, not bytes
	if _, err := a.Command(Call{HasPrompt: true, Prompt: longest}); err != nil {
		t.Errorf("the longest prompt: %v", err)
	}
	_, err = a.Command(Call{HasPrompt: true, Prompt: longest + "x"})
	if err == nil || !strings.Contains(err.Error(), "1048577 characters") || !strings.Contains(err.Error(), "shorten it") {
		t.Errorf("one character more: %v, want an error with a hint", err)
	}
}

func TestCodexEvents(t *testing.T) {
	zero, three := 0, 3
	tests := []struct {
		name  string
		lines []string
		want  []loop.Payload
	}{
		{"the start", []string{`{"type":"thread.started","thread_id":"t-1"}`}, []loop.Payload{&loop.AgentSession{Session: "t-1"}}},
		{"text", []string{`{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"a\nb"}}`}, []loop.Payload{&loop.AgentText{Text: "a\nb"}}},
		{"thoughts are not said", []string{`{"type":"item.completed","item":{"id":"i","type":"reasoning","text":"hm"}}`}, nil},
		{"a list of plans is not said", []string{`{"type":"item.completed","item":{"id":"i","type":"todo_list","items":[{"text":"x"}]}}`}, nil},
		{
			"a command",
			[]string{
				`{"type":"item.started","item":{"id":"i","type":"command_execution","command":"/bin/bash -lc 'echo \"hi\"'","aggregated_output":"","exit_code":null,"status":"in_progress"}}`,
				`{"type":"item.completed","item":{"id":"i","type":"command_execution","command":"/bin/bash -lc 'echo \"hi\"'","aggregated_output":"hi\n","exit_code":0,"status":"completed"}}`,
			},
			[]loop.Payload{
				&loop.AgentTool{ID: "i", Name: "shell", Input: `echo "hi"`, Shell: true},
				&loop.AgentToolResult{ID: "i", Name: "shell", Output: "hi\n", Exit: &zero},
			},
		},
		{
			"a command that was never started, and fails",
			[]string{
				`{"type":"item.completed","item":{"id":"i","type":"command_execution","command":"false","aggregated_output":"","exit_code":3,"status":"failed"}}`,
			},
			[]loop.Payload{
				&loop.AgentTool{ID: "i", Name: "shell", Input: "false", Shell: true},
				&loop.AgentToolResult{ID: "i", Name: "shell", Failed: true, Exit: &three},
			},
		},
		{
			"a command that it was not allowed",
			[]string{
				`{"type":"item.completed","item":{"id":"i","type":"command_execution","command":"false","exit_code":null,"status":"declined"}}`,
			},
			[]loop.Payload{
				&loop.AgentTool{ID: "i", Name: "shell", Input: "false", Shell: true},
				&loop.AgentToolResult{ID: "i", Name: "shell", Failed: true, Denied: true},
			},
		},
		{
			"a patch",
			[]string{`{"type":"item.completed","item":{"id":"i","type":"file_change","changes":[{"path":"a","kind":"add"},{"path":"b","kind":"update"}],"status":"completed"}}`},
			[]loop.Payload{
				&loop.AgentTool{ID: "i", Name: "patch", Input: "a b"},
				&loop.AgentToolResult{ID: "i", Name: "patch"},
			},
		},
		{
			"a tool of a server",
			[]string{`{"type":"item.completed","item":{"id":"i","type":"mcp_tool_call","server":"demo","tool":"ping","arguments":{"a":1},"result":{"content":[{"type":"text","text":"pong"}]},"error":null,"status":"completed"}}`},
			[]loop.Payload{
				&loop.AgentTool{ID: "i", Name: "demo.ping", Input: `{"a":1}`},
				&loop.AgentToolResult{ID: "i", Name: "demo.ping", Output: "pong"},
			},
		},
		{
			"a warning",
			[]string{`{"type":"item.completed","item":{"id":"i","type":"error","message":"Model metadata not found"}}`},
			[]loop.Payload{&loop.AgentToolResult{Name: "output", Output: "Model metadata not found"}},
		},
		{
			"trying again",
			[]string{`{"type":"error","message":"Reconnecting... 2/5 (unexpected status 401 Unauthorized: no)"}`},
			[]loop.Payload{&loop.AgentRetry{Try: 2, Most: 5, After: loop.Millis(400 * time.Millisecond), Error: &loop.AgentError{Kind: loop.ErrAuth, Message: "unexpected status 401 Unauthorized: no"}}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _ := decodeLines("codex", exitOf(0, false), tt.lines...)
			if diff := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCodexEnds(t *testing.T) {
	const done = `{"type":"turn.completed","usage":{}}`
	tests := []struct {
		name  string
		lines []string
		exit  loop.Exit
		want  loop.AgentResult
	}{
		{"well", []string{`{"type":"item.completed","item":{"type":"agent_message","text":"bye"}}`, done}, exitOf(0, false), loop.AgentResult{OK: true, Text: "bye"}},
		{
			"with a command in the background",
			[]string{`{"type":"item.started","item":{"id":"i","type":"command_execution","command":"serve"}}`, done},
			exitOf(0, false),
			loop.AgentResult{OK: true, Pending: true},
		},
		{
			"with the provider's answer as it came",
			[]string{`{"type":"turn.failed","error":{"message":"{\"error\":{\"code\":\"context_length_exceeded\",\"message\":\"too long\"}}\n"}}`},
			exitOf(1, false),
			loop.AgentResult{Error: &loop.AgentError{Kind: loop.ErrContextOverflow, Message: "too long"}},
		},
		{
			"with an error and no final event",
			[]string{`{"type":"error","message":"Quota exceeded. Check your plan and billing details."}`},
			exitOf(1, false),
			loop.AgentResult{Error: &loop.AgentError{Kind: loop.ErrBilling, Message: "Quota exceeded. Check your plan and billing details."}},
		},
		{
			"ended by us after an error",
			[]string{`{"type":"error","message":"at capacity"}`},
			exitOf(-15, true),
			loop.AgentResult{Error: &loop.AgentError{Kind: loop.ErrAgent, Message: "no final event: ended by signal TERM (timed_out)"}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, got := decodeLines("codex", tt.exit, tt.lines...)
			if diff := cmp.Diff(tt.want, *got); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
		})
	}
}

// A continued session counts from its start, and what it had used before is
// not used again.
func TestCodexCountsOnlyThisAttempt(t *testing.T) {
	d := newCodexDecoder(Options{
		Model: "gpt-5-codex",
		Now:   func() time.Time { return recordedAt },
		Used: func(session string) loop.Usage {
			if session != "t-1" {
				t.Errorf("asked for session %q", session)
			}
			return loop.Usage{Input: 1000, Output: 50, CacheRead: 500}
		},
	})
	d.Decode([]byte(`{"type":"thread.started","thread_id":"t-1"}`))
	all := d.Decode([]byte(`{"type":"turn.completed","usage":{"input_tokens":4300,"cached_input_tokens":1900,"output_tokens":110}}`))
	want := []loop.Payload{&loop.AgentUsage{Usage: loop.Usage{Input: 1400, Output: 60, CacheRead: 1400, CostUSD: 0.002525, CostEstimated: true}}}
	if diff := cmp.Diff(want, all, approximately); diff != "" {
		t.Errorf("usage (-want +got):\n%s", diff)
	}
}
