package git

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/refrain-loop/refrain/internal/story"
)

func TestMain(m *testing.M) {
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

func (f folder) open(ignore ...string) *Tree {
	f.T.Helper()
	tree, err := Open(f.T.Context(), f.Dir, ignore)
	f.Must(err)
	return tree
}
