package agent

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestTextIsWhatTheAgentSaid(t *testing.T) {
	tests := []struct{ name, line, want string }{
		{"a line", "hello", "hello"},
		{"a blank line separates paragraphs", "", ""},
		{"indentation stays", "    code", "    code"},
		{"bytes that are no text are replaced", "a\xff\xfeb", "a\uFFFDb"},
		{"NUL is left out", "a\x00b", "ab"},
		{"JSON is text like any other", `{"type":"agent.result"}`, `{"type":"agent.result"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := newTextDecoder(Options{}).Decode([]byte(tt.line))
			if diff := cmp.Diff([]loop.Payload{&loop.AgentText{Text: tt.want, Plain: true}}, got); diff != "" {
				t.Errorf("Decode(%q) (-want +got):\n%s", tt.line, diff)
			}
		})
	}
}

func TestTextEndsWithTheExitStatus(t *testing.T) {
	code := func(n int) *int { return &n }
	tests := []struct {
		name string
		exit loop.Exit
		want string // the error; empty: ok
	}{
		{"exit 0 is ok", loop.Exit{Code: code(0), Cause: loop.Exited}, ""},
		{"any other status fails", loop.Exit{Code: code(3), Cause: loop.Exited}, "exit 3"},
		{"a signal fails", loop.Exit{Signal: "KILL", Cause: loop.Signaled}, "ended by signal KILL"},
		{"a deadline is named", loop.Exit{Signal: "TERM", Cause: loop.AtDeadline}, "ended by signal TERM (timed_out)"},
		{"exit 0 when told to stop is not ok", loop.Exit{Code: code(0), Cause: loop.OnRequest}, "exit 0 (asked)"},
		{"nothing known fails", loop.Exit{Cause: loop.Exited}, "ended without a status"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := &loop.AgentResult{OK: true}
			if tt.want != "" {
				want = failure(tt.want)
				want.Error.ByExit = true
			}
			got := newTextDecoder(Options{}).Close(tt.exit)
			if diff := cmp.Diff([]loop.Payload{want}, got); diff != "" {
				t.Errorf("Close(%+v) (-want +got):\n%s", tt.exit, diff)
			}
		})
	}
}
