package agent

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestRehearsalRunsThisProgramOnTheScript(t *testing.T) {
	a, err := New(Options{
		Name: "rehearsal", Script: "s.toml", Self: []string{"refrain", "helper"},
		Env: map[string]string{"A": "1"}, First: "HUP",
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := a.Command(Call{HasPrompt: true, Prompt: "do it", Model: "ignored"})
	if err != nil {
		t.Fatal(err)
	}
	want := Command{
		Argv: []string{"refrain", "helper", "s.toml"}, Env: []string{"A=1"}, Unset: []string{"REFRAIN_SESSION"}, Stdin: "do it", First: "HUP",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Command (-want +got):\n%s", diff)
	}
	again, err := a.Command(Call{HasPrompt: true, Prompt: "do it", Session: "s-1"})
	want.Env = []string{"A=1", "REFRAIN_SESSION=s-1"}
	if diff := cmp.Diff(want, again); diff != "" || err != nil {
		t.Errorf("Command in a session (-want +got), error %v:\n%s", err, diff)
	}
}

func TestRehearsalLines(t *testing.T) {
	until := time.Date(2026, 11, 2, 15, 0, 0, 0, time.UTC)
	three := 3
	tests := []struct {
		name, line string
		want       loop.Payload
	}{
		{"text", `{"type":"agent.text","text":"a\nb"}`, &loop.AgentText{Text: "a\nb"}},
		{"a tool result", `{"type":"agent.tool_result","id":"t1","output":"x","failed":true,"exit":3}`, &loop.AgentToolResult{ID: "t1", Output: "x", Failed: true, Exit: &three}},
		{"usage", `{"type":"agent.usage","usage":{"input":5,"cost_usd":0.5}}`, &loop.AgentUsage{Usage: loop.Usage{Input: 5, CostUSD: 0.5}}},
		{"a limit", `{"type":"agent.limit","limit":{"kind":"five_hour","until":"2026-11-02T15:00:00Z"}}`, &loop.AgentLimit{Limit: loop.Limit{Kind: "five_hour", Until: until}}},
		{"NUL is left out", `{"type":"agent.text","text":"a\u0000b"}`, &loop.AgentText{Text: "ab"}},
		{"a plain line is text", "hello", &loop.AgentText{Text: "hello", Plain: true}},
		{"a torn object is text", `{"type":"agent.te`, &loop.AgentText{Text: `{"type":"agent.te`, Plain: true}},
		{"a field of the wrong type is text", `{"type":"agent.text","text":1}`, &loop.AgentText{Text: `{"type":"agent.text","text":1}`, Plain: true}},
		{"the runner's events can't be forged", `{"type":"run.finished"}`, &loop.AgentText{Text: `{"type":"run.finished"}`, Plain: true}},
		{"nor the agent's own exit", `{"type":"agent.exited"}`, &loop.AgentText{Text: `{"type":"agent.exited"}`, Plain: true}},
		{"JSON that is no object is text", `null`, &loop.AgentText{Text: `null`, Plain: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := newRehearsalDecoder(Options{}).Decode([]byte(tt.line))
			if diff := cmp.Diff([]loop.Payload{tt.want}, got); diff != "" {
				t.Errorf("Decode(%s) (-want +got):\n%s", tt.line, diff)
			}
		})
	}
}

func TestRehearsalHasOneResult(t *testing.T) {
	const ok, bad = `{"type":"agent.result","ok":true}`, `{"type":"agent.result","error":{"kind":"agent"}}`
	zero := 0
	tests := []struct {
		name  string
		lines []string
		want  *loop.AgentResult
	}{
		{"its own", []string{"hi", ok}, &loop.AgentResult{OK: true}},
		{"the first of two", []string{ok, bad}, &loop.AgentResult{OK: true}},
		{"none is a failure, even with exit 0", []string{"hi"}, failure("no final result")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newRehearsalDecoder(Options{})
			var all []loop.Payload
			for _, line := range tt.lines {
				all = append(all, d.Decode([]byte(line))...)
			}
			all = append(all, d.Close(loop.Exit{Code: &zero, Cause: loop.Exited})...)
			var got []*loop.AgentResult
			for _, p := range all {
				if r, ok := p.(*loop.AgentResult); ok {
					got = append(got, r)
				}
			}
			if diff := cmp.Diff([]*loop.AgentResult{tt.want}, got); diff != "" {
				t.Errorf("results of %q (-want +got):\n%s", tt.lines, diff)
			}
		})
	}
}

// The player's tests keep this file equal to what it really prints.
func TestRehearsalReadsWhatThePlayerPrints(t *testing.T) {
	stream, err := os.ReadFile(filepath.Join("..", "rehearsal", "testdata", "stream.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[loop.Type]int{}
	d := newRehearsalDecoder(Options{})
	for line := range bytes.Lines(stream) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		for _, p := range d.Decode(line) {
			seen[p.Type()]++
			if text, ok := p.(*loop.AgentText); ok && bytes.HasPrefix(line, []byte("{")) && text.Text == string(line) {
				t.Errorf("an event was taken for text: %s", line)
			}
		}
	}
	for _, want := range spoken {
		if want != "agent.session" && want != "agent.retry" && seen[want] == 0 { // it has no verb for these
			t.Errorf("no %s in the stream; seen: %v", want, seen)
		}
	}
	if left := d.Close(loop.Exit{}); left != nil {
		t.Errorf("Close gave %+v after a whole stream", left)
	}
}

// Who says for how long it waits before it tries again has said when the limit ends.
func TestALongWaitInOurWordsIsALimit(t *testing.T) {
	now := time.Date(2026, 11, 19, 22, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		line  string
		until time.Time
	}{
		{`{"type":"agent.retry","try":1,"after_ms":7200000,"error":{"kind":"usage_limit","message":"usage limit reached"}}`, now.Add(2 * time.Hour)},
		{`{"type":"agent.retry","try":1,"after_ms":7200000,"error":{"kind":"rate_limit"}}`, now.Add(2 * time.Hour)},
		{`{"type":"agent.retry","try":1,"after_ms":2000,"error":{"kind":"rate_limit"}}`, time.Time{}},
		{`{"type":"agent.retry","try":1,"after_ms":7200000,"error":{"kind":"server"}}`, time.Time{}},
		{`{"type":"agent.retry","try":1,"after_ms":7200000}`, time.Time{}},
	} {
		var until time.Time
		for _, p := range newRehearsalDecoder(Options{Now: func() time.Time { return now }}).Decode([]byte(tt.line)) {
			if limit, ok := p.(*loop.AgentLimit); ok {
				until = limit.Limit.Until
			}
		}
		if !until.Equal(tt.until) {
			t.Errorf("%s: a limit until %v, want %v", tt.line, until, tt.until)
		}
	}
}
