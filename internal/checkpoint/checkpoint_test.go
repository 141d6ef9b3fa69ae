package checkpoint

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
)

// holds tells what a checkpoint holds under a name.
func (f folder) holds(s *Store, c Checkpoint, name string) string {
	f.T.Helper()
	out, err := s.repo.run(f.T.Context(), git.Command{}, "cat-file", "blob", c.ID+":"+name)
	f.Must(err)
	return string(out)
}

// holdsID is the name of what a checkpoint has at a path.
func (f folder) holdsID(s *Store, c Checkpoint, name string) string {
	f.T.Helper()
	files, err := s.Trees().Paths(f.T.Context(), c.Tree)
	f.Must(err)
	return files[name].Object
}

// list is everything below a folder of the repository with what it holds and
// when it was written; but for objects, which have no history: git notes on
// them that somebody needs them.
func (f folder) list(root string) string {
	f.T.Helper()
	var b strings.Builder
	f.Must(filepath.WalkDir(f.Path(root), func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text, err := os.ReadFile(at)
		if err != nil {
			return err
		}
		written := info.ModTime().UnixNano()
		if strings.Contains(filepath.ToSlash(at), "/objects/") {
			written = 0
		}
		fmt.Fprintf(&b, "%s %v %v %x\n", at, info.Mode(), written, sha256.Sum256(text))
		return nil
	}))
	return b.String()
}

func TestEverythingAtOnce(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs modes")
	}
	f := newRepository(t)
	text := strings.Repeat("a line\n", 30)
	for _, name := range []string{"edited", "moved", "removed", "mode"} {
		f.Write(name, name+"\n"+text)
	}
	f.Commit("files")
	f.Write("staged", "staged")
	f.Git("stash", "-q", "-u")
	s := f.keep(f.open())
	before := f.checkpoint(s)

	f.Write("edited", "edited\n"+text+"more\n")
	f.Write("created", "new\n")
	f.Must(os.Remove(f.Path("removed")))
	f.Must(os.Rename(f.Path("moved"), f.Path("there")))
	f.Must(os.Chmod(f.Path("mode"), 0o755))
	f.Git("checkout", "-q", "-b", "other")
	f.Commit("work")
	f.Git("commit", "-q", "--amend", "-m", "better words")
	f.Write("after", "not committed\n")
	f.Write("b.txt", "staged")
	f.Git("add", "b.txt")
	f.Write("build/out", "ignored")

	left := f.list(".git")
	after := f.checkpoint(s)
	c := f.changes(s, before, after)
	want := []string{
		"created after", "modified b.txt", "created created", "modified edited",
		"mode mode", "deleted removed", "renamed there from moved", "commits 1",
	}
	if got := says(c); !slices.Equal(got, want) {
		t.Errorf("changes = %q, want %q", got, want)
	}
	if c.Created != 2 || c.Modified != 4 || c.Deleted != 1 || c.LinesAdded != 4 || c.LinesRemoved != 32 {
		t.Errorf("counted %+v", c)
	}
	if got := f.list(".git"); got != left {
		t.Errorf("the user's repository was written to\nbefore:\n%s\nafter:\n%s", left, got)
	}
	if _, _, err := s.Restore(t.Context(), before); err != nil {
		t.Fatal(err)
	}
	if got := says(f.changes(s, before, f.checkpoint(s))); !slices.Equal(got, []string{"commits 1"}) {
		t.Errorf("after the restore the changes are %q", got)
	}
	if got := f.list(".git"); got != left {
		t.Error("the restore wrote to the user's repository")
	}
}

