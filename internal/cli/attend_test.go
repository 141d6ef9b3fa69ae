package cli

import (
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestExitStatusOfARun(t *testing.T) {
	tests := []struct {
		end  loop.RunFinished
		want int
	}{
		{loop.RunFinished{State: loop.Done, Reason: loop.ByPromise}, 0},
		{loop.RunFinished{State: loop.Done, Reason: loop.ByIterations}, 0},
		{loop.RunFinished{State: loop.Exhausted, Reason: loop.ByIterations}, 2},
		{loop.RunFinished{State: loop.Exhausted, Reason: loop.ByTime}, 2},
		{loop.RunFinished{State: loop.Aborted, Reason: loop.ByFailures}, 1},
		{loop.RunFinished{State: loop.CouldNotRun, Reason: loop.ByAgentMissing}, 1},
		{loop.RunFinished{State: loop.Stopped, Reason: loop.ByRequest}, 1},
		{loop.RunFinished{State: loop.Stopped, Reason: loop.BySignal, Signal: "INT"}, 130},
		{loop.RunFinished{State: loop.Stopped, Reason: loop.BySignal, Signal: "TERM"}, 143},
		{loop.RunFinished{State: loop.Stopped, Reason: loop.BySignal, Signal: "HUP"}, 129},
		{loop.RunFinished{}, 1},
	}
	for _, tt := range tests {
		if got := exitStatus(tt.end); got != tt.want {
			t.Errorf("exitStatus(%s by %s %s) = %d, want %d", tt.end.State, tt.end.Reason, tt.end.Signal, got, tt.want)
		}
	}
}
