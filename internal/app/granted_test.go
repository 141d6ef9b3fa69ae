package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/story"
)

func TestWhatANewRunTakesForGranted(t *testing.T) {
	const agent = "agent = \"mine\"\n[agents.mine]\ncommand = \"true\"\n"
	flag := func(key, value string) []config.Flag { return []config.Flag{{Name: "--set", Key: key, Value: value}} }
	tests := []struct {
		what    string
		req     request.Request
		limit   int
		tasks   int
		promise string
	}{
		{"a sentence is done by a promise", request.Request{Words: "Add an export"}, 50, 0, "DONE"},
		{"a promise of one's own", request.Request{Words: "Add an export", Flags: flag("done.promise", "READY")}, 50, 0, "READY"},
		{"passing gates", request.Request{Words: "Add an export", Flags: append(flag("done.gates", "true"), config.Flag{Name: "--gate", Key: "gate", Value: "true"})}, 50, 0, ""},
		{"a prompt as ever", request.Request{Prompt: "Add an export"}, 50, 0, ""},
		{"a plan limits who works on it", request.Request{Procedure: "build"}, 7, 2, ""},
		{"with a sentence, too", request.Request{Procedure: "build", Words: "Mind the gap"}, 7, 2, ""},
		{"a limit of one's own", request.Request{Procedure: "build", Flags: flag("loop.max_iterations", "4")}, 4, 0, ""},
		{"none, if that is wanted", request.Request{Procedure: "build", Flags: flag("loop.max_iterations", "0")}, 0, 0, ""},
		{"time is a limit", request.Request{Procedure: "build", Flags: flag("loop.max_time", "1h")}, 0, 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			tree := story.NewTree(t, agent)
			if err := os.WriteFile(filepath.Join(tree, "IMPLEMENTATION_PLAN.md"), []byte("- [ ] one\n- [~] two\n- [x] three\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			tt.req.Consent = request.Given
			j, err := Prepare(t.Context(), tree, tt.req)
			if err != nil {
				t.Fatal(err)
			}
			c := j.Config()
			if c.Stop.Iterations != tt.limit || j.LimitedBy != tt.tasks || c.Done.Promise != tt.promise {
				t.Errorf("limit %d for %d tasks, promise %q; want %d, %d, %q", c.Stop.Iterations, j.LimitedBy, c.Done.Promise, tt.limit, tt.tasks, tt.promise)
			}
			again, err := prepare(t.Context(), tree, j.Request) // as a resume does
			if err != nil || again.Config().Stop.Iterations != tt.limit || again.Config().Done.Promise != tt.promise {
				t.Errorf("resumed: %v; want the same", err)
			}
			if tt.req.Procedure == "build" && tt.req.Words != "" && !strings.Contains(again.firstPrompt.Text, tt.req.Words) {
				t.Errorf("resumed: the prompt lacks %q", tt.req.Words)
			}
		})
	}
}
