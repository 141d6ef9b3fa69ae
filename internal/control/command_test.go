package control

import "testing"

func TestCommandsAreCheckedBeforeTheRunHearsOfThem(t *testing.T) {
	for _, tt := range []struct {
		name    string
		command Command
		wrong   string
	}{
		{"a plain command", Command{Command: Pause}, ""},
		{"a note with a text", Command{Command: Note, Text: "use tabs"}, ""},
		{"a note without one", Command{Command: Note, Text: " \n"}, "a note needs a text"},
		{"a limit to raise", Command{Command: Raise, Key: "max_cost", Value: "5"}, ""},
		{"a limit without a value", Command{Command: Raise, Key: "max_cost"}, "raise needs the key of a setting and its new value"},
		{"an approval", Command{Command: Approve}, ""},
		{"an approval with an answer", Command{Command: Approve, Text: "skip"}, ""},
		{"no command", Command{}, `there is no command "", but approve, note, park, pause, raise, reboot, resume, skip, stop, stop_now`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			if err := tt.command.check(); err != nil {
				got = err.Error()
			}
			if got != tt.wrong {
				t.Errorf("check(%+v) = %q, want %q", tt.command, got, tt.wrong)
			}
		})
	}
}
