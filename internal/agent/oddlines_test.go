package agent

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Lines that hold more or less than one event.
func TestOddLines(t *testing.T) {
	const (
		says = `{"type":"item.completed","item":{"type":"agent_message","text":"a"}}`
		done = `{"type":"turn.completed","usage":{}}`
		part = `{"type":"item.completed","item":{"type":"agent_message","text":"<promise>DONE</promise>"}}`
	)
	tests := []struct {
		name   string
		lines  []string
		texts  int
		strays []string
		ok     bool
	}{
		{"two events on one line", []string{says + done}, 1, nil, true},
		{"with a space between", []string{says + " " + done}, 1, nil, true},
		{"behind a warning", []string{says, "npm warn x" + done}, 1, []string{"npm warn x"}, true},
		{"as a server sends them", []string{"data: " + says, "data: " + done}, 1, []string{"data:", "data:"}, true},
		{"and something behind", []string{says, done + "npm notice"}, 1, []string{"npm notice"}, true},
		{"and the beginning of another", []string{says + `{"type":"turn.com`}, 1, []string{`{"type":"turn.com`}, false},
		{"a list, one on each line", []string{"[", says + ",", done, "]"}, 1, nil, true},
		{"a list that begins with one", []string{"[" + says + ",", done + "]"}, 1, nil, true},
		{"a bracket that somebody else has printed", []string{"[", says, done}, 1, []string{"["}, true},
		{"an object of a program's", []string{"{", "  status: 500,", "}", says, done}, 1, []string{"{", "  status: 500,", "}"}, true},
		{"one that never ends", []string{"{", `  "a": 1`, says, done}, 1, []string{"{", `  "a": 1`}, true},
		{"one that was cut", []string{says, "{", `  "type": "turn.completed",`}, 1, []string{"{", `  "type": "turn.completed",`}, false},
		{"a part of a line that was cut", []string{`arguments":{},"list":[` + part + `]}`, says, done}, 1, []string{`arguments":{},"list":[` + part + `]}`}, true},
		{"a part of a list", []string{`x, ` + part + `]}`, says, done}, 1, []string{`x, ` + part + `]}`}, true},
		{"a part of a line whose end is missing", []string{`{"type":"x","list":[` + part, says, done}, 1, []string{`{"type":"x","list":[` + part}, true},
		{"parts of a value that was cut", []string{"{", `"list":[`, "  " + part + ",", "  " + part, says, done}, 1, []string{"{", `"list":[`, "  " + part + ",", "  " + part}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			all, result := decodeLines("codex", exitOf(0, false), tt.lines...)
			var strays []string
			texts := 0
			for _, p := range all {
				switch p := p.(type) {
				case *loop.AgentText:
					texts++
				case *loop.AgentToolResult:
					strays = append(strays, p.Output)
				}
			}
			if diff := cmp.Diff(tt.strays, strays); diff != "" || texts != tt.texts || result.OK != tt.ok {
				t.Errorf("%d texts, want %d; ok %v, want %v; strays (-want +got):\n%s", texts, tt.texts, result.OK, tt.ok, diff)
			}
		})
	}
}
