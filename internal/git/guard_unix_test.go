//go:build unix

package git

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

// Nobody waits for the other end of a pipe that lies where a file should be.
func TestPipesInTheGitFolderAreRemoved(t *testing.T) {
	t.Parallel()
	f, tree, was := noted(t)
	before := f.guardedText(f.path(".git"))
	for _, name := range []string{"config", "info/exclude", "hooks/pre-commit", "hooks/new"} {
		_ = os.Remove(f.path(".git/" + name)) // one is new
		f.must(syscall.Mkfifo(f.path(".git/"+name), 0o600))
	}
	done, err := tree.Guard().PutBack(t.Context(), was)
	f.must(err)
	if want := []string{"config", "hooks/new", "hooks/pre-commit", "info/exclude"}; !slices.Equal(done.What, want) {
		t.Errorf("PutBack = %+v, want %q", done, want)
	}
	if got := f.guardedText(f.path(".git")); got != before {
		t.Errorf("it is now\n%s\nand was\n%s", got, before)
	}
}

func TestAPipeInTheGitFolderIsRemoved(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.git("worktree", "add", "-q", f.path("../tree"))
	t.Cleanup(func() { os.RemoveAll(f.path("../tree")) })
	f.must(os.MkdirAll(f.path(".git/hooks"), 0o700))
	f.must(os.Symlink(os.DevNull, f.path(".git/hooks/pre-push"))) // as people switch one off
	tree := f.open()
	was, err := tree.Guard().Files(t.Context())
	f.must(err)
	outside := filepath.Join(t.TempDir(), "outside")
	for _, at := range []string{outside, f.path(".git/commondir"), f.path(".git/packed-refs"), f.path(".git/refs/heads/x"), f.path(".git/worktrees/tree/index.x")} {
		f.must(syscall.Mkfifo(at, 0o600))
	}
	f.must(os.Symlink(outside, f.path(".git/objects/info/alternates")))

	done, err := tree.Guard().PutBack(t.Context(), was)
	f.must(err)
	want := []string{"commondir (a pipe, removed)", "objects/info/alternates (a pipe, removed)", "packed-refs (a pipe, removed)", "refs/heads/x (a pipe, removed)"}
	if !slices.Equal(done.What, want) || done.Lost {
		t.Errorf("PutBack = %+v, want %q", done, want)
	}
	for _, at := range []string{outside, f.path(".git/hooks/pre-push"), f.path(".git/worktrees/tree/index.x")} {
		if _, err := os.Lstat(at); err != nil {
			t.Errorf("%s is gone", at)
		}
	}
	if _, _, err := tree.Status(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestATreeIsNotOpenedThroughAPipe(t *testing.T) {
	t.Parallel()
	for _, name := range alwaysRead {
		f := newRepository(t)
		f.must(os.RemoveAll(f.path(".git/" + name)))
		f.must(syscall.Mkfifo(f.path(".git/"+name), 0o600))
		_, err := Open(t.Context(), f.dir, nil)
		var pipe *PipeError
		if !errors.As(err, &pipe) || pipe.Path != f.path(".git/"+name) {
			t.Errorf("%s: Open says %v", name, err)
		}
		if _, err := OpenKept(t.Context(), f.dir); err != nil {
			t.Errorf("%s: OpenKept says %v", name, err)
		}
	}
}

// Who looks while the settings are put back finds them, as they were or as they
// are to be.
func TestSettingsAreNeverMissing(t *testing.T) {
	dir := t.TempDir()
	at := filepath.Join(dir, configFile)
	if err := os.WriteFile(at, []byte("[core]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	note, err := noteOf(t.Context(), dir, configFile)
	if err != nil {
		t.Fatal(err)
	}
	written := make(chan error, 1)
	go func() {
		var err error
		for range 200 {
			err = errors.Join(err, writeNote(dir, configFile, note))
		}
		written <- err
	}()
	var missed error
	for done := false; !done; {
		text, err := os.ReadFile(at)
		if err == nil && string(text) != "[core]\n" {
			err = fmt.Errorf("they are %q", text)
		}
		if err != nil {
			missed = err
		}
		select {
		case err := <-written:
			if done = true; err != nil {
				t.Error(err)
			}
		default:
		}
	}
	if missed != nil {
		t.Errorf("the settings could not be read at all times: %v", missed)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the folder has %v (%v), want the settings alone", entries, err)
	}
}
