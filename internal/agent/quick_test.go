package agent

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
)

// What is read quickly is what encoding/json reads.
func FuzzQuick(f *testing.F) {
	for _, line := range []string{
		`{"type":"agent.text","text":"hello"}`, `{"type":"agent.text","text":"a\\n\\"b\\" \\u00e9 \\ud83d\\ude00 \\ud83d","cut":true,"plain":false}`,
		`{"type":"agent.tool","id":"1","name":"Bash","input":"ls","shell":true}`, `{"type":"agent.tool_result","id":"1","output":"x","failed":true,"exit":12}`,
		`{"type":"agent.tool_result","exit":012}`, `{"type":"agent.tool_result","exit":-1}`, `{"type":"agent.tool_result","exit":1.5}`, `{"type":"agent.tool_result","exit":99999999999999999999}`,
		`{"type":"agent.text","text":"a","text":"b"}`, `{"type":"agent.text","text":"a","type":"agent.tool"}`, `{"type":"agent.text","Text":"a"}`, `{"type":"agent.text"}`, `{"type":"agent.text",}`,
		`{"type":"agent.text","text":"a"} `, `{"type":"agent.text","text":"a"}{}`, `{"type":"agent.text","text":"\xff"}`, `{"type":"agent.text","text":"\x01"}`, `{"type":"agent.text","text":"\\`, `{"type":"agent.text","text":"\\"`,
		`{"type":"agent.text","text":null}`, `{"type":"agent.text","text":"a","cut":1}`, `{"type":"agent.usage","usage":{"input":1}}`, `{"type":"run.finished"}`, `{"type":"agent.text","te\\u0078t":"a"}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		p := quick(line)
		if p == nil {
			return
		}
		if diff := cmp.Diff(slow(line), p); diff != "" {
			t.Errorf("%s is read otherwise (-encoding/json +quick):\n%s", line, diff)
		}
	})
}

func TestOurOwnEventsAreReadQuickly(t *testing.T) {
	exit := 12
	for line, want := range map[string]loop.Payload{
		`{"type":"agent.text","text":"hello \"you\""}`:                                             &loop.AgentText{Text: `hello "you"`},
		`{"type":"agent.tool","id":"1","name":"Bash","input":"ls","shell":true}`:                   &loop.AgentTool{ID: "1", Name: "Bash", Input: "ls", Shell: true},
		`{"type":"agent.tool_result","id":"1","name":"Bash","output":"é","failed":true,"exit":12}`: &loop.AgentToolResult{ID: "1", Name: "Bash", Output: "é", Failed: true, Exit: &exit},
	} {
		if diff := cmp.Diff(want, quick([]byte(line))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", line, diff)
		}
	}
}
