//go:build unix

package prompt

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/story"
)

// What an agent may leave where a prompt was: none of it is waited for, and none
// is read without end.
func TestWhatIsNoFileIsNoPrompt(t *testing.T) {
	dir := tree(t, map[string]string{"real.md": "Go.", "large.md": strings.Repeat("x", maxIncluded+1)})
	outside := tree(t, map[string]string{"secret.md": "secret"})
	story.Pipe(t, filepath.Join(dir, "pipe.md"))
	for name, target := range map[string]string{
		"zero.md": "/dev/zero", "topipe.md": "pipe.md", "out.md": filepath.Join(outside, "secret.md"),
		"in.md": "real.md", "whole.md": filepath.Join(dir, "real.md"),
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct{ path, want string }{
		{"pipe.md", "no prompt: pipe.md is a named pipe, not a file"},
		{"topipe.md", "no prompt: topipe.md is a named pipe, not a file"},
		{"zero.md", "no prompt: zero.md is a link that leads out of the work tree"},
		{"out.md", "no prompt: out.md is a link that leads out of the work tree"},
		{"large.md", "no prompt: large.md is larger than 8 MB"},
		{"/dev/zero", "no prompt: /dev/zero is a device, not a file"},
	}
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			for kind, b := range map[string]*Builder{
				"source": {Source: Source{Path: tt.path, Dir: dir}, Template: true, Tree: dir},
				"piece":  {Pieces: []Piece{{Path: tt.path, Dir: dir}}, Template: true, Tree: dir},
			} {
				if got := refusal(t, b).Error(); got != tt.want {
					t.Errorf("as a %s: got %q, want %q", kind, got, tt.want)
				}
			}
		})
	}
	for _, path := range []string{"in.md", "whole.md", filepath.Join(dir, "in.md"), filepath.Join(dir, "whole.md")} {
		if got := build(t, &Builder{Source: Source{Path: path, Dir: dir}}, loop.State{}, 1).Text; got != "Go." {
			t.Errorf("%s gives %q", path, got)
		}
	}
	if got := build(t, &Builder{Source: Source{Path: filepath.Join(dir, "out.md")}}, loop.State{}, 1).Text; got != "secret" {
		t.Errorf("a link that the user named by its path gives %q", got)
	}
}

func TestWhatIsNoFileIsNotIncluded(t *testing.T) {
	dir := tree(t, map[string]string{"real.md": "Go."})
	story.Pipe(t, filepath.Join(dir, "pipe.md"))
	if err := os.Symlink(filepath.Join(dir, "real.md"), filepath.Join(dir, "whole.md")); err != nil {
		t.Fatal(err)
	}
	b := &Builder{Source: Source{Text: `{{include "pipe.md"}}`}, Template: true, Tree: dir}
	wantIn(t, refusal(t, b).Error(), "pipe.md cannot be included: it is a named pipe, not a file")
	b.Source.Text = `{{include "whole.md"}}`
	if got := build(t, b, loop.State{}, 1).Text; got != "Go." {
		t.Errorf("a link within the work tree gives %q", got)
	}
}

func TestAPromptIsNotReadAfterTheEnd(t *testing.T) {
	dir := tree(t, map[string]string{"PROMPT.md": "Go."})
	asked := errors.New("asked")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(asked)
	if _, err := templated(dir).Build(ctx, loop.State{}, 1, nil); !errors.Is(err, asked) {
		t.Errorf("Build = %v, want the cause of the end", err)
	}
}