func TestGarbageCollectionBreaksNoCheckpoint(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.Write("c", "kept")
	f.Commit("second")
	s := f.keep(f.open())
	first := f.checkpoint(s)
	f.Write("c", "other")
	f.Commit("third")
	second := f.checkpoint(s)
	f.Git("reset", "-q", "--hard", "HEAD~2")
	f.CommitEmpty("instead")
	f.Git("reflog", "expire", "--expire=now", "--all")
	f.Git("gc", "-q", "--prune=now")
	third := f.checkpoint(s)
	for _, tt := range []struct {
		from, to Checkpoint
		want     []string
	}{
		{first, second, []string{"modified c", "commits 1"}},
		{second, third, []string{"deleted c", "commits 1"}},
		{third, first, []string{"created c", "commits 1"}},
	} {
		if got := says(f.changes(s, tt.from, tt.to)); !slices.Equal(got, tt.want) {
			t.Errorf("changes = %q, want %q", got, tt.want)
		}
	}
	if _, _, err := s.Restore(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	if got := f.Read("c"); got != "kept" {
		t.Errorf("c holds %q after the restore", got)
	}
}

func TestFilesAreKeptAsTheyAreOnDisk(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, attributes string
		config           []string
		clean            string // what the user's repository holds for "raw"
	}{
		{"lines that end as in DOS", "*.x text\n", nil, "a\nb\n"},
		{"by the setting", "", []string{"core.autocrlf", "input"}, "a\nb\n"},
		{"found automatically", "* text=auto\n", nil, "a\nb\n"},
		{"a filter", "*.x filter=upper\n", []string{"filter.upper.clean", "tr a-z A-Z"}, "A\r\nB\r\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newRepository(t)
			if tt.config != nil {
				f.Git("config", tt.config[0], tt.config[1])
			}
			f.Write(".gitattributes", tt.attributes)
			f.Write("tracked.x", "a\r\nb\r\n")
			f.Commit("converted")
			f.Git("status") // which makes git trust what it knows
			if got := f.Output("cat-file", "blob", "HEAD:tracked.x"); got != strings.TrimSpace(tt.clean) {
				t.Fatalf("the user's repository holds %q", got)
			}
			f.Write("new.x", "c\r\n")
			s := f.keep(f.open())
			c := f.checkpoint(s)
			for name, want := range map[string]string{"tracked.x": "a\r\nb\r\n", "new.x": "c\r\n"} {
				if got := f.holds(s, c, name); got != want {
					t.Errorf("the checkpoint holds %q as %q, want %q", name, got, want)
				}
			}
			f.Write("tracked.x", "other")
			if _, _, err := s.Restore(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			if got := f.Read("tracked.x"); got != "a\r\nb\r\n" {
				t.Errorf("restored %q", got)
			}
		})
	}
}

func TestARacyEditIsSeen(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	s := f.keep(f.open())
	for i := range 10 { // all within one second, as git may see it
		before := f.checkpoint(s)
		f.Must(os.WriteFile(f.Path("a.txt"), []byte{'0' + byte(i), '1', '2'}, 0o600))
		if got := says(f.changes(s, before, f.checkpoint(s))); !slices.Equal(got, []string{"modified a.txt"}) {
			t.Fatalf("changes = %q", got)
		}
	}
}

func TestARacyEditBeforeTheFirstCheckpointIsSeen(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.Must(os.WriteFile(f.Path("a.txt"), []byte("one"), 0o600))
	f.Git("add", "a.txt")
	f.Must(os.WriteFile(f.Path("a.txt"), []byte("two"), 0o600))
	s := f.keep(f.open())
	if got := f.holds(s, f.checkpoint(s), "a.txt"); got != "two" {
		t.Errorf("the checkpoint holds %q", got)
	}
}

func TestWhoeverWasKilledLeftALock(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	s := f.keep(f.open())
	before := f.checkpoint(s)
	f.Write("a.txt", "edited")
	f.Must(os.WriteFile(s.repo.index()+".lock", nil, 0o600))
	if got := says(f.changes(s, before, f.checkpoint(s))); !slices.Equal(got, []string{"modified a.txt"}) {
		t.Errorf("with a lock left behind: changes = %q", got)
	}

	// Killed between the index and the commit.
	f.Write("b.txt", "edited")
	_, err := s.repo.run(t.Context(), git.Command{}, "update-index", "b.txt")
	f.Must(err)
	if got := says(f.changes(s, before, f.checkpoint(s))); !slices.Equal(got, []string{"modified a.txt", "modified b.txt"}) {
		t.Errorf("with an index ahead: changes = %q", got)
	}

	// A power loss.
	f.Must(os.WriteFile(s.repo.index(), nil, 0o600))
	f.Write("c.txt", "")
	if got := says(f.changes(s, before, f.checkpoint(s))); !slices.Equal(got, []string{"modified a.txt", "modified b.txt", "created c.txt"}) {
		t.Errorf("with an empty index: changes = %q", got)
	}

	// Killed while the store was made.
	dir := filepath.Join(t.TempDir(), "objects")
	f.Must(os.MkdirAll(dir+".new/objects", 0o700))
	f.Must(os.WriteFile(dir+".new/HEAD", nil, 0o600))
	again, err := OpenStore(t.Context(), f.open(), dir, "")
	f.Must(err)
	f.checkpoint(again)
}

