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
	f.write("folder/deep/x", "1")
	f.write("file", "1")
	s := f.keep(f.open())
	before := f.checkpoint(s)
	f.must(os.RemoveAll(f.path("folder")))
	f.write("folder", "2")
	f.must(os.Remove(f.path("file")))
	f.write("file/deep/x", "2")
	f.must(os.MkdirAll(f.path("file/empty"), 0o700))
	kept, changes, err := s.Restore(t.Context(), before)
	f.must(err)
	want := []string{"created file", "deleted file/deep/x", "deleted folder", "created folder/deep/x"}
	if got := says(changes); !slices.Equal(got, want) {
		t.Errorf("changes = %q, want %q", got, want)
	}
	if after := f.checkpoint(s); after.Tree != before.Tree {
		t.Error("the tree is not what it was")
	}
	_, _, err = s.Restore(t.Context(), kept) // undone
	f.must(err)
	if got := f.read("folder") + f.read("file/deep/x"); got != "22" {
		t.Errorf("after the restore was undone the files hold %q", got)
	}
}

func TestReadOnlyFoldersAreRestored(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.write("d/edited", "1")
	f.write("d/deleted", "1")
	s := f.keep(f.open())
	before := f.checkpoint(s)
	f.write("d/edited", "2")
	f.write("d/new", "2")
	f.must(os.Remove(f.path("d/deleted")))
	f.must(os.Chmod(f.path("d"), 0o500))
	t.Cleanup(func() { f.must(os.Chmod(f.path("d"), 0o700)) })
	_, _, err := s.Restore(t.Context(), before)
	f.must(err)
	if after := f.checkpoint(s); after.Tree != before.Tree {
		t.Error("the tree is not what it was")
	}
	if info, err := os.Lstat(f.path("d")); err != nil || info.Mode().Perm() != 0o500 {
		t.Errorf("the folder is left with %v, %v", info.Mode(), err)
	}
}

func TestPermissionsThatGitDoesNotKnowAreRestored(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs modes")
	}
	f := newRepository(t)
	usual := f.path(".usual")
	f.must(os.WriteFile(usual, nil, 0o666))
	info, err := os.Lstat(usual)
	f.must(err)
	f.write("secret", "1")
	f.must(os.Chmod(f.path("secret"), 0o440))
	f.write("plain", "1")
	f.must(os.Chmod(f.path("plain"), info.Mode()))
	s := f.keep(f.open())
	before := f.checkpoint(s)
	for _, name := range []string{"secret", "plain"} {
		f.must(os.Remove(f.path(name)))
		f.write(name, "2")
		f.must(os.Chmod(f.path(name), 0o700))
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
		f.must(err)
		for name, want := range step.want {
			if info, err := os.Lstat(f.path(name)); err != nil || info.Mode() != want {
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
		f.write("gen/x", "first")
		f.write("out", "first")
		s := f.keep(f.open())
		before := f.checkpoint(s)
		f.write(".gitignore", "gen\nout\n")
		f.must(os.RemoveAll(f.path("gen")))
		f.write("gen", "not to be lost")
		f.write("out", "nor this")
		kept, _, err := s.Restore(t.Context(), before)
		f.must(err)
		if got := f.read("gen/x") + f.read("out"); got != "firstfirst" {
			t.Errorf("restored %q", got)
		}
		_, _, err = s.Restore(t.Context(), kept)
		f.must(err)
		if got := f.read("gen") + f.read("out"); got != "not to be lostnor this" {
			t.Errorf("after the restore was undone the files hold %q", got)
		}
	})
	for _, tt := range []struct {
		name string
		act  func(folder, *Store)
		want string
	}{
		{"a folder of them stops it", func(f folder, _ *Store) {
			f.must(os.Remove(f.path("out")))
			f.write(".gitignore", "out/\n")
			f.write("out/precious", "")
		}, "out"},
		{"a repository stops it", func(f folder, s *Store) {
			f.must(os.RemoveAll(f.path("lib")))
			f.checkpoint(s)
			f.must(os.MkdirAll(f.path("lib"), 0o700))
			in := folder{f.t, f.path("lib")}
			in.git("init", "-q")
			in.write("x", "precious")
		}, "lib"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newRepository(t)
			f.write("out", "first")
			f.write("lib/x", "first")
			s := f.keep(f.open())
			before := f.checkpoint(s)
			f.write("a.txt", "edited")
			tt.act(f, s)
			_, _, err := s.Restore(t.Context(), before)
			var inTheWay *InTheWayError
			if !errors.As(err, &inTheWay) || !slices.Equal(inTheWay.Paths, []string{tt.want}) {
				t.Errorf("Restore = %v, want that %s is in the way", err, tt.want)
			}
			if got := f.read("a.txt"); got != "edited" {
				t.Errorf("a.txt was restored to %q all the same", got)
			}
		})
	}
}

