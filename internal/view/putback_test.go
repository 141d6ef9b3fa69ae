package view

import (
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestWhatWasPutBackIsRemembered(t *testing.T) {
	run := New()
	if got := run.PutBack(); got != "" {
		t.Errorf("PutBack = %q before anything happened", got)
	}
	for _, key := range []string{loop.PutBackKey + "hooks/x", loop.UnseenKey, loop.LostGitKey} {
		run.Apply(loop.Event{Payload: &loop.Warning{Key: key}})
	}
	if got, want := run.PutBack(), "hooks/x; nothing of .git, which is gone or another one"; got != want {
		t.Errorf("PutBack = %q, want %q", got, want)
	}
}

func TestWhatIsNotUsedOfGitIsRemembered(t *testing.T) {
	run := New()
	for _, key := range []string{loop.PutBackKey + "hooks/x", loop.UnusedGitKey + "~/.gitconfig", loop.UnusedGitKey + ".husky/pre-commit"} {
		run.Apply(loop.Event{Payload: &loop.Warning{Key: key}})
	}
	if got, want := run.UnusedGit(), "~/.gitconfig, .husky/pre-commit"; got != want {
		t.Errorf("UnusedGit = %q, want %q", got, want)
	}
}
