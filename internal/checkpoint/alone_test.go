package checkpoint

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/git"
)

// losses are ways in which an agent loses the user's repository.
var losses = []struct {
	name string
	act  func(f folder, elsewhere string)
}{
	{"deleted", func(f folder, _ string) { f.Must(os.RemoveAll(f.Path(".git"))) }},
	{"made anew", func(f folder, _ string) {
		f.Must(os.RemoveAll(f.Path(".git")))
		f.Git("init", "-q", "--template=")
	}},
	{"made anew with a commit", func(f folder, _ string) {
		f.Must(os.RemoveAll(f.Path(".git")))
		f.Git("init", "-q", "--template=")
		f.Commit("other")
	}},
	{"all deleted", func(f folder, _ string) {
		entries, err := os.ReadDir(f.Dir)
		f.Must(err)
		for _, e := range entries {
			f.Must(os.RemoveAll(f.Path(e.Name())))
		}
	}},
	{"called bare", func(f folder, _ string) { f.Git("config", "core.bare", "true") }},
	{"sent elsewhere", func(f folder, elsewhere string) { f.Git("config", "core.worktree", elsewhere) }},
	{"sent to the folder above", func(f folder, _ string) { f.Git("config", "core.worktree", "../..") }},
	{"with settings that nobody can read", func(f folder, _ string) { f.Write(".git/config", "[core\n") }},
	{"without a HEAD", func(f folder, _ string) { f.Must(os.Remove(f.Path(".git/HEAD"))) }},
	{"with a HEAD of nonsense", func(f folder, _ string) { f.Write(".git/HEAD", "nonsense") }},
}

// What a run has kept is there whatever becomes of the user's repository, and so
// is what comes after: in the live run, and for whoever opens the store later.
func TestTheStoreNeedsNoRepositoryOfTheUsers(t *testing.T) {
	t.Parallel()
	for _, loss := range losses {
		for _, below := range []string{"", "sub"} {
			t.Run(strings.TrimSpace(loss.name+" "+below), func(t *testing.T) {
				t.Parallel()
				f := newFolder(t)
				f.Dir = f.Path("proj") // so that the folder above is ours too
				f.Must(os.Mkdir(f.Dir, 0o700))
				f.Git("init", "-q", "--template=")
				f.Write(".gitignore", "*.log\n")
				f.Write("a.txt", "one")
				f.Write("sub/b.txt", "two")
				f.Commit("first")
				f.Write(".git/info/exclude", "private\n")
				f.Write("private", "mine")
				elsewhere := folderAt(t, t.TempDir())
				elsewhere.Write("a.txt", "theirs")

				work := folderAt(t, f.Path(below))
				s := work.keep(work.open())
				first := f.checkpoint(s)
				f.Write("sub/b.txt", "changed")
				second := f.checkpoint(s)

				loss.act(f, elsewhere.Dir)
				work.Write("new.txt", "after the loss")
				live := f.checkpoint(s)
				if got := f.holds(s, live, s.tree.Prefix()+"new.txt"); got != "after the loss" {
					t.Errorf("in the live run new.txt is kept as %q", got)
				}
				if _, err := s.Changes(t.Context(), second, live); err != nil {
					t.Errorf("changes in the live run: %v", err)
				}

				tree, err := git.OpenKept(t.Context(), work.Dir)
				f.Must(err)
				again, err := OpenStore(t.Context(), tree, s.dir, "")
				f.Must(err)
				if !again.CanRestore() {
					t.Fatal("the store is taken for one of lists")
				}
				loaded, err := again.Load(t.Context(), first.ID)
				f.Must(err)
				var diff bytes.Buffer
				f.Must(again.Diff(t.Context(), &diff, loaded, second, DiffOptions{}))
				if !strings.Contains(diff.String(), "+changed") {
					t.Errorf("the difference is %q", diff.String())
				}
				want := []string{"modified " + strings.TrimPrefix("sub/b.txt", again.tree.Prefix())}
				if got := says(f.changes(again, loaded, second)); !slices.Equal(got, want) {
					t.Errorf("changes = %q, want %q", got, want)
				}
				_, _, err = again.Restore(t.Context(), loaded)
				f.Must(err)
				if got := f.Read("sub/b.txt"); got != "two" {
					t.Errorf("sub/b.txt = %q after the restore", got)
				}
				if _, err := os.Lstat(work.Path("new.txt")); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("new.txt is still there: %v", err)
				}
				if got := elsewhere.Read("a.txt"); got != "theirs" {
					t.Errorf("elsewhere a.txt = %q", got)
				}
				if entries, _ := os.ReadDir(elsewhere.Dir); len(entries) != 1 {
					t.Errorf("elsewhere has %v", entries)
				}
				if entries, _ := os.ReadDir(filepath.Dir(f.Dir)); len(entries) != 1 {
					t.Errorf("the folder above has %v", entries)
				}
				_, err = again.Checkout(t.Context(), filepath.Join(t.TempDir(), "clean"), first.Tree)
				f.Must(err)
			})
		}
	}
}

