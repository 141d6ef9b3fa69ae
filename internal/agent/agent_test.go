package agent

import (
	"errors"
	"slices"
	"testing"
)

func TestNewRefusesWhatItDoesNotKnow(t *testing.T) {
	argv := []string{"true"}
	tests := []struct {
		name    string
		options Options
		what    string
		known   []string
	}{
		{"an agent", Options{Name: "claud"}, "agent", Names()},
		{"no agent", Options{}, "agent", Names()},
		{"a delivery", Options{Name: "command", Command: argv, Prompt: "pigeon"}, "prompt delivery", []string{"arg", "env", "file", "stdin"}},
		{"a format", Options{Name: "command", Command: argv, Format: "xml"}, "format", Formats()},
		{"a permission mode", Options{Name: "claude", Permissions: "all"}, "permission mode", []string{"own", "edits", "work", "full"}},
		{"a signal", Options{Name: "command", Command: argv, First: "KILL"}, "first signal", []string{"INT", "TERM", "HUP"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := New(tt.options)
			var unknown *UnknownError
			if !errors.As(err, &unknown) {
				t.Fatalf("New(%+v) = %v, want an *UnknownError", tt.options, err)
			}
			if unknown.What != tt.what || !slices.Equal(unknown.Known, tt.known) {
				t.Errorf("New(%+v) = %+v, want what %q, known %q", tt.options, unknown, tt.what, tt.known)
			}
		})
	}
}

func TestNewRefusesWhatCannotStart(t *testing.T) {
	for name, options := range map[string]Options{
		"a command without a program":        {Name: "command"},
		"a command with an empty program":    {Name: "command", Command: []string{""}},
		"a rehearsal without a script":       {Name: "rehearsal", Self: []string{"refrain"}},
		"a rehearsal without its own binary": {Name: "rehearsal", Script: "s.toml"},
	} {
		if _, err := New(options); err == nil {
			t.Errorf("%s: New(%+v) gave no error", name, options)
		}
	}
}
