package detect

import (
	"slices"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestDenials(t *testing.T) {
	call := func(id, name string, shell bool) loop.Payload {
		return &loop.AgentTool{ID: id, Name: name, Shell: shell}
	}
	result := func(id string, denied bool) loop.Payload { return &loop.AgentToolResult{ID: id, Denied: denied} }
	tests := []struct {
		name    string
		events  []loop.Payload
		denied  []string
		noShell bool
	}{
		{"nothing denied", []loop.Payload{call("1", "Bash", true), result("1", false)}, nil, false},
		{"every command denied", []loop.Payload{call("1", "Bash", true), result("1", true), call("2", "Bash", true), result("2", true)}, []string{"Bash"}, true},
		{"one of two commands denied", []loop.Payload{call("1", "Bash", true), result("1", true), call("2", "Bash", true), result("2", false)}, []string{"Bash"}, false},
		{"another tool denied", []loop.Payload{call("1", "WebFetch", false), result("1", true)}, []string{"WebFetch"}, false},
		{"results out of order", []loop.Payload{call("1", "Bash", true), call("2", "Edit", false), result("2", true), result("1", false)}, []string{"Edit"}, false},
		{"denied only at the end, after a result", []loop.Payload{call("1", "Bash", true), result("1", false), result("1", true)}, []string{"Bash"}, true},
		{"a denial without its call", []loop.Payload{&loop.AgentToolResult{ID: "9", Name: "Bash", Denied: true}}, []string{"Bash"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, o := Denials(), &loop.Outcome{Result: loop.OK}
			for _, p := range tt.events {
				d.Hear(p)
			}
			events := d.Report(o)
			if !slices.Equal(o.Denied, tt.denied) || o.NoShell != tt.noShell {
				t.Errorf("denied %q, no shell %v; want %q, %v", o.Denied, o.NoShell, tt.denied, tt.noShell)
			}
			if warned := len(events) > 0; warned != (len(tt.denied) > 0) {
				t.Errorf("warned: %v, with %q denied", warned, tt.denied)
			}
		})
	}
}