func TestARepositoryWithoutACommit(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.Git("init", "-q")
	s := f.keep(f.open())
	empty := f.checkpoint(s)
	if empty.Head != "" {
		t.Errorf("head = %q before the first commit", empty.Head)
	}
	f.Write("a", "1")
	first := f.checkpoint(s)
	if got := says(f.changes(s, empty, first)); !slices.Equal(got, []string{"created a"}) {
		t.Errorf("changes = %q", got)
	}
	f.Commit("first")
	second := f.checkpoint(s)
	if got := says(f.changes(s, first, second)); !slices.Equal(got, []string{"commits 1"}) || second.Head == "" || second.Tree != first.Tree {
		t.Errorf("changes = %q, %+v", got, second)
	}
	if _, _, err := s.Restore(t.Context(), empty); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(f.Path("a")); err == nil {
		t.Error("a is there after a restore to nothing")
	}
}

func TestObjectsAreNamedAsTheUsersAre(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.Git("init", "-q", "--object-format=sha256")
	f.Write("a", "1")
	f.Commit("first")
	s := f.keep(f.open())
	before := f.checkpoint(s)
	f.Write("a", "2")
	after := f.checkpoint(s)
	if got := says(f.changes(s, before, after)); !slices.Equal(got, []string{"modified a"}) || len(after.ID) != 64 {
		t.Errorf("changes = %q, id = %s", got, after.ID)
	}
	if _, _, err := s.Restore(t.Context(), before); err != nil {
		t.Fatal(err)
	}
	p := f.checkout(s, before.Tree)
	f.cleanHolds(p, map[string]string{"a": "1"})
}

func TestOnlyTheFolderOfTheRunCounts(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.Write("sub [x]/in", "1")
	f.Commit("second")
	tree, err := git.Open(t.Context(), f.Path("sub [x]"), nil)
	f.Must(err)
	s := f.keep(tree)
	before := f.checkpoint(s)
	f.Write("a.txt", "outside")
	f.Write("out", "outside")
	f.Write("sub [x]/in", "2")
	f.Write("sub [x]/new", "2")
	after := f.checkpoint(s)
	want := []string{"modified in", "created new"}
	if got := says(f.changes(s, before, after)); !slices.Equal(got, want) {
		t.Errorf("changes = %q, want %q", got, want)
	}
	if got := f.holds(s, after, "out"); got != "outside" {
		t.Errorf("the checkpoint holds %q from outside of the folder", got)
	}
	var diff strings.Builder
	f.Must(s.Diff(t.Context(), &diff, before, after, DiffOptions{}))
	if got := diff.String(); strings.Contains(got, "outside") || strings.Contains(got, "sub") || !strings.Contains(got, "+++ b/new") {
		t.Errorf("diff = %s", got)
	}
	if _, _, err := s.Restore(t.Context(), before); err != nil {
		t.Fatal(err)
	}
	if in, out := f.Read("sub [x]/in"), f.Read("a.txt"); in != "1" || out != "outside" {
		t.Errorf("restored %q inside and %q outside of the folder", in, out)
	}
	pinned, err := s.Trees().PinnedTree(t.Context(), after, Pin{Patterns: []string{"*"}, First: before})
	f.Must(err)
	p := f.checkout(s, pinned)
	if got, err := os.ReadFile(filepath.Join(p.Dir(), "in")); err != nil || string(got) != "1" {
		t.Errorf("the clean checkout holds %q, %v", got, err)
	}
	if got, err := os.ReadFile(filepath.Join(p.top, "out")); err != nil || string(got) != "outside" {
		t.Errorf("the clean checkout holds %q, %v outside of the folder", got, err)
	}
}

func TestALinkedWorkTree(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	linked := folderAt(t, filepath.Join(t.TempDir(), "linked"))
	f.Git("worktree", "add", "-q", linked.Dir)
	s := linked.keep(linked.open())
	before := linked.checkpoint(s)
	linked.Write("c", "1")
	linked.Commit("in the linked one")
	f.Write("d", "in the main one")
	if got := says(linked.changes(s, before, linked.checkpoint(s))); !slices.Equal(got, []string{"created c", "commits 1"}) {
		t.Errorf("changes = %q", got)
	}
}

