package mcp

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/control"
	"github.com/refrain-loop/refrain/internal/loop"
)

func TestSteer(t *testing.T) {
	for _, tt := range []struct {
		tool      string
		arguments map[string]any
		want      control.Command
	}{
		{"pause_run", nil, control.Command{Command: control.Pause}},
		{"resume_run", nil, control.Command{Command: control.Resume}},
		{"reboot_run", nil, control.Command{Command: control.Reboot}},
		{"skip_iteration", map[string]any{"run": "build-1"}, control.Command{Command: control.Skip}},
		{"stop_run", nil, control.Command{Command: control.Stop}},
		{"stop_run", map[string]any{"now": true}, control.Command{Command: control.StopNow}},
		{"add_note", map[string]any{"text": "use tabs"}, control.Command{Command: control.Note, Text: "use tabs"}},
		{"raise_limit", map[string]any{"key": "budget.cost_usd", "value": "20"}, control.Command{Command: control.Raise, Key: "budget.cost_usd", Value: "20"}},
	} {
		t.Run(tt.want.Command, func(t *testing.T) {
			s := newScene(t)
			s.Raise = true
			var heard control.Command
			s.run().live(func(c control.Command) control.Answer {
				heard = c
				return control.Answer{OK: true, Effect: "as you wish", State: loop.Running}
			})
			var got steered
			s.call(tt.tool, tt.arguments, &got)
			if want := (steered{"build-1", "as you wish", loop.Running}); got != want {
				t.Errorf("%s = %+v, want %+v", tt.tool, got, want)
			}
			tt.want.NoWait = true // an effect may be hours away
			if heard != tt.want {
				t.Errorf("the run heard %+v, want %+v", heard, tt.want)
			}
		})
	}
}

func TestSteerIsRefused(t *testing.T) {
	t.Run("by the run, with its reason", func(t *testing.T) {
		s := newScene(t)
		s.run().live(func(control.Command) control.Answer { return control.Answer{Why: "nothing runs", State: loop.Waiting} })
		s.fails("skip_iteration", nil, `build-1 did not take "skip": nothing runs`, "get_run")
	})
	t.Run("when the run is over", func(t *testing.T) {
		s := newScene(t)
		s.run().end(loop.Aborted)
		s.fails("pause_run", nil, "build-1 is not running: it is aborted", "refrain resume build-1")
		s.run().end(loop.Done)
		s.fails("pause_run", nil, "build-2 is not running: it is done")
	})
	t.Run("when another run is alive", func(t *testing.T) {
		s := newScene(t)
		s.run().end(loop.Stopped)
		s.run().held("")
		s.fails("stop_run", map[string]any{"run": "build-1"}, "build-1 is not running: it is stopped")
	})
	t.Run("when it has no socket", func(t *testing.T) {
		s := newScene(t)
		s.run().held("")
		s.fails("stop_run", nil, "build-1 takes no commands")
	})
	t.Run("when nobody answers any more", func(t *testing.T) {
		s := newScene(t)
		s.run().held("/nowhere/refrain.sock")
		s.fails("stop_run", nil, "the run has just ended, or its socket is gone", "get_run")
	})
}

func TestAnAgentDoesNotSteerItsOwnRun(t *testing.T) {
	s := newScene(t)
	r := s.run()
	r.live(func(c control.Command) control.Answer {
		t.Errorf("the run heard %+v", c)
		return control.Answer{OK: true}
	})
	s.Inside, s.Raise = r.Meta().ID, true
	for tool, arguments := range map[string]map[string]any{
		"pause_run": nil, "resume_run": nil, "skip_iteration": nil, "stop_run": {"now": true}, "reboot_run": nil,
		"add_note": {"text": "let me"}, "raise_limit": {"key": "budget.cost_usd", "value": "99"},
	} {
		s.fails(tool, arguments, "an agent does not steer its own run")
	}
	var seen runNow
	s.call("get_run", nil, &seen) // it may look
}

func TestAnAgentOfAnotherRunIsLikeAnybody(t *testing.T) {
	s := newScene(t)
	s.run().live(func(control.Command) control.Answer { return control.Answer{OK: true, Effect: "paused"} })
	s.Inside = "loop_of-another-run"
	var got steered
	s.call("pause_run", nil, &got)
	if got.Effect != "paused" {
		t.Errorf("pause_run = %+v", got)
	}
}

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
