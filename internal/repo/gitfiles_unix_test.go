//go:build unix

package repo

import (
	"os"
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
	done, err := tree.PutGitBack(t.Context(), was)
	f.must(err)
	if want := []string{"config", "hooks/new", "hooks/pre-commit", "info/exclude"}; !slices.Equal(done.What, want) {
		t.Errorf("PutGitBack = %+v, want %q", done, want)
	}
	if got := f.guardedText(f.path(".git")); got != before {
		t.Errorf("it is now\n%s\nand was\n%s", got, before)
	}
}
