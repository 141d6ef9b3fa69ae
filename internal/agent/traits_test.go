package agent

import "testing"

func TestTells(t *testing.T) {
	tests := []struct {
		name, format, model string
		tokens, cost        bool
	}{
		{"claude", "", "", true, true},
		{"codex", "", "gpt-5-codex", true, true},
		{"codex", "", "a-model-without-a-price", true, false},
		{"codex", "", "", true, false},
		{"copilot", "", "", false, false},
		{"mine", "", "", false, false},
		{"mine", "claude", "", true, true},
		{"mine", "text", "", false, false},
	}
	for _, tt := range tests {
		if tokens, cost := Tells(tt.name, tt.format, tt.model); tokens != tt.tokens || cost != tt.cost {
			t.Errorf("Tells(%q, %q, %q) = %v, %v, want %v, %v", tt.name, tt.format, tt.model, tokens, cost, tt.tokens, tt.cost)
		}
	}
}

func TestProgram(t *testing.T) {
	for _, name := range Names() {
		program := Program(name)
		if known := program != ""; known != (KnowsCommand(name) && name != "rehearsal") {
			t.Errorf("Program(%q) = %q", name, program)
		}
	}
}
