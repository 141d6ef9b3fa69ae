package mcp

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStart(t *testing.T) {
	for _, tt := range []struct {
		name      string
		arguments map[string]any
		want      []string
	}{
		{"a procedure", map[string]any{"procedure": "build", "max_iterations": 10}, []string{"build", "--max-iterations=10"}},
		{
			"a prompt, where nothing in it can be a flag",
			map[string]any{"prompt": "--yolo\nplease", "until": "-a", "max_cost_usd": 12.5, "max_time": "8h", "max_tokens": 200_000, "agent": "codex", "model": "o9"},
			[]string{"--prompt=--yolo\nplease", "--until=-a", "--agent=codex", "--model=o9", "--max-time=8h", "--max-cost=12.5", "--max-tokens=200000"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene(t)
			var heard []string
			s.Start = func(_ context.Context, args []string) (string, error) {
				heard = args
				return s.run().name, nil
			}
			var got runRow
			s.call("start_run", tt.arguments, &got)
			if diff := cmp.Diff(tt.want, heard); diff != "" || got.Run != "build-1" || got.Agent != "claude" {
				t.Errorf("start_run = %+v, with arguments (-want +got):\n%s", got, diff)
			}
		})
	}
}

func TestStartIsRefused(t *testing.T) {
	s := newScene(t)
	s.Start = func(context.Context, []string) (string, error) {
		return "", errors.New("another run is live in this work tree: build-4\nhint: wait for it")
	}
	s.fails("start_run", nil, "another run is live in this work tree: build-4\nhint: wait for it")
	s.fails("start_run", map[string]any{"procedure": "--yolo"}, `"--yolo" is not the name of a procedure`, "refrain procedures")
	s.Inside = "loop_1"
	s.fails("start_run", nil, "what an agent starts ends with its iteration")
}
