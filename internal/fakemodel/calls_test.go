package fakemodel

import "testing"

func TestOneScriptFitsEveryAgentsTools(t *testing.T) {
	shell := ToolCall{Name: "$shell", Args: []byte(`{"command":"ls","description":"look"}`)}
	write := ToolCall{Name: "$write", Args: []byte(`{"path":"/a","content":"b"}`)}
	tests := []struct {
		name    string
		offered []string
		call    ToolCall
		want    heardCall
	}{
		{"a shell takes what it has arguments for", []string{"Write", "Bash"}, shell, heardCall{"Bash", `{"command":"ls","description":"look"}`}},
		{"a shell of another name and argument gets what it requires", []string{"exec_command"}, shell, heardCall{"exec_command", `{"cmd":"ls","tty":false,"yield_time_ms":60000}`}},
		{"a shell that takes a list gets one", []string{"shell"}, shell, heardCall{"shell", `{"command":["bash","-lc","ls"],"why":"fake"}`}},
		{"without a shell the most common one is called", []string{"Read"}, shell, heardCall{"Bash", `{"command":"ls"}`}},
		{"a file is written with the tool for it", []string{"Bash", "Write"}, write, heardCall{"Write", `{"content":"b","file_path":"/a"}`}},
		{"whatever its arguments are called", []string{"create"}, write, heardCall{"create", `{"file_text":"b","path":"/a"}`}},
		{"without one it goes through the shell", []string{"exec_command"}, write, heardCall{
			"exec_command", `{"cmd":"cat > '/a' <<'FAKE_EOF'\nb\nFAKE_EOF","tty":false,"yield_time_ms":60000}`,
		}},
		{"a tool by its own name gets the arguments as they are", []string{"Bash"}, ToolCall{Name: "update_plan", Args: []byte(`{"plan": []}`)}, heardCall{"update_plan", `{"plan": []}`}},
		{"a call without arguments has empty ones", []string{"Bash"}, ToolCall{Name: "look"}, heardCall{"look", `{}`}},
		{"broken arguments stay broken", []string{"Bash"}, ToolCall{Name: "$shell", RawArgs: new(`{"command": "`)}, heardCall{"Bash", `{"command": "`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := Start(t, Script{Turns: []Turn{{ToolCalls: []ToolCall{tt.call}}}})
			for _, g := range tongues[:3] { // the formats that send arguments as text
				got := g.stream(t, s, tt.offered).Calls
				if len(got) != 1 || got[0] != tt.want {
					t.Errorf("%s: calls = %q, want %q", g.name, got, tt.want)
				}
			}
		})
	}
}
