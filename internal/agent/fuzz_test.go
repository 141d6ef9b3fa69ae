package agent

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/refrain-loop/refrain/internal/loop"
)

// No output of an agent may break its decoder: what comes out can be stored
// and shown, and there is exactly one result.

func FuzzAider(f *testing.F)     { fuzzDecoder(f, "aider") }
func FuzzClaude(f *testing.F)    { fuzzDecoder(f, "claude") }
func FuzzCline(f *testing.F)     { fuzzDecoder(f, "cline") }
func FuzzCodex(f *testing.F)     { fuzzDecoder(f, "codex") }
func FuzzCopilot(f *testing.F)   { fuzzDecoder(f, "copilot") }
func FuzzCrush(f *testing.F)     { fuzzDecoder(f, "crush") }
func FuzzDroid(f *testing.F)     { fuzzDecoder(f, "droid") }
func FuzzGemini(f *testing.F)    { fuzzDecoder(f, "gemini") }
func FuzzGrok(f *testing.F)      { fuzzDecoder(f, "grok") }
func FuzzKimi(f *testing.F)      { fuzzDecoder(f, "kimi") }
func FuzzOpencode(f *testing.F)  { fuzzDecoder(f, "opencode") }
func FuzzPi(f *testing.F)        { fuzzDecoder(f, "pi") }
func FuzzQwen(f *testing.F)      { fuzzDecoder(f, "qwen") }
func FuzzRehearsal(f *testing.F) { fuzzDecoder(f, "rehearsal") }
func FuzzText(f *testing.F)      { fuzzDecoder(f, "text") }

func fuzzDecoder(f *testing.F, format string) {
	f.Add("hello\n\nworld")
	f.Add(`{"type":"agent.result","ok":true}` + "\n" + `{"type":"agent.result","ok":false}`)
	f.Add(`{"type":"agent.text","text":"a\u0000b"}` + "\n\xff\x00")
	f.Add(`{"type":"run.finished","state":"done"}`)
	f.Add(`{"type":"agent.result","ok":true}` + "\n{")
	f.Add(`{"type":"agent.result","ok":false}`)
	f.Add(`{"type":"agent.usage","usage":{"input":-1,"context_percent":900}}`)
	f.Add(`{"type":"result","total_cost_usd":NaN,"num_turns":1e300,"usage":{"input_tokens":-5}}`)
	for _, r := range recordings(f) {
		if r.agent == format && len(r.stdout) < 4<<10 {
			f.Add(string(r.stdout))
		}
	}
	zero := 0
	f.Fuzz(func(t *testing.T, output string) {
		for _, exit := range []loop.Exit{{Code: &zero, Cause: loop.Exited}, {Signal: "INT", Cause: loop.OnRequest}} {
			d := formats[format](Options{Now: func() time.Time { return recordedAt }})
			all := decodeAll(d, []byte(output), exit)
			checkPayloads(t, all)
			for _, p := range all {
				r, ok := p.(*loop.AgentResult)
				if ok && exit.Cause != loop.Exited && format != "rehearsal" && r.OK {
					t.Errorf("ok, though it was ended: %+v", r)
				}
			}
		}
	})
}

// checkPayloads says what is true of everything that any agent reports.
func checkPayloads(t *testing.T, all []loop.Payload) {
	t.Helper()
	results := 0
	for _, p := range all {
		if _, err := json.Marshal(p); err != nil {
			t.Errorf("%s can't be stored: %v", p.Type(), err)
		}
		for _, text := range texts(p) {
			if !utf8.ValidString(*text) || strings.Contains(*text, "\x00") {
				t.Errorf("%s carries %q", p.Type(), *text)
			}
		}
		switch p := p.(type) {
		case *loop.AgentResult:
			results++
			if p.OK == (p.Error != nil) {
				t.Errorf("a result that is ok %v with error %v", p.OK, p.Error)
			}
		case *loop.AgentUsage:
			if p.Usage.ContextPercent < 0 || p.Usage.ContextPercent > 100 {
				t.Errorf("a context that is full by %d%%", p.Usage.ContextPercent)
			}
		}
	}
	if results != 1 {
		t.Errorf("%d results, want 1", results)
	}
}
