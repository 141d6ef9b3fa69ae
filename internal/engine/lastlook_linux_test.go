package engine_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/stop"
)

// What nobody tells of is found before the run is over, or goes to another runner.
func TestTheLastCheckpointIsNoGlance(t *testing.T) {
	tests := map[string]struct {
		settings stop.Settings
		leave    bool // to another runner
		want     loop.Status
	}{
		"the run is over":           {settings: stop.Settings{Iterations: 2}, want: loop.Exhausted},
		"it goes to another runner": {settings: stop.Settings{Iterations: 9}, leave: true, want: loop.Parked},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			outside := filepath.Join(t.TempDir(), "hidden")
			ran := 0
			s := newStage(t, func(_ context.Context, dir string, _ io.Writer) int {
				ran++
				if err := os.WriteFile(outside, []byte{byte(ran)}, 0o600); err != nil {
					t.Error(err)
				}
				if err := os.WriteFile(filepath.Join(dir, "told"), []byte{byte(ran)}, 0o600); err != nil {
					t.Error(err)
				}
				return 0
			})
			must := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			must(os.WriteFile(filepath.Join(s.dir, "shared"), nil, 0o600))
			if err := os.Link(filepath.Join(s.dir, "shared"), outside); err != nil {
				t.Skip(err)
			}
			gitIn(t, s.dir, "init", "-q")
			tree, err := git.Open(t.Context(), s.dir, nil)
			must(err)
			store, err := checkpoint.OpenStore(t.Context(), tree, filepath.Join(t.TempDir(), "store"), "")
			must(err)
			defer store.Watch(1)()
			s.settings = tt.settings
			s.options = func(o *app.Blueprint) {
				o.Store = store
				if tt.leave {
					o.Run.Relay = &keeper{leave: func(loop.Verdict, bool) (string, bool) { return "its turn is over", ran == 2 }}
				}
			}
			if end := s.run(nil); end.State != tt.want {
				t.Errorf("the run ended as %s (%s), want %s", end.State, end.Why, tt.want)
			}
			var last *loop.CheckpointMade
			glances := 0
			for _, e := range s.events {
				if made, ok := e.Payload.(*loop.CheckpointMade); ok {
					last = made
					if made.Glance {
						glances++
					}
				}
			}
			if glances == 0 {
				t.Skip("nobody tells what is written here")
			}
			now, err := store.Checkpoint(t.Context())
			must(err)
			if last.Glance || last.Tree != now.Tree {
				t.Errorf("the last checkpoint is a glance: %v; it is all that there is: %v", last.Glance, last.Tree == now.Tree)
			}
		})
	}
}