// A commit that the agent made before it lost the repository is counted later.
func TestCommitsAreCountedWithoutTheRepository(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	s := f.keep(f.open())
	first := f.checkpoint(s)
	f.Write("a.txt", "changed")
	f.Commit("more")
	second := f.checkpoint(s)
	f.Must(os.RemoveAll(f.Path(".git")))
	third := f.checkpoint(s)
	if got := says(f.changes(s, first, second)); !slices.Equal(got, []string{"modified a.txt", "commits 1"}) {
		t.Errorf("changes before the loss = %q", got)
	}
	if got := says(f.changes(s, second, third)); got != nil {
		t.Errorf("changes by the loss = %q", got)
	}
}

// When the repository is deleted, git must not take one that lies further up.
func TestGitDoesNotLookFurtherUp(t *testing.T) {
	t.Parallel()
	above := newRepository(t)
	f := folderAt(t, above.Path("proj"))
	f.Must(os.Mkdir(f.Dir, 0o700))
	f.Git("init", "-q", "--template=")
	f.Write("a.txt", "one")
	f.Commit("first")
	tree := f.open()
	f.Must(os.RemoveAll(f.Path(".git")))
	f.Write("a.txt", "two")
	if commit, err := tree.Commit(t.Context(), git.CommitOptions{Message: "work"}); err == nil {
		t.Errorf("a commit is made in the repository above: %q", commit)
	}
	if got := above.Output("log", "--format=%s"); got != "first" {
		t.Errorf("the repository above has the commits %q", got)
	}
}

func TestTheKindOfAStoreIsThatOfItsFiles(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.Write("a.txt", "one")
	s := f.keep(f.open())
	first := f.checkpoint(s)
	f.Git("init", "-q", "--template=")
	again, err := OpenStore(t.Context(), f.open(), s.dir, "")
	f.Must(err)
	if again.CanRestore() {
		t.Error("a store of lists is taken for a repository")
	}
	f.Write("a.txt", "two")
	if got := says(f.changes(again, first, f.checkpoint(again))); !slices.Equal(got, []string{"modified a.txt"}) {
		t.Errorf("changes = %q", got)
	}
}

// A store of an older version does not say for which repository it was made.
func TestAnOldStoreIsOpened(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		f := newFolder(t)
		f.Git("init", "-q", "--template=", "--object-format="+format)
		f.Write("a.txt", "one")
		f.Commit("first")
		s := f.keep(f.open())
		first := f.checkpoint(s)
		f.Must(os.Remove(filepath.Join(s.dir, madeForFile)))
		f.Write("a.txt", "two")
		for _, act := range []func(){func() {}, func() { f.Must(os.RemoveAll(f.Path(".git"))) }} {
			act()
			again, err := OpenStore(t.Context(), f.open(), s.dir, "")
			f.Must(err)
			if got := says(f.changes(again, first, f.checkpoint(again))); !slices.Equal(got, []string{"modified a.txt"}) {
				t.Errorf("%s: changes = %q", format, got)
			}
		}
	}
}

func TestAStoreThatIsDeletedIsSaidToBe(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	s, err := OpenStore(t.Context(), f.open(), f.Path(".git/refrain/runs/r/objects"), "")
	f.Must(err)
	f.checkpoint(s)
	f.Must(os.RemoveAll(f.Path(".git")))
	_, err = s.Checkpoint(t.Context())
	var gone *GoneError
	if !errors.As(err, &gone) || gone.Path != s.dir {
		t.Errorf("Checkpoint = %v, want that the store is gone", err)
	}
	f.Git("init", "-q")
	if _, err := s.Checkpoint(t.Context()); err == nil {
		t.Error("a new repository is taken for the old one")
	}
}
