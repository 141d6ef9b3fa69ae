package engine

import (
	"io"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/agent"
)

// An agent that could begin before the journal says so on the disk would work twice
// after a crash of the machine.
func TestNobodyReadsAPromptBeforeTheJournalHasSettled(t *testing.T) {
	for name, read := range map[string]func(*settled) string{
		"read": func(s *settled) string {
			b := make([]byte, 2)
			n, _ := s.Read(b)
			return string(b[:n])
		},
		"copied": func(s *settled) string {
			var b strings.Builder
			_, _ = io.Copy(&b, s)
			return b.String()
		},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.NewReader("go")
			left := -1
			s := &settled{text, func() { left = text.Len() }}
			if got := read(s); got != "go" || left != 2 {
				t.Errorf("read %q, with %d bytes left when the journal settled, want all 2", got, left)
			}
		})
	}
}

// A program that we do not know need not read its prompt before it works, nor ever.
func TestOnlyAgentsThatWeKnowAreHeldBackByTheirPrompt(t *testing.T) {
	for _, tt := range []struct {
		what string
		o    agent.Options
		want bool
	}{
		{"a CLI that reads stdin", agent.Options{Name: "claude"}, true},
		{"the rehearsal", agent.Options{Name: "rehearsal", Script: "x", Self: []string{"refrain", "rehearse"}}, true},
		{"a CLI with arguments of the user's", agent.Options{Name: "claude", Command: []string{"/usr/bin/claude", "-p"}}, true},
		{"a CLI within another program", agent.Options{Name: "claude", Command: []string{"sh", "-c", "make; claude -p"}}, false},
		{"a program in the place of a CLI", agent.Options{Name: "claude", Program: "/opt/wrapper"}, false},
		{"a command", agent.Options{Name: "command", Command: []string{"sh", "-c", "./deploy"}}, false},
		{"a command with its prompt as an argument", agent.Options{Name: "command", Prompt: "arg", Command: []string{"claude"}}, false},
	} {
		a, err := agent.New(tt.o)
		if err != nil {
			t.Fatal(tt.what, err)
		}
		cmd, err := a.Command(agent.Call{HasPrompt: true, Prompt: "go"})
		if err != nil {
			t.Fatal(tt.what, err)
		}
		if got := heldBack(tt.o.Name, cmd); got != tt.want {
			t.Errorf("%s is held back: %v, want %v", tt.what, got, tt.want)
		}
	}
}
