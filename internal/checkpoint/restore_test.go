package checkpoint

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/refrain-loop/refrain/internal/git"
)

func TestAFolderIsReplacedByAFileAndTheReverse(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.Write("folder/deep/x", "1")
	f.Write("file", "1")
	s := f.keep(f.open())
	before := f.checkpoint(s)
	f.Must(os.RemoveAll(f.Path("folder")))
	f.Write("folder", "2")
	f.Must(os.Remove(f.Path("file")))
	f.Write("file/deep/x", "2")
	f.Must(os.MkdirAll(f.Path("file/empty"), 0o700))
	kept, changes, err := s.Restore(t.Context(), before)
	f.Must(err)
	want := []string{"created file", "deleted file/deep/x", "deleted folder", "created folder/deep/x"}
	if got := says(changes); !slices.Equal(got, want) {
		t.Errorf("changes = %q, want %q", got, want)
	}
	if after := f.checkpoint(s); after.Tree != before.Tree {
		t.Error("the tree is not what it was")
	}
	_, _, err = s.Restore(t.Context(), kept) // undone
	f.Must(err)
	if got := f.Read("folder") + f.Read("file/deep/x"); got != "22" {
		t.Errorf("after the restore was undone the files hold %q", got)
	}
}

func TestReadOnlyFoldersAreRestored(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.Write("d/edited", "1")
	f.Write("d/deleted", "1")
	s := f.keep(f.open())
	before := f.checkpoint(s)
	f.Write("d/edited", "2")
	f.Write("d/new", "2")
	f.Must(os.Remove(f.Path("d/deleted")))
	f.Must(os.Chmod(f.Path("d"), 0o500))
	t.Cleanup(func() { f.Must(os.Chmod(f.Path("d"), 0o700)) })
	_, _, err := s.Restore(t.Context(), before)
	f.Must(err)
	if after := f.checkpoint(s); after.Tree != before.Tree {
		t.Error("the tree is not what it was")
	}
	if info, err := os.Lstat(f.Path("d")); err != nil || info.Mode().Perm() != 0o500 {
		t.Errorf("the folder is left with %v, %v", info.Mode(), err)
	}
}

func TestPermissionsThatGitDoesNotKnowAreRestored(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs modes")
	}
	f := newRepository(t)
	usual := f.Path(".usual")
	f.Must(os.WriteFile(usual, nil, 0o666))
	info, err := os.Lstat(usual)
	f.Must(err)
	f.Write("secret", "1")
	f.Must(os.Chmod(f.Path("secret"), 0o440))
	f.Write("plain", "1")
	f.Must(os.Chmod(f.Path("plain"), info.Mode()))
	s := f.keep(f.open())
	before := f.checkpoint(s)
	for _, name := range []string{"secret", "plain"} {
		f.Must(os.Remove(f.Path(name)))
		f.Write(name, "2")
		f.Must(os.Chmod(f.Path(name), 0o700))
	}
	kept := f.checkpoint(s)
	for _, step := range []struct {
		to   Checkpoint
		want map[string]fs.FileMode
	}{
		{before, map[string]fs.FileMode{"secret": 0o440, "plain": info.Mode()}},
		{kept, map[string]fs.FileMode{"secret": 0o700, "plain": 0o700}},
		{before, map[string]fs.FileMode{"secret": 0o440, "plain": info.Mode()}},
	} {
		_, _, err := s.Restore(t.Context(), step.to)
		f.Must(err)
		for name, want := range step.want {
			if info, err := os.Lstat(f.Path(name)); err != nil || info.Mode() != want {
				t.Errorf("%s is restored with %v, %v, want %v", name, info.Mode(), err, want)
			}
		}
		now := f.checkpoint(s)
		if now.Tree != step.to.Tree || !slices.EqualFunc(now.facts.Modes, step.to.facts.Modes, func(a, b oddMode) bool {
			return string(a.Path) == string(b.Path) && a.Mode == b.Mode
		}) {
			t.Errorf("the checkpoint after it knows %+v, want %+v", now.facts.Modes, step.to.facts.Modes)
		}
	}
}

