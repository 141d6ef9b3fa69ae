package request

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/config"
)

func TestWhatSortOfRunWasAskedFor(t *testing.T) {
	tests := []struct {
		what      string
		req       Request
		kind      config.Kind
		name      string
		hasPrompt bool
	}{
		{"nothing: the prompt of the settings", Request{}, config.AdHocPrompt, "run", true},
		{"a prompt", Request{Prompt: "go"}, config.AdHocPrompt, "run", true},
		{"a command alone gets no prompt", Request{Command: []string{"cat"}}, config.AdHocCommand, "run", false},
		{"a command with a prompt", Request{Command: []string{"cat"}, Prompt: "go"}, config.AdHocCommand, "run", true},
		{"a command with a file", Request{Command: []string{"cat"}, File: "/p.md"}, config.AdHocCommand, "run", true},
		{"a procedure", Request{Procedure: "build"}, config.Procedure, "build", true},
		{"a procedure with a command", Request{Procedure: "build", Command: []string{"cat"}}, config.Procedure, "build", false},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			if got := tt.req.Kind(); got != tt.kind {
				t.Errorf("kind = %v, want %v", got, tt.kind)
			}
			if got := tt.req.Name(); got != tt.name {
				t.Errorf("name = %q, want %q", got, tt.name)
			}
			if got := tt.req.hasPrompt(); got != tt.hasPrompt {
				t.Errorf("hasPrompt = %v, want %v", got, tt.hasPrompt)
			}
		})
	}
}

func TestStoredRequestHoldsNoSecret(t *testing.T) {
	req := Request{
		Command: []string{"agent", "--api-key", "hunter2", "--fast", "TOKEN=hunter2"},
		Flags: []config.Flag{
			{Name: "--set", Key: "agents.mine.env.WHATEVER", Value: "hunter2"},
			{Name: "--set", Key: "agents.mine.command", Value: "agent --password hunter2"},
			{Name: "--max-iterations", Key: "loop.max_iterations", Value: "5"},
		},
	}
	b, err := json.Marshal(req.Masked())
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(b), "hunter2") {
		t.Errorf("stored request = %s, want no secret in it", b)
	}
	for _, kept := range []string{"--fast", `"5"`, "agents.mine.env.WHATEVER"} {
		if !strings.Contains(string(b), kept) {
			t.Errorf("stored request = %s, want %s kept", b, kept)
		}
	}
	if req.Command[2] != "hunter2" || req.Flags[0].Value != "hunter2" {
		t.Errorf("masking changed the request itself: %+v", req)
	}
}

func TestAskedForAgain(t *testing.T) {
	first := config.Flag{Name: "--max-iterations", Key: "loop.max_iterations", Value: "2"}
	second := config.Flag{Name: "--max-iterations", Key: "loop.max_iterations", Value: "9"}
	req, err := Request{Command: []string{"cat"}, Flags: []config.Flag{first}}.Again([]config.Flag{second})
	if want := []config.Flag{first, second}; err != nil || !slices.Equal(req.Flags, want) {
		t.Errorf("flags = %v, %v; want the new ones after the old: %v", req.Flags, err, want)
	}

	secret := Request{Command: []string{"agent", "--token", "hunter2"}}
	if _, err := secret.Masked().Again(nil); err == nil {
		t.Error("a command whose secret was not stored can be run again")
	}
}
