package prompt

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestACommandThatCameLaterIsNotRun(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "PROMPT.md")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b := &Builder{Pieces: []Piece{{Name: "PROMPT.md", Path: path, Trusted: true}}, Template: true, Tree: dir}
	build := func(iteration int) (Prompt, error) { return b.Build(t.Context(), loop.State{}, iteration, nil) }
	write("Say {{run \"echo hi\"}} and {{if .Max}}{{run (printf \"echo %d\" .Iteration)}}{{end}}\n")
	if _, err := build(1); err != nil {
		t.Fatal(err)
	}
	b.Settle()
	write("Changed. Say {{run \"echo hi\"}} again.\n")
	if p, err := build(2); err != nil || !strings.Contains(p.Text, "Say hi again") {
		t.Errorf("an edit that adds no command: %q, %v", p.Text, err)
	}
	write("Say {{run \"echo hi\"}}\n{{with .Run}}{{run \"touch made\"}}{{end}}\n")
	if _, err := build(3); err == nil || !strings.Contains(err.Error(), "was not in the prompt when the run began") {
		t.Errorf("error = %v, want a refusal of the new command", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "made")); err == nil {
		t.Error("the new command was run")
	}
}
