package cli

import "testing"

func TestTheAgentIsRememberedOnce(t *testing.T) {
	tests := []struct{ name, before, after string }{
		{"no settings yet", "", "agent = \"claude\"\n"},
		{"other settings stay below", "model = \"x\"\n[loop]\nbackoff = \"2s\"\n", "agent = \"claude\"\nmodel = \"x\"\n[loop]\nbackoff = \"2s\"\n"},
		{"an agent is replaced", "# mine\nagent = \"auto\"\nmodel = \"x\"\n", "# mine\nagent = \"claude\"\nmodel = \"x\"\n"},
		{"an agent in a table is another's", "[procedures.build]\nagent = \"codex\"\n", "agent = \"claude\"\n[procedures.build]\nagent = \"codex\"\n"},
	}
	for _, tt := range tests {
		if got := withAgent(tt.before, "claude"); got != tt.after {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.after)
		}
	}
}
