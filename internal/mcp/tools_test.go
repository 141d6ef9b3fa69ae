package mcp

import (
	"context"
	"slices"
	"strings"
	"testing"
)

func TestToolsAreOfferedAsAllowed(t *testing.T) {
	reading := []string{"get_iteration", "get_run", "list_iterations", "list_runs", "watch_run"}
	steering := []string{"add_note", "pause_run", "reboot_run", "resume_run", "skip_iteration", "stop_run"}
	start := func(context.Context, []string) (string, error) { return "", nil }
	for _, tt := range []struct {
		name  string
		allow Options
		want  []string
	}{
		{"as a rule reading and steering", Options{}, slices.Concat(reading, steering)},
		{"read-only, whatever else is said", Options{ReadOnly: true, Raise: true, Start: start}, reading},
		{"raising limits when allowed", Options{Raise: true}, slices.Concat(reading, steering, []string{"raise_limit"})},
		{"starting runs when allowed", Options{Start: start}, slices.Concat(reading, steering, []string{"start_run"})},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene(t)
			s.ReadOnly, s.Raise, s.Start = tt.allow.ReadOnly, tt.allow.Raise, tt.allow.Start
			list, err := s.client().ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, tool := range list.Tools {
				got = append(got, tool.Name)
				if tool.Description == "" || tool.OutputSchema == nil {
					t.Errorf("%s has no description or no schema of its answer", tool.Name)
				}
				if reads := slices.Contains(reading, tool.Name); tool.Annotations.ReadOnlyHint != reads {
					t.Errorf("%s says of itself that it only reads: %v", tool.Name, !reads)
				}
			}
			slices.Sort(tt.want)
			if !slices.Equal(got, tt.want) {
				t.Errorf("tools = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestInstructionsNameTheWorkTree(t *testing.T) {
	s := newScene(t)
	told := s.client().InitializeResult()
	if !strings.Contains(told.Instructions, s.store.Tree) || told.ServerInfo.Version != "1.2.3" {
		t.Errorf("the server says %q, %+v", told.Instructions, told.ServerInfo)
	}
}

func TestArgumentsThatNobodyKnowsAreRefused(t *testing.T) {
	newScene(t).fails("stop_run", map[string]any{"force": true}, "force")
}
