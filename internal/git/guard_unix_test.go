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
	before := f.guardedText(f.Path(".git"))
	for _, name := range []string{"config", "info/exclude", "hooks/pre-commit", "hooks/new"} {
		_ = os.Remove(f.Path(".git/" + name)) // one is new
		f.Must(syscall.Mkfifo(f.Path(".git/"+name), 0o600))
	}
	done, err := tree.Guard().PutBack(t.Context(), was)
	f.Must(err)
	if want := []string{"config", "hooks/new", "hooks/pre-commit", "info/exclude"}; !slices.Equal(done.What, want) {
		t.Errorf("PutBack = %+v, want %q", done, want)
	}
	if got := f.guardedText(f.Path(".git")); got != before {
		t.Errorf("it is now\n%s\nand was\n%s", got, before)
	}
}

func TestAPipeInTheGitFolderIsRemoved(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.Git("worktree", "add", "-q", f.Path("../tree"))
	t.Cleanup(func() { os.RemoveAll(f.Path("../tree")) })
	f.Must(os.MkdirAll(f.Path(".git/hooks"), 0o700))
	f.Must(os.Symlink(os.DevNull, f.Path(".git/hooks/pre-push"))) // as people switch one off
	tree := f.open()
	was, err := tree.Guard().Files(t.Context())
	f.Must(err)
	outside := filepath.Join(t.TempDir(), "outside")
	for _, at := range []string{outside, f.Path(".git/commondir"), f.Path(".git/packed-refs"), f.Path(".git/refs/heads/x"), f.Path(".git/worktrees/tree/index.x")} {
		f.Must(syscall.Mkfifo(at, 0o600))
	}
	f.Must(os.Symlink(outside, f.Path(".git/objects/info/alternates")))

	done, err := tree.Guard().PutBack(t.Context(), was)
	f.Must(err)
	want := []string{"commondir", "objects/info/alternates (a pipe, removed)", "packed-refs (a pipe, removed)", "refs/heads/x (a pipe, removed)"}
	if !slices.Equal(done.What, want) || done.Lost {
		t.Errorf("PutBack = %+v, want %q", done, want)
	}
	for _, at := range []string{outside, f.Path(".git/hooks/pre-push"), f.Path(".git/worktrees/tree/index.x")} {
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
		f.Must(os.RemoveAll(f.Path(".git/" + name)))
		f.Must(syscall.Mkfifo(f.Path(".git/"+name), 0o600))
		_, err := Open(t.Context(), f.Dir, nil)
		var pipe *PipeError
		if !errors.As(err, &pipe) || pipe.Path != f.Path(".git/"+name) {
			t.Errorf("%s: Open says %v", name, err)
		}
		if _, err := OpenKept(t.Context(), f.Dir); err != nil {
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