func TestARepositoryThatBorrowsObjects(t *testing.T) {
	t.Parallel()
	lender := newRepository(t)
	f := folderAt(t, filepath.Join(t.TempDir(), "borrower"))
	lender.Git("clone", "-q", "--shared", lender.Dir, f.Dir)
	s := f.keep(f.open())
	before := f.checkpoint(s)
	f.Write("a.txt", "edited")
	f.checkpoint(s)
	if _, _, err := s.Restore(t.Context(), before); err != nil {
		t.Fatal(err)
	}
	if got := f.Read("a.txt"); got != "one" {
		t.Errorf("restored %q", got)
	}
}

func TestUnusualIndexes(t *testing.T) {
	t.Parallel()
	inFolders := func(f folder) {
		f.Write("in/x", "1")
		f.Write("out/y", "1")
		f.Commit("folders")
	}
	sparse := func(args ...string) func(folder) {
		return func(f folder) {
			inFolders(f)
			f.Git(append([]string{"sparse-checkout", "set"}, args...)...)
		}
	}
	for _, h := range []happening{
		{"a sparse checkout", sparse("--no-cone", "/in/", "/a.txt"), func(f folder) { f.Write("in/x", "2") }, []string{"modified in/x"}},
		{"a sparse index", sparse("--cone", "--sparse-index", "in"), func(f folder) { f.Write("in/x", "2") }, []string{"modified in/x"}},
		{"a file outside of a sparse checkout", sparse("--cone", "in"), func(f folder) { f.Write("out/y", "2") }, []string{"modified out/y"}},
		{"a sparse checkout of files that git converts", func(f folder) { f.Write(".gitattributes", "* text=auto\n"); sparse("--cone", "in")(f) }, func(f folder) { f.Write("in/x", "2") }, []string{"modified in/x"}},
		{"a sparse checkout that ends", sparse("--cone", "in"), func(f folder) { f.Git("sparse-checkout", "disable") }, nil},
		{"a split index", func(f folder) {
			f.Git("config", "core.splitIndex", "true")
			inFolders(f)
			f.Git("update-index", "--split-index")
			f.Write("in/x", "2")
			f.Git("add", "-A")
		}, func(f folder) { f.Write("in/x", "3") }, []string{"modified in/x"}},
		{"the fourth version", func(f folder) { inFolders(f); f.Git("update-index", "--index-version", "4") }, func(f folder) { f.Write("in/x", "3") }, []string{"modified in/x"}},
		{"an untracked cache", func(f folder) { inFolders(f); f.Git("update-index", "--untracked-cache"); f.Git("status") }, func(f folder) { f.Write("in/z", "3") }, []string{"created in/z"}},
	} {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			f := newRepository(t)
			h.before(f)
			h.before = nil
			left := f.Read(".git/index")
			s := f.keep(f.open())
			if got := f.holds(s, f.checkpoint(s), "out/y"); got != "1" {
				t.Errorf("the checkpoint holds %q as out/y", got)
			}
			h.check(t, f, s)
			if f.Read(".git/index") != left && h.want != nil {
				t.Error("the user's index was written")
			}
		})
	}
}

// Whenever the runner is killed, the next one goes on.
func TestKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.Write("deep/x", "1")
	tree := f.open()
	dir := filepath.Join(t.TempDir(), "objects")
	killed := errors.New("killed")
	for n, done := 1, false; !done; n++ {
		calls := 0
		mortal := tree.Through(func(ctx context.Context, spec proc.Spec) (loop.Exit, error) {
			if calls++; calls < n {
				return proc.Run(ctx, spec)
			}
			if calls == n && n%2 == 0 { // killed when git was done, else before
				_, _ = proc.Run(ctx, spec)
			}
			return loop.Exit{}, killed
		})
		// Some work, a checkpoint, more work, and back.
		f.Write("deep/x", fmt.Sprint(n))
		f.Commit("work")
		err := func() error {
			s, err := OpenStore(t.Context(), mortal, dir, "")
			if err != nil {
				return err
			}
			before, err := s.Checkpoint(t.Context())
			if err != nil {
				return err
			}
			f.Write("deep/x", "more")
			f.Write("new", "")
			_, _, err = s.Restore(t.Context(), before)
			return err
		}()
		if done = err == nil; !done && !errors.Is(err, killed) {
			t.Fatal(err)
		}
		f.Write("deep/x", fmt.Sprint("after ", n))
		s, err := OpenStore(t.Context(), tree, dir, "")
		f.Must(err)
		if got := f.holds(s, f.checkpoint(s), "deep/x"); got != fmt.Sprint("after ", n) {
			t.Fatalf("killed at call %d: the checkpoint after it holds %q", n, got)
		}
	}
}
