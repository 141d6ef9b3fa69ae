package engine_test

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/stop"
)

// An agent that reads a file of ours finds it where it is told, and nothing of it stays.
func TestAFileForAnAgentIsThereWhileItWorks(t *testing.T) {
	opencode, err := agent.New(agent.Options{Name: "opencode"})
	if err != nil {
		t.Fatal(err)
	}
	s := newStage(t, says(""))
	s.settings = stop.Settings{Iterations: 1}
	var path string
	s.options = func(o *app.Blueprint) {
		o.Run.Workers = []engine.Worker{{Name: "opencode", Agent: opencode}}
		o.Run.Exec = func(ctx context.Context, spec proc.Spec) (loop.Exit, error) {
			for _, kv := range spec.Env {
				if _, at, ok := strings.Cut(kv, `OPENCODE_CONFIG_CONTENT={"plugin":["`); ok {
					u, err := url.Parse(strings.TrimSuffix(at, `"]}`))
					if err != nil {
						t.Fatal(err)
					}
					path = filepath.FromSlash(u.Path)
					if windows := strings.TrimPrefix(path, `\`); filepath.VolumeName(windows) != "" {
						path = windows
					}
				}
			}
			if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), "session.status") {
				t.Errorf("while the agent works its file has %q, %v", text, err)
			}
			return s.exec(ctx, spec)
		}
	}
	s.run(nil)
	if _, err := os.Stat(path); path == "" || !os.IsNotExist(err) {
		t.Errorf("after the run %q is still there (%v)", path, err)
	}
}
