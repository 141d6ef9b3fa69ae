package agent

import (
	"strings"
	"testing"
	"unicode/utf8"

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
			got := newTextDecoder().Decode([]byte(tt.line))
			if diff := cmp.Diff([]loop.Payload{&loop.AgentText{Text: tt.want}}, got); diff != "" {
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
			}
			got := newTextDecoder().Close(tt.exit)
			if diff := cmp.Diff([]loop.Payload{want}, got); diff != "" {
				t.Errorf("Close(%+v) (-want +got):\n%s", tt.exit, diff)
			}
		})
	}
}

// FuzzDecoders feeds any output to every decoder: no line may break one, what
// comes out can be stored, and there is exactly one result.
func FuzzDecoders(f *testing.F) {
	f.Add("hello\n\nworld")
	f.Add(`{"type":"agent.result","ok":true}` + "\n" + `{"type":"agent.result","ok":false}`)
	f.Add(`{"type":"agent.text","text":"a\u0000b"}` + "\n\xff\x00")
	f.Add(`{"type":"run.finished","state":"done"}`)
	f.Fuzz(func(t *testing.T, output string) {
		for name, decoder := range formats {
			d := decoder()
			var all []loop.Payload
			for line := range strings.SplitSeq(output, "\n") {
				all = append(all, d.Decode([]byte(line))...)
			}
			all = append(all, d.Close(loop.Exit{Cause: loop.Exited})...)
			results := 0
			for _, p := range all {
				if p.Type() == "agent.result" {
					results++
				}
				for _, text := range texts(p) {
					if !utf8.ValidString(*text) || strings.Contains(*text, "\x00") {
						t.Errorf("%s: %s carries %q", name, p.Type(), *text)
					}
				}
			}
			if results != 1 {
				t.Errorf("%s: %d results, want 1", name, results)
			}
		}
	})
}
