package engine_test

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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

// What an agent's reader has to say once is said once, however many attempts there are.
func TestAWarningOfADecoderIsGivenOnceARun(t *testing.T) {
	opencode, err := agent.New(agent.Options{Name: "opencode"})
	if err != nil {
		t.Fatal(err)
	}
	s := newStage(t, says(""))
	s.settings = stop.Settings{Iterations: 2}
	s.options = func(o *app.Blueprint) {
		o.Run.Workers = []engine.Worker{{Name: "opencode", Agent: opencode}}
		o.Run.Exec = func(ctx context.Context, spec proc.Spec) (loop.Exit, error) {
			spec.Started(4711, time.Now())
			spec.Stderr.Line([]byte("timestamp=x level=INFO message=stream providerID=opencode modelID=big small=false agent=build mode=primary"), false)
			return loop.Exit{Code: new(int), Cause: loop.Exited}, nil
		}
	}
	s.run(nil)
	said, models := 0, 0
	for _, e := range s.events {
		switch p := e.Payload.(type) {
		case *loop.Warning:
			if strings.Contains(p.Text, "opencode/big at opencode.ai") {
				said++
			}
		case *loop.AgentSession:
			models++
		}
	}
	if said != 1 || models != 2 {
		t.Errorf("the warning was given %d times and the model told %d times, want once and twice", said, models)
	}
}
