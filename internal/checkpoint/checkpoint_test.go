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
	f.t.Helper()
	out, err := s.repo.run(f.t.Context(), git.Command{}, "cat-file", "blob", c.ID+":"+name)
	f.must(err)
	return string(out)
}

// holdsID is the name of what a checkpoint has at a path.
func (f folder) holdsID(s *Store, c Checkpoint, name string) string {
	f.t.Helper()
	files, err := s.Trees().Paths(f.t.Context(), c.Tree)
	f.must(err)
	return files[name].object
}

// list is everything below a folder of the repository with what it holds and
// when it was written; but for objects, which have no history: git notes on
// them that somebody needs them.
func (f folder) list(root string) string {
	f.t.Helper()
	var b strings.Builder
	f.must(filepath.WalkDir(f.path(root), func(at string, d fs.DirEntry, err error) error {
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
		f.write(name, name+"\n"+text)
	}
	f.commit("files")
	f.write("staged", "staged")
	f.git("stash", "-q", "-u")
	s := f.keep(f.open())
	before := f.checkpoint(s)

	f.write("edited", "edited\n"+text+"more\n")
	f.write("created", "new\n")
	f.must(os.Remove(f.path("removed")))
	f.must(os.Rename(f.path("moved"), f.path("there")))
	f.must(os.Chmod(f.path("mode"), 0o755))
	f.git("checkout", "-q", "-b", "other")
	f.commit("work")
	f.git("commit", "-q", "--amend", "-m", "better words")
	f.write("after", "not committed\n")
	f.write("b.txt", "staged")
	f.git("add", "b.txt")
	f.write("build/out", "ignored")

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
	f.write("c", "kept")
	f.commit("second")
	s := f.keep(f.open())
	first := f.checkpoint(s)
	f.write("c", "other")
	f.commit("third")
	second := f.checkpoint(s)
	f.git("reset", "-q", "--hard", "HEAD~2")
	f.commitEmpty("instead")
	f.git("reflog", "expire", "--expire=now", "--all")
	f.git("gc", "-q", "--prune=now")
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
	if got := f.read("c"); got != "kept" {
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
				f.git("config", tt.config[0], tt.config[1])
			}
			f.write(".gitattributes", tt.attributes)
			f.write("tracked.x", "a\r\nb\r\n")
			f.commit("converted")
			f.git("status") // which makes git trust what it knows
			if got := f.output("cat-file", "blob", "HEAD:tracked.x"); got != strings.TrimSpace(tt.clean) {
				t.Fatalf("the user's repository holds %q", got)
			}
			f.write("new.x", "c\r\n")
			s := f.keep(f.open())
			c := f.checkpoint(s)
			for name, want := range map[string]string{"tracked.x": "a\r\nb\r\n", "new.x": "c\r\n"} {
				if got := f.holds(s, c, name); got != want {
					t.Errorf("the checkpoint holds %q as %q, want %q", name, got, want)
				}
			}
			f.write("tracked.x", "other")
			if _, _, err := s.Restore(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			if got := f.read("tracked.x"); got != "a\r\nb\r\n" {
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
		f.must(os.WriteFile(f.path("a.txt"), []byte{'0' + byte(i), '1', '2'}, 0o600))
		if got := says(f.changes(s, before, f.checkpoint(s))); !slices.Equal(got, []string{"modified a.txt"}) {
			t.Fatalf("changes = %q", got)
		}
	}
}

func TestARacyEditBeforeTheFirstCheckpointIsSeen(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.must(os.WriteFile(f.path("a.txt"), []byte("one"), 0o600))
	f.git("add", "a.txt")
	f.must(os.WriteFile(f.path("a.txt"), []byte("two"), 0o600))
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
	f.write("a.txt", "edited")
	f.must(os.WriteFile(s.repo.index()+".lock", nil, 0o600))
	if got := says(f.changes(s, before, f.checkpoint(s))); !slices.Equal(got, []string{"modified a.txt"}) {
		t.Errorf("with a lock left behind: changes = %q", got)
	}

	// Killed between the index and the commit.
	f.write("b.txt", "edited")
	_, err := s.repo.run(t.Context(), git.Command{}, "update-index", "b.txt")
	f.must(err)
	if got := says(f.changes(s, before, f.checkpoint(s))); !slices.Equal(got, []string{"modified a.txt", "modified b.txt"}) {
		t.Errorf("with an index ahead: changes = %q", got)
	}

	// A power loss.
	f.must(os.WriteFile(s.repo.index(), nil, 0o600))
	f.write("c.txt", "")
	if got := says(f.changes(s, before, f.checkpoint(s))); !slices.Equal(got, []string{"modified a.txt", "modified b.txt", "created c.txt"}) {
		t.Errorf("with an empty index: changes = %q", got)
	}

	// Killed while the store was made.
	dir := filepath.Join(t.TempDir(), "objects")
	f.must(os.MkdirAll(dir+".new/objects", 0o700))
	f.must(os.WriteFile(dir+".new/HEAD", nil, 0o600))
	again, err := OpenStore(t.Context(), f.open(), dir, "")
	f.must(err)
	f.checkpoint(again)
}

func TestARepositoryWithoutACommit(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.git("init", "-q")
	s := f.keep(f.open())
	empty := f.checkpoint(s)
	if empty.Head != "" {
		t.Errorf("head = %q before the first commit", empty.Head)
	}
	f.write("a", "1")
	first := f.checkpoint(s)
	if got := says(f.changes(s, empty, first)); !slices.Equal(got, []string{"created a"}) {
		t.Errorf("changes = %q", got)
	}
	f.commit("first")
	second := f.checkpoint(s)
	if got := says(f.changes(s, first, second)); !slices.Equal(got, []string{"commits 1"}) || second.Head == "" || second.Tree != first.Tree {
		t.Errorf("changes = %q, %+v", got, second)
	}
	if _, _, err := s.Restore(t.Context(), empty); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(f.path("a")); err == nil {
		t.Error("a is there after a restore to nothing")
	}
}

func TestObjectsAreNamedAsTheUsersAre(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.git("init", "-q", "--object-format=sha256")
	f.write("a", "1")
	f.commit("first")
	s := f.keep(f.open())
	before := f.checkpoint(s)
	f.write("a", "2")
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
	f.write("sub [x]/in", "1")
	f.commit("second")
	tree, err := git.Open(t.Context(), f.path("sub [x]"), nil)
	f.must(err)
	s := f.keep(tree)
	before := f.checkpoint(s)
	f.write("a.txt", "outside")
	f.write("out", "outside")
	f.write("sub [x]/in", "2")
	f.write("sub [x]/new", "2")
	after := f.checkpoint(s)
	want := []string{"modified in", "created new"}
	if got := says(f.changes(s, before, after)); !slices.Equal(got, want) {
		t.Errorf("changes = %q, want %q", got, want)
	}
	if got := f.holds(s, after, "out"); got != "outside" {
		t.Errorf("the checkpoint holds %q from outside of the folder", got)
	}
	var diff strings.Builder
	f.must(s.Diff(t.Context(), &diff, before, after, DiffOptions{}))
	if got := diff.String(); strings.Contains(got, "outside") || strings.Contains(got, "sub") || !strings.Contains(got, "+++ b/new") {
		t.Errorf("diff = %s", got)
	}
	if _, _, err := s.Restore(t.Context(), before); err != nil {
		t.Fatal(err)
	}
	if in, out := f.read("sub [x]/in"), f.read("a.txt"); in != "1" || out != "outside" {
		t.Errorf("restored %q inside and %q outside of the folder", in, out)
	}
	pinned, err := s.Trees().PinnedTree(t.Context(), after, Pin{Patterns: []string{"*"}, First: before})
	f.must(err)
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
	linked := folder{t, filepath.Join(t.TempDir(), "linked")}
	f.git("worktree", "add", "-q", linked.dir)
	s := linked.keep(linked.open())
	before := linked.checkpoint(s)
	linked.write("c", "1")
	linked.commit("in the linked one")
	f.write("d", "in the main one")
	if got := says(linked.changes(s, before, linked.checkpoint(s))); !slices.Equal(got, []string{"created c", "commits 1"}) {
		t.Errorf("changes = %q", got)
	}
}

func TestARepositoryThatBorrowsObjects(t *testing.T) {
	t.Parallel()
	lender := newRepository(t)
	f := folder{t, filepath.Join(t.TempDir(), "borrower")}
	lender.git("clone", "-q", "--shared", lender.dir, f.dir)
	s := f.keep(f.open())
	before := f.checkpoint(s)
	f.write("a.txt", "edited")
	f.checkpoint(s)
	if _, _, err := s.Restore(t.Context(), before); err != nil {
		t.Fatal(err)
	}
	if got := f.read("a.txt"); got != "one" {
		t.Errorf("restored %q", got)
	}
}

func TestUnusualIndexes(t *testing.T) {
	t.Parallel()
	inFolders := func(f folder) {
		f.write("in/x", "1")
		f.write("out/y", "1")
		f.commit("folders")
	}
	sparse := func(args ...string) func(folder) {
		return func(f folder) {
			inFolders(f)
			f.git(append([]string{"sparse-checkout", "set"}, args...)...)
		}
	}
	for _, h := range []happening{
		{"a sparse checkout", sparse("--no-cone", "/in/", "/a.txt"), func(f folder) { f.write("in/x", "2") }, []string{"modified in/x"}},
		{"a sparse index", sparse("--cone", "--sparse-index", "in"), func(f folder) { f.write("in/x", "2") }, []string{"modified in/x"}},
		{"a file outside of a sparse checkout", sparse("--cone", "in"), func(f folder) { f.write("out/y", "2") }, []string{"modified out/y"}},
		{"a sparse checkout of files that git converts", func(f folder) { f.write(".gitattributes", "* text=auto\n"); sparse("--cone", "in")(f) }, func(f folder) { f.write("in/x", "2") }, []string{"modified in/x"}},
		{"a sparse checkout that ends", sparse("--cone", "in"), func(f folder) { f.git("sparse-checkout", "disable") }, nil},
		{"a split index", func(f folder) {
			f.git("config", "core.splitIndex", "true")
			inFolders(f)
			f.git("update-index", "--split-index")
			f.write("in/x", "2")
			f.git("add", "-A")
		}, func(f folder) { f.write("in/x", "3") }, []string{"modified in/x"}},
		{"the fourth version", func(f folder) { inFolders(f); f.git("update-index", "--index-version", "4") }, func(f folder) { f.write("in/x", "3") }, []string{"modified in/x"}},
		{"an untracked cache", func(f folder) { inFolders(f); f.git("update-index", "--untracked-cache"); f.git("status") }, func(f folder) { f.write("in/z", "3") }, []string{"created in/z"}},
	} {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			f := newRepository(t)
			h.before(f)
			h.before = nil
			left := f.read(".git/index")
			s := f.keep(f.open())
			if got := f.holds(s, f.checkpoint(s), "out/y"); got != "1" {
				t.Errorf("the checkpoint holds %q as out/y", got)
			}
			h.check(t, f, s)
			if f.read(".git/index") != left && h.want != nil {
				t.Error("the user's index was written")
			}
		})
	}
}

// Whenever the runner is killed, the next one goes on.
func TestKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.write("deep/x", "1")
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
		f.write("deep/x", fmt.Sprint(n))
		f.commit("work")
		err := func() error {
			s, err := OpenStore(t.Context(), mortal, dir, "")
			if err != nil {
				return err
			}
			before, err := s.Checkpoint(t.Context())
			if err != nil {
				return err
			}
			f.write("deep/x", "more")
			f.write("new", "")
			_, _, err = s.Restore(t.Context(), before)
			return err
		}()
		if done = err == nil; !done && !errors.Is(err, killed) {
			t.Fatal(err)
		}
		f.write("deep/x", fmt.Sprint("after ", n))
		s, err := OpenStore(t.Context(), tree, dir, "")
		f.must(err)
		if got := f.holds(s, f.checkpoint(s), "deep/x"); got != fmt.Sprint("after ", n) {
			t.Fatalf("killed at call %d: the checkpoint after it holds %q", n, got)
		}
	}
}
