package view

import (
	"slices"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

// A run in the ways of another system is told in the words of that system; every
// other run in ours.
func TestAProfileHasItsWords(t *testing.T) {
	failed, red := 1, loop.Outcome{Result: loop.Failed, Gates: []loop.Gate{{Name: "lint", Why: "exit 1"}}}
	story := []loop.Event{
		{Iter: 1, Payload: &loop.IterationFinished{Outcome: loop.Outcome{Result: loop.Failed, Exit: &loop.Exit{Code: &failed}, Error: &loop.AgentError{Kind: loop.ErrAgent, ByExit: true}}}},
		{Iter: 2, Payload: &loop.IterationFinished{Outcome: red}},
		{Payload: &loop.RunResumed{}},
	}
	ours := []string{
		"Starting build-7 (unlimited iterations)", "WARNING: The agent failed (exit 1), consecutive failures: 0 (after 0.0s)",
		"WARNING: Gates failed: lint (exit 1), red iterations: 0", "Resuming build-7 from iteration 1 (unlimited)",
	}
	for _, tt := range []struct {
		profile string
		want    []string
	}{
		{"", ours},
		{"fresher", ours},
		{"rooda", []string{
			"Starting procedure: build (unlimited iterations)", "WARNING: AI CLI failed (exit 1), consecutive failures: 0 (after 0.0s)",
			"WARNING: Quality gates failed: lint (exit 1), red iterations: 0", "Resuming procedure: build from iteration 1 (unlimited)",
		}},
	} {
		n := NewNarrator(New())
		var got []string
		for _, e := range append([]loop.Event{{Payload: &loop.RunStarted{Name: "build-7", Procedure: "build", Profile: tt.profile}}}, story...) {
			for _, f := range n.Tell(e) {
				got = append(got, f.Text)
			}
		}
		for _, want := range tt.want {
			if !slices.Contains(got, want) {
				t.Errorf("the words of profile %q are %q, want %q among them", tt.profile, got, want)
			}
		}
	}
}
