package checkpoint

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/git"
)

func TestRepositoriesInsideTheTreeAreWatched(t *testing.T) {
	t.Parallel()
	inner := func(f folder, name string) folder {
		in := folderAt(f.T, f.Path(name))
		f.Must(os.MkdirAll(in.Dir, 0o700))
		in.Git("init", "-q")
		return in
	}
	withCommit := func(f folder) {
		in := inner(f, "in")
		in.Write("x", "1")
		in.Commit("inside")
	}
	submodule := func(f folder) {
		other := newFolder(f.T)
		other.Git("init", "-q")
		other.Write("x", "1")
		other.Commit("inside")
		f.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other.Dir, "sub")
		f.Commit("a submodule")
	}
	unfetched := func(f folder) { submodule(f); f.Git("submodule", "--quiet", "deinit", "--force", "sub") }
	for _, h := range []happening{
		{"one without a commit is made", nil, func(f folder) { inner(f, "in").Write("x", "1") }, []string{"created in"}},
		{"one with a commit is made", nil, withCommit, []string{"created in"}},
		{"one without a commit is changed", func(f folder) { inner(f, "in").Write("x", "1") }, func(f folder) { f.Write("in/x", "2") }, []string{"modified in"}},
		{"one is changed", withCommit, func(f folder) { f.Write("in/x", "2") }, []string{"modified in"}},
		{"one gets a commit", withCommit, func(f folder) { folderAt(f.T, f.Path("in")).CommitEmpty("more") }, []string{"modified in"}},
		{"one is deleted", withCommit, func(f folder) { f.Must(os.RemoveAll(f.Path("in"))) }, []string{"deleted in"}},
		{"one becomes a plain folder", withCommit, func(f folder) { f.Must(os.RemoveAll(f.Path("in/.git"))) }, []string{"deleted in", "created in/x"}},
		{"a folder that was kept becomes one", func(f folder) { f.Write("in/x", "1") }, func(f folder) { inner(f, "in"); f.Write("in/y", "") }, []string{"created in/y"}},
		{"a submodule is left alone", submodule, func(folder) {}, nil},
		{"a submodule is changed", submodule, func(f folder) { f.Write("sub/x", "2") }, []string{"modified sub"}},
		{"a submodule gets a commit", submodule, func(f folder) { folderAt(f.T, f.Path("sub")).CommitEmpty("more") }, []string{"modified sub"}},
		{"a submodule is not fetched", unfetched, func(folder) {}, nil},
		{"a submodule is fetched", unfetched, func(f folder) {
			f.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init")
		}, []string{"modified sub"}},
		{"files come where a submodule would", unfetched, func(f folder) { f.Write("sub/y", "") }, []string{"deleted sub", "created sub/y"}},
		{"a submodule that was a plain folder before", func(f folder) { submodule(f); f.Must(os.Remove(f.Path("sub/.git"))) }, func(f folder) { f.Write("sub/x", "2") }, []string{"modified sub/x"}},
		{"a submodule is deleted", submodule, func(f folder) { f.Must(os.RemoveAll(f.Path("sub"))) }, []string{"deleted sub"}},
	} {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			f := newRepository(t)
			if h.before != nil {
				h.before(f)
			}
			s := f.keep(f.open())
			h.before = nil
			h.check(t, f, s)
			for _, note := range f.checkpoint(s).Notes {
				name, _, _ := strings.Cut(note, " ")
				if _, err := os.Lstat(f.Path(name + "/.git")); err != nil || !strings.Contains(note, "is a repository of its own") {
					t.Errorf("note = %q", note)
				}
			}
		})
	}
}

func TestRepositoriesInsideTheTreeAreNotRestored(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	s := f.keep(f.open())
	before := f.checkpoint(s)
	in := folderAt(t, f.Path("in"))
	f.Must(os.MkdirAll(in.Dir, 0o700))
	in.Git("init", "-q")
	in.Write("x", "1")
	in.Commit("inside")
	f.Write("a.txt", "edited")
	kept, changes, err := s.Restore(t.Context(), before)
	f.Must(err)
	if got := says(changes); !slices.Equal(got, []string{"modified a.txt"}) || len(kept.Notes) != 1 {
		t.Errorf("restored %q, notes %q", got, kept.Notes)
	}
	if got := f.Read("in/x"); got != "1" {
		t.Errorf("the file inside holds %q", got)
	}
}

func TestLargeFilesAreSkipped(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.Write("tracked", strings.Repeat("x", 20))
	f.Commit("large, but tracked")
	s := f.keep(f.open())
	s.Limit = 10
	before := f.checkpoint(s)
	f.Write("large", strings.Repeat("x", 20))
	f.Write("tracked", strings.Repeat("y", 30))
	after := f.checkpoint(s)
	want := []Skipped{{"large", "20 bytes, above the limit of 10 bytes"}}
	if !slices.Equal(after.Skipped, want) {
		t.Errorf("skipped = %q, want %q", after.Skipped, want)
	}
	loaded, err := s.Load(t.Context(), after.ID)
	f.Must(err)
	if !slices.Equal(loaded.Skipped, want) || !slices.Equal(says(f.changes(s, before, loaded)), []string{"created large", "modified tracked"}) {
		t.Errorf("read back: %+v", loaded)
	}
	for _, step := range []struct {
		what string
		act  func()
		want []string
	}{
		{"it comes", func() {}, []string{"created large", "modified tracked"}},
		{"it stays", func() {}, nil},
		{"it changes", func() { f.Write("large", strings.Repeat("z", 20)) }, []string{"modified large"}},
		{"it shrinks", func() { f.Write("large", "small") }, []string{"modified large"}},
		{"it grows", func() { f.Write("large", strings.Repeat("z", 40)) }, []string{"modified large"}},
		{"it goes", func() { f.Must(os.Remove(f.Path("large"))) }, []string{"deleted large"}},
	} {
		step.act()
		now := f.checkpoint(s)
		if got := says(f.changes(s, before, now)); !slices.Equal(got, step.want) {
			t.Errorf("%s: changes = %q, want %q", step.what, got, step.want)
		}
		before = now
	}
}

func TestOutsideOfTheFolderNothingIsSaid(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.Write("sub/x", "")
	f.Commit("sub")
	tree, err := git.Open(t.Context(), f.Path("sub"), nil)
	f.Must(err)
	s := f.keep(tree)
	s.Limit = 10
	before := f.checkpoint(s)
	f.Write("large", strings.Repeat("x", 20))
	f.Must(os.MkdirAll(f.Path("in"), 0o700))
	folderAt(t, f.Path("in")).Git("init", "-q")
	after := f.checkpoint(s)
	if got := says(f.changes(s, before, after)); got != nil || after.Skipped != nil || after.Notes != nil {
		t.Errorf("changes = %q, skipped %q, notes %q", got, after.Skipped, after.Notes)
	}
	if _, err := os.Lstat(filepath.Join(s.dir, "HEAD.mask")); err == nil {
		t.Error("a file is left in the store")
	}
}
