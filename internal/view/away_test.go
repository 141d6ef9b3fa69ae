package view

import (
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestWhatToTypeOfARunElsewhere(t *testing.T) {
	here := "refrain carry fetch loop_1 https://git.example.com/site --trust"
	for _, tt := range []struct {
		name   string
		state  loop.Status
		over   bool
		branch string
		want   string
	}{
		{"its work is fetched when it is done", loop.Done, true, "refrain/nightly", "git fetch https://git.example.com/site refrain/nightly"},
		{"without a branch there is nothing to fetch", loop.Done, true, "", "refrain fleet show nightly"},
		{"one that ended otherwise goes on here", loop.Exhausted, true, "refrain/nightly", here},
		{"one that rests goes on by itself", loop.Parked, false, "refrain/nightly", "refrain fleet resume nightly"},
		{"one that was left goes on here", loop.Parked, true, "refrain/nightly", here},
		{"a live one can be followed", loop.Running, false, "refrain/nightly", "refrain fleet logs -f nightly"},
		{"a paused one goes on", loop.Paused, false, "refrain/nightly", "refrain fleet resume nightly"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &Run{State: tt.state}
			r.Name, r.ID, r.Away = "build-7", "loop_1", &Away{Called: "nightly", Remote: "https://git.example.com/site", Branch: tt.branch, Over: tt.over}
			steps := r.Next()
			if steps[0].Command != tt.want {
				t.Errorf("type %q, want %q", steps[0].Command, tt.want)
			}
		})
	}
}
