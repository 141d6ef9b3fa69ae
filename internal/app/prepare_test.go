package app

import (
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/story"
)

func set(key, value string) config.Flag { return config.Flag{Name: "--set", Key: key, Value: value} }

func TestWarnsBeforeTheStart(t *testing.T) {
	const (
		echoed  = "the prompt has the promise tag alone on a line"
		endless = "nothing can end this run but you"
	)
	forever := []config.Flag{set("loop.max_iterations", "0"), set("stop.failures", "0"), set("stop.no_progress", "0"), set("loop.exit_zero_is_done", "false")}
	with := func(f ...config.Flag) []config.Flag { return slices.Concat(forever, f) }
	promise := set("done.promise", "DONE")
	tests := []struct {
		what string
		req  request.Request
		want []string
	}{
		{"an ordinary run", request.Request{Prompt: "go"}, nil},
		{"a tag alone in the prompt", request.Request{Prompt: "go\n<promise>DONE</promise>\n", Flags: []config.Flag{promise}}, []string{echoed}},
		{"a tag alone in the context", request.Request{Prompt: "go", Context: []string{"<promise>DONE</promise>"}, Flags: []config.Flag{promise}}, []string{echoed}},
		{"a tag in a sentence", request.Request{Prompt: "say <promise>DONE</promise> then", Flags: []config.Flag{promise}}, nil},
		{"another promise", request.Request{Prompt: "<promise>MORE</promise>", Flags: []config.Flag{promise}}, nil},
		{"nothing that ends it", request.Request{Prompt: "go", Flags: forever}, []string{endless}},
		{"ended by a promise", request.Request{Prompt: "go", Flags: with(promise)}, nil},
		{"ended by a number", request.Request{Prompt: "go", Flags: with(set("loop.max_iterations", "9"))}, nil},
		{"ended by time", request.Request{Prompt: "go", Flags: with(set("loop.max_time", "1h"))}, nil},
		{"ended by failures", request.Request{Prompt: "go", Flags: with(set("stop.failures", "3"))}, nil},
		{"ended by a pattern", request.Request{Prompt: "go", Flags: with(set("stop.patterns", `["x"]`))}, nil},
		{"ended by a script", request.Request{Prompt: "go", Flags: with(set("stop.scripts", `["x"]`))}, nil},
		{"ended by status 0", request.Request{Flags: with(set("loop.exit_zero_is_done", "true"))}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			tt.req.Command = []string{"cat"}
			job, err := Prepare(t.Context(), story.NewTree(t, ""), tt.req)
			if err != nil {
				t.Fatal(err)
			}
			got := job.Warnings()
			if len(got) != len(tt.want) {
				t.Fatalf("warnings = %+v, want %q", got, tt.want)
			}
			for i, want := range tt.want {
				if !strings.Contains(got[i].Text, want) || got[i].Hint == "" {
					t.Errorf("warning = %+v, want %q and a hint", got[i], want)
				}
			}
		})
	}
}

func TestExitZeroIsDoneForACommandWithoutAPromise(t *testing.T) {
	promise := []config.Flag{set("done.promise", "DONE")}
	command := []string{"cat"}
	tests := []struct {
		what string
		req  request.Request
		want bool
	}{
		{"a command", request.Request{Command: command}, true},
		{"a command with a prompt", request.Request{Command: command, Prompt: "go"}, true},
		{"a command with a promise", request.Request{Command: command, Flags: promise}, false},
		{"a command in a procedure", request.Request{Command: command, Procedure: "nightly"}, false},
		{"an agent", request.Request{Prompt: "go", Flags: []config.Flag{set("agent", "mine")}}, false},
		{"switched off", request.Request{Command: command, Flags: []config.Flag{set("loop.exit_zero_is_done", "false")}}, false},
		{"switched on", request.Request{Command: command, Flags: append(promise, set("loop.exit_zero_is_done", "true"))}, true},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			job, err := Prepare(t.Context(), story.NewTree(t, "[procedures.nightly]\n[agents.mine]\ncommand = \"cat\"\n"), tt.req)
			if err != nil {
				t.Fatal(err)
			}
			if got := job.terms().Completion().ExitZero; got != tt.want {
				t.Errorf("exit status 0 is done: %v, want %v", got, tt.want)
			}
		})
	}
}

func TestPreparingWritesNothing(t *testing.T) {
	tree := story.NewTree(t, "")
	job, err := Prepare(t.Context(), tree, request.Request{Command: []string{"cat"}, Prompt: "go"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := job.DryRun(); err != nil {
		t.Fatal(err)
	}
	files, err := fs.Glob(os.DirFS(tree), "*")
	if err != nil || !slices.Equal(files, []string{"refrain.toml"}) {
		t.Errorf("the work tree has %q, %v; want only refrain.toml", files, err)
	}
}
