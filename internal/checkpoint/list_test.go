package checkpoint

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

func TestWhatHappensToAPlainFolder(t *testing.T) {
	t.Parallel()
	for _, h := range []happening{
		{"nothing", nil, func(folder) {}, nil},
		{"a new file", nil, func(f folder) { f.Write("d/c.txt", "") }, []string{"created d/c.txt"}},
		{"an edit of the same size", nil, func(f folder) { f.Write("d/b.txt", "owt") }, []string{"modified d/b.txt"}},
		{"an edit of the same size at the same time", nil, func(f folder) {
			if runtime.GOOS == "windows" {
				f.T.(*testing.T).Skip("the system tells no more")
			}
			info, err := os.Lstat(f.Path("a.txt"))
			f.Must(err)
			f.Must(os.WriteFile(f.Path("other"), []byte("eno"), 0o600))
			f.Must(os.Chtimes(f.Path("other"), info.ModTime(), info.ModTime()))
			f.Must(os.Rename(f.Path("other"), f.Path("a.txt")))
		}, []string{"modified a.txt"}},
		{"a deletion", nil, func(f folder) { f.Must(os.Remove(f.Path("a.txt"))) }, []string{"deleted a.txt"}},
		{"a rename", nil, func(f folder) { f.Must(os.Rename(f.Path("a.txt"), f.Path("c.txt"))) }, []string{"deleted a.txt", "created c.txt"}},
		{"an empty folder", nil, func(f folder) { f.Must(os.Mkdir(f.Path("empty"), 0o700)) }, nil},
		{"a file becomes a folder", nil, func(f folder) { f.Must(os.Remove(f.Path("a.txt"))); f.Write("a.txt/x", "") }, []string{"deleted a.txt", "created a.txt/x"}},
		{"a notes file", nil, func(f folder) { f.Write("d/NOTES.md", "") }, nil},
		{"our own files", nil, func(f folder) { f.Write(".refrain/runs/r/journal.jsonl", ""); f.Write(".refrain/lock-1", "") }, nil},
		{"the user's own prompts", nil, func(f folder) { f.Write(".refrain/prompts/build.md", "") }, []string{"created .refrain/prompts/build.md"}},
		{"a repository is made", nil, func(f folder) { f.Git("init", "-q"); f.Commit("first") }, nil},
	} {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			f := newPlain(t)
			h.check(t, f, f.keep(f.open("NOTES.md")))
		})
	}
}

func TestWhatUnixKnowsOfAPlainFolder(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs modes, links and any name")
	}
	for _, h := range []happening{
		{"a mode", nil, func(f folder) { f.Must(os.Chmod(f.Path("a.txt"), 0o755)) }, []string{"mode a.txt"}},
		{"an odd name", func(f folder) { f.Write("\xff\n", "1") }, func(f folder) { f.Write("\xff\n", "2") }, []string{"modified \xff\n"}},
		{"where a link points", func(f folder) { f.Must(os.Symlink("a.txt", f.Path("link"))) }, func(f folder) {
			f.Must(os.Remove(f.Path("link")))
			f.Must(os.Symlink("b.txt", f.Path("link")))
		}, []string{"modified link"}},
		{"a link becomes a file", func(f folder) { f.Must(os.Symlink("a.txt", f.Path("link"))) }, func(f folder) {
			f.Must(os.Remove(f.Path("link")))
			f.Write("link", "")
		}, []string{"modified link"}},
	} {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			f := newPlain(t)
			h.check(t, f, f.keep(f.open()))
		})
	}
}

func TestWithoutGitNothingIsRestored(t *testing.T) {
	t.Parallel()
	f := newPlain(t)
	s := f.keep(f.open())
	c := f.checkpoint(s)
	if s.CanRestore() {
		t.Error("a list of files can be restored")
	}
	_, _, restore := s.Restore(t.Context(), c)
	_, pinned := s.Trees().Pinned(t.Context(), c, Pin{})
	_, proof := s.Checkout(t.Context(), filepath.Join(t.TempDir(), "clean"), c.Tree)
	for _, err := range []error{restore, pinned, proof, s.Diff(t.Context(), &bytes.Buffer{}, c, c, DiffOptions{})} {
		var noGit *NoGitError
		if !errors.As(err, &noGit) || noGit.Hint() == "" {
			t.Errorf("error = %v, want that there is no git", err)
		}
	}
	if _, err := s.Load(t.Context(), "../secret"); err == nil {
		t.Error("a path is taken for a checkpoint")
	}
}

func TestAFolderOfManyFoldersIsListedInOrder(t *testing.T) {
	t.Parallel()
	f := newPlain(t)
	want := []string{"a.txt", "d/b.txt"}
	for i := range 200 {
		name := string(rune('e'+i%10)) + "/" + string(rune('a'+i/10)) + "/x"
		f.Write(name, "")
		want = append(want, name)
	}
	slices.Sort(want)
	files, err := listFiles(t.Context(), f.open())
	f.Must(err)
	var got []string
	for _, file := range files {
		got = append(got, string(file.Path))
	}
	if !slices.Equal(got, want) {
		t.Errorf("listed %d files, want %d: %q", len(got), len(want), got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := listFiles(ctx, f.open()); !errors.Is(err, context.Canceled) {
		t.Errorf("files = %v, want %v", err, context.Canceled)
	}
}
