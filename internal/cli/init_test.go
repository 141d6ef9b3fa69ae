package cli

import (
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/scaffold"
)

func TestAsk(t *testing.T) {
	tests := []struct {
		name, typed  string
		agent, tests string // what was answered
		told         string // on the way; "" is nothing in particular
		ok           bool
	}{
		{"empty lines take what is offered", "\n\n", "claude", "go test", "[claude] ", true},
		{"a choice by its name, any text elsewhere", "Codex\n make check \n", "codex", "make check", "", true},
		{"a wrong choice is asked for again", "gpt\ncodex\n\n", "codex", "go test", `"gpt" is none of them.`, true},
		{"no answer at all", "codex\n", "codex", "", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var agent, tests string
			var out strings.Builder
			err := ask(strings.NewReader(tt.typed), &out, []scaffold.Question{
				{Text: "Which agent?", Choices: []string{"claude", "codex"}, Default: "claude", Answer: &agent},
				{Text: "Which tests?", Default: "go test", Answer: &tests},
			})
			if agent != tt.agent || tests != tt.tests || (err == nil) != tt.ok {
				t.Errorf("answered %q and %q, %v, want %q and %q, well: %v", agent, tests, err, tt.agent, tt.tests, tt.ok)
			}
			if !strings.Contains(out.String(), tt.told) {
				t.Errorf("it said %q, want %q in it", out.String(), tt.told)
			}
		})
	}
}
