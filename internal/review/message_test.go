package review

import (
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/view"
)

func TestMessage(t *testing.T) {
	t.Parallel()
	run := &view.Run{State: loop.Exhausted}
	run.Name = "build-7"
	long := "export: refuse names that lead out of the folder in which the files are to be written"
	for _, tt := range []struct {
		name    string
		f       Facts
		subject string
		has     string
		trailer string
	}{
		{"a task", Facts{Tasks: []string{"add it"}, Iterations: []int{1, 2, 3}, Summary: "I did"}, "add it", "\n\nIterations 1-3 of build-7: ", "Refrain-Iterations: 1-3"},
		{"two tasks", Facts{Tasks: []string{"add it", "test it"}, Iterations: []int{2}}, "add it (and 1 more task)", "- add it\n- test it\n", "Refrain-Iterations: 2"},
		{"a long one", Facts{Tasks: []string{long}, Iterations: []int{1, 3}}, "export: refuse names that lead out of the folder in which the files…", "in which the files are\nto be written", "Refrain-Iterations: 1, 3"},
		{"what was asked for", Facts{Asked: "# Add export\n\nmore", Summary: "I did", Iterations: []int{1}}, "Add export", "", "Refrain-Iterations: 1"},
		{"what the agent said", Facts{Summary: "\n- It is done.\nAll of it.", Iterations: []int{1}}, "It is done.", "", "Refrain-Iterations: 1"},
		{"nothing is known", Facts{Iterations: []int{4, 5}}, "build-7: iterations 4-5", "", "Refrain-Iterations: 4-5"},
		{"a person's own", Facts{Subject: "Mine", Tasks: []string{"add it"}, Iterations: []int{1}}, "Mine", "", "Refrain-Iterations: 1"},
	} {
		message, trailers := Message(run, tt.f)
		subject, _, _ := strings.Cut(message, "\n")
		if subject != tt.subject || !strings.Contains(message, tt.has) || trailers[0] != "Refrain-Run: build-7" || trailers[1] != tt.trailer {
			t.Errorf("%s:\n%s\n%q", tt.name, message, trailers)
		}
		for line := range strings.Lines(message) {
			if len([]rune(line)) > maxSubject+1 {
				t.Errorf("%s: a line is too long: %q", tt.name, line)
			}
		}
	}
}
