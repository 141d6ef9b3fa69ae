package checkpoint

import (
	"os"
	"slices"
	"testing"

	"go.uber.org/goleak"

	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/story"
)

func TestMain(m *testing.M) {
	if store := os.Getenv(packAlone); store != "" {
		os.Exit(packOnce(store))
	}
	story.GitWorld()
	goleak.VerifyTestMain(m)
}

// folder is a work tree that a test acts on.
type folder struct{ story.Folder }

func newFolder(t testing.TB) folder {
	t.Helper()
	return folder{story.NewFolder(t)}
}

func folderAt(t testing.TB, dir string) folder { return folder{story.Folder{T: t, Dir: dir}} }

func newRepository(t testing.TB) folder {
	t.Helper()
	return folder{story.NewRepository(t)}
}

func (f folder) open(ignore ...string) *git.Tree {
	f.T.Helper()
	tree, err := git.Open(f.T.Context(), f.Dir, ignore)
	f.Must(err)
	return tree
}

func (f folder) print(tree *git.Tree) git.Fingerprint {
	f.T.Helper()
	p, err := git.FingerprintOf(f.T.Context(), tree)
	f.Must(err)
	return p
}

// episode is something that happens to a work tree, and how it should look.
type episode struct {
	name   string
	before func(folder)
	act    func(folder)
	want   []loop.ProgressBy
}

var (
	nothing = []loop.ProgressBy(nil)
	inFiles = []loop.ProgressBy{loop.InFiles}
	commits = []loop.ProgressBy{loop.InCommits}
	both    = []loop.ProgressBy{loop.InFiles, loop.InCommits}
)

func (s episode) check(t *testing.T, f folder, tree *git.Tree) {
	t.Helper()
	f.T = t
	if s.before != nil {
		s.before(f)
	}
	before := f.print(tree)
	if again := f.print(tree); before != again {
		t.Fatalf("two prints of the same tree differ: %+v, %+v", before, again)
	}
	s.act(f)
	if got := before.Signals(f.print(tree)); !slices.Equal(got, s.want) {
		t.Errorf("signals = %q, want %q", got, s.want)
	}
}

func (f folder) hook(name, script string) {
	f.T.Helper()
	f.Write(".git/hooks/"+name, "#!/bin/sh\n"+script+"\n")
	f.Must(os.Chmod(f.Path(".git/hooks/"+name), 0o700))
}