func TestARestoreThatWasInterruptedIsRepeated(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.write("c", "1")
	s := f.keep(f.open())
	before := f.checkpoint(s)
	f.write("a.txt", "edited")
	f.write("new", "")
	f.must(os.Remove(f.path("c")))
	kept := f.checkpoint(s)
	// As far as a restore gets that is killed before git has written a file.
	r := s.newRestorer(before)
	f.must(r.plan(t.Context(), kept))
	var index strings.Builder
	for _, e := range r.edits {
		fmt.Fprintf(&index, "%s %s\t%s\x00", e.mode, e.object, e.path)
	}
	_, err := s.repo.run(t.Context(), git.Command{Stdin: []byte(index.String())}, "update-index", "-z", "--index-info")
	f.must(err)
	f.must(os.Remove(f.path("new")))

	_, _, err = s.Restore(t.Context(), before)
	f.must(err)
	if got := f.read("a.txt") + f.read("c"); got != "one1" || f.checkpoint(s).Tree != before.Tree {
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
		f.must(checks.Value.Set("20"))
		defer func() { f.must(checks.Value.Set(checks.DefValue)) }()
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
		before, want := f.checkpoint(s), f.snapshot()
		draw()
		left := f.snapshot()
		kept, _, err := s.Restore(t.Context(), before)
		f.must(err)
		if got := f.snapshot(); got != want {
			rt.Fatalf("restored\n%s\nwant\n%s", got, want)
		}
		if got := f.checkpoint(s); got.Tree != before.Tree {
			rt.Fatalf("the tree after a restore is another")
		}
		if _, _, err = s.Restore(t.Context(), kept); err != nil {
			rt.Fatal(err)
		}
		if got := f.snapshot(); got != left {
			rt.Fatalf("after the restore was undone\n%s\nwant\n%s", got, left)
		}
	})
}

// put does something to a path of the tree, whatever was there before.
func (f folder) put(rt *rapid.T, name string) {
	at := f.path(name)
	for dir := filepath.Dir(at); dir != f.dir; dir = filepath.Dir(dir) {
		if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
			f.must(os.Remove(dir))
		}
	}
	f.must(os.MkdirAll(filepath.Dir(at), 0o755))
	f.must(os.RemoveAll(at))
	switch rapid.SampledFrom([]string{"file", "file", "program", "link", "nothing"}).Draw(rt, "kind") {
	case "file":
		f.must(os.WriteFile(at, rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(rt, "content"), 0o666))
	case "program":
		f.must(os.WriteFile(at, []byte("#!/bin/sh\r\n"), 0o777))
	case "link":
		f.must(os.Symlink(rapid.SampledFrom([]string{"a", "../..", "/nowhere", "deep/\xff"}).Draw(rt, "target"), at))
	}
}

// snapshot is every file of the tree with all there is to know about it. A
// folder without a file is not kept, so it is not in it.
func (f folder) snapshot() string {
	f.t.Helper()
	var b strings.Builder
	f.must(filepath.WalkDir(f.dir, func(at string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() == ".git":
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		var holds []byte
		if info.Mode()&fs.ModeSymlink != 0 {
			target, linkErr := os.Readlink(at)
			holds, err = []byte(target), linkErr
		} else {
			holds, err = os.ReadFile(at)
		}
		fmt.Fprintf(&b, "%q %v %q\n", at, info.Mode(), holds)
		return err
	}))
	return b.String()
}