func TestIgnoredFilesInTheWay(t *testing.T) {
	t.Parallel()
	t.Run("are kept, then replaced", func(t *testing.T) {
		t.Parallel()
		f := newRepository(t)
		f.Write("gen/x", "first")
		f.Write("out", "first")
		s := f.keep(f.open())
		before := f.checkpoint(s)
		f.Write(".gitignore", "gen\nout\n")
		f.Must(os.RemoveAll(f.Path("gen")))
		f.Write("gen", "not to be lost")
		f.Write("out", "nor this")
		kept, _, err := s.Restore(t.Context(), before)
		f.Must(err)
		if got := f.Read("gen/x") + f.Read("out"); got != "firstfirst" {
			t.Errorf("restored %q", got)
		}
		_, _, err = s.Restore(t.Context(), kept)
		f.Must(err)
		if got := f.Read("gen") + f.Read("out"); got != "not to be lostnor this" {
			t.Errorf("after the restore was undone the files hold %q", got)
		}
	})
	for _, tt := range []struct {
		name string
		act  func(folder, *Store)
		want string
	}{
		{"a folder of them stops it", func(f folder, _ *Store) {
			f.Must(os.Remove(f.Path("out")))
			f.Write(".gitignore", "out/\n")
			f.Write("out/precious", "")
		}, "out"},
		{"a repository stops it", func(f folder, s *Store) {
			f.Must(os.RemoveAll(f.Path("lib")))
			f.checkpoint(s)
			f.Must(os.MkdirAll(f.Path("lib"), 0o700))
			in := folderAt(f.T, f.Path("lib"))
			in.Git("init", "-q")
			in.Write("x", "precious")
		}, "lib"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newRepository(t)
			f.Write("out", "first")
			f.Write("lib/x", "first")
			s := f.keep(f.open())
			before := f.checkpoint(s)
			f.Write("a.txt", "edited")
			tt.act(f, s)
			_, _, err := s.Restore(t.Context(), before)
			var inTheWay *InTheWayError
			if !errors.As(err, &inTheWay) || !slices.Equal(inTheWay.Paths, []string{tt.want}) {
				t.Errorf("Restore = %v, want that %s is in the way", err, tt.want)
			}
			if got := f.Read("a.txt"); got != "edited" {
				t.Errorf("a.txt was restored to %q all the same", got)
			}
		})
	}
}

func TestARestoreThatWasInterruptedIsRepeated(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.Write("c", "1")
	s := f.keep(f.open())
	before := f.checkpoint(s)
	f.Write("a.txt", "edited")
	f.Write("new", "")
	f.Must(os.Remove(f.Path("c")))
	kept := f.checkpoint(s)
	// As far as a restore gets that is killed before git has written a file.
	r := s.newRestorer(before)
	f.Must(r.plan(t.Context(), kept))
	var index strings.Builder
	for _, e := range r.edits {
		fmt.Fprintf(&index, "%s %s\t%s\x00", e.mode, e.object, e.path)
	}
	_, err := s.repo.run(t.Context(), git.Command{Stdin: []byte(index.String())}, "update-index", "-z", "--index-info")
	f.Must(err)
	f.Must(os.Remove(f.Path("new")))

	_, _, err = s.Restore(t.Context(), before)
	f.Must(err)
	if got := f.Read("a.txt") + f.Read("c"); got != "one1" || f.checkpoint(s).Tree != before.Tree {
		t.Errorf("restored %q", got)
	}
}

// Whatever a tree is and becomes, a restore makes it what it was.
func TestRestoreIsExact(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs modes, links and any name")
	}
	f := newRepository(t)
	s := f.keep(f.open())
	// Git takes its time, so that a few trees at each run have to do.
	if checks := flag.Lookup("rapid.checks"); checks.Value.String() == checks.DefValue {
		f.Must(checks.Value.Set("20"))
		defer func() { f.Must(checks.Value.Set(checks.DefValue)) }()
	}
	names := []string{"a", "b c", `q"uote`, "new\nline", "\xff\xfe", "ü", "-x", "deep", "tab\t", "'", "*", "[x]", `back\slash`, " "}
	rapid.Check(t, func(rt *rapid.T) {
		path := rapid.Custom(func(rt *rapid.T) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(names), 1, 3).Draw(rt, "parts"), "/")
		})
		draw := func() {
			for range rapid.IntRange(0, 6).Draw(rt, "acts") {
				f.put(rt, path.Draw(rt, "path"))
			}
		}
		draw()
		before, want := f.checkpoint(s), f.Snapshot()
		draw()
		left := f.Snapshot()
		kept, _, err := s.Restore(t.Context(), before)
		f.Must(err)
		if got := f.Snapshot(); got != want {
			rt.Fatalf("restored\n%s\nwant\n%s", got, want)
		}
		if got := f.checkpoint(s); got.Tree != before.Tree {
			rt.Fatalf("the tree after a restore is another")
		}
		if _, _, err = s.Restore(t.Context(), kept); err != nil {
			rt.Fatal(err)
		}
		if got := f.Snapshot(); got != left {
			rt.Fatalf("after the restore was undone\n%s\nwant\n%s", got, left)
		}
	})
}

// put does something to a path of the tree, whatever was there before.
func (f folder) put(rt *rapid.T, name string) {
	at := f.Path(name)
	for dir := filepath.Dir(at); dir != f.Dir; dir = filepath.Dir(dir) {
		if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
			f.Must(os.Remove(dir))
		}
	}
	f.Must(os.MkdirAll(filepath.Dir(at), 0o755))
	f.Must(os.RemoveAll(at))
	switch rapid.SampledFrom([]string{"file", "file", "program", "link", "nothing"}).Draw(rt, "kind") {
	case "file":
		f.Must(os.WriteFile(at, rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(rt, "content"), 0o666))
	case "program":
		f.Must(os.WriteFile(at, []byte("#!/bin/sh\r\n"), 0o777))
	case "link":
		f.Must(os.Symlink(rapid.SampledFrom([]string{"a", "../..", "/nowhere", "deep/\xff"}).Draw(rt, "target"), at))
	}
}
