package checkpoint

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/refrain-loop/refrain/internal/git"
)

// newPlain is a folder without git.
func newPlain(t *testing.T) folder {
	f := newFolder(t)
	f.Write("a.txt", "one")
	f.Write("d/b.txt", "two")
	return f
}

func TestWhatHappensToAPlainFolderIsSeen(t *testing.T) {
	for _, s := range []episode{
		{"nothing", nil, func(folder) {}, nothing},
		{"a new file", nil, func(f folder) { f.Write("d/c.txt", "") }, inFiles},
		{"an edit of the same size", nil, func(f folder) { f.Write("d/b.txt", "owt") }, inFiles},
		{"a deletion", nil, func(f folder) { f.Must(os.Remove(f.Path("a.txt"))) }, inFiles},
		{"a rename", nil, func(f folder) { f.Must(os.Rename(f.Path("a.txt"), f.Path("c.txt"))) }, inFiles},
		{"an empty folder", nil, func(f folder) { f.Must(os.Mkdir(f.Path("empty"), 0o700)) }, nothing},
		{"a notes file", nil, func(f folder) { f.Write("d/NOTES.md", "") }, nothing},
		{"a folder of notes", nil, func(f folder) { f.Write("x/notes/n", "") }, nothing},
		{"our own files", nil, func(f folder) { f.Write(".refrain/runs/r/journal.jsonl", ""); f.Write(".refrain/lock-1", "") }, nothing},
		{"our own files set aside", nil, func(f folder) { f.Write(".refrain/broken/journal.jsonl", "") }, nothing},
		{"the user's own prompts", nil, func(f folder) { f.Write(".refrain/prompts/build.md", "") }, inFiles},
		{"git's own files", nil, func(f folder) { f.Write("d/.git/HEAD", ""); f.Write(".git/x", "") }, nothing},
		{"a repository is made", nil, func(f folder) { f.Git("init", "-q"); f.Commit("first") }, nothing},
	} {
		t.Run(s.name, func(t *testing.T) {
			f := newPlain(t)
			tree := f.open("NOTES.md", "x/**/notes/")
			if tree.Git() {
				t.Fatal("a plain folder was taken for a repository")
			}
			s.check(t, f, tree)
		})
	}
}

func TestWhatUnixKnowsOfFilesIsSeen(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs modes, links and any name")
	}
	outside := t.TempDir()
	for _, s := range []episode{
		{"a mode", nil, func(f folder) { f.Must(os.Chmod(f.Path("a.txt"), 0o755)) }, inFiles},
		{"a name with a newline", nil, func(f folder) { f.Write("a\nb", "") }, inFiles},
		{"where a link points", func(f folder) { f.Must(os.Symlink("a.txt", f.Path("link"))) }, func(f folder) {
			f.Must(os.Remove(f.Path("link")))
			f.Must(os.Symlink("b.txt", f.Path("link")))
		}, inFiles},
		{"what a link points to", func(f folder) { f.Must(os.Symlink(outside, f.Path("link"))) }, func(f folder) {
			f.Must(os.WriteFile(filepath.Join(outside, "x"), nil, 0o600))
		}, nothing},
		{"a folder that is closed", nil, func(f folder) {
			if os.Geteuid() == 0 {
				f.T.Skip("everything is open to root")
			}
			f.Must(os.Chmod(f.Path("d"), 0))
			f.T.Cleanup(func() { f.Must(os.Chmod(f.Path("d"), 0o700)) })
		}, inFiles},
	} {
		t.Run(s.name, func(t *testing.T) {
			f := newPlain(t)
			s.check(t, f, f.open())
		})
	}
}

func TestWithoutGitARepositoryIsAPlainFolder(t *testing.T) {
	f := newRepository(t)
	t.Setenv("PATH", t.TempDir())
	tree := f.open()
	if tree.Git() {
		t.Error("there is no git to look with")
	}
	episode{act: func(f folder) { f.Write("a.txt", "edited") }, want: inFiles}.check(t, f, tree)
}

func TestAFolderThatIsGoneIsAnError(t *testing.T) {
	f := newPlain(t)
	tree := f.open()
	f.Must(os.RemoveAll(f.Dir))
	if _, err := git.FingerprintOf(t.Context(), tree); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Print = %v, want a missing folder", err)
	}
	if _, err := git.Open(t.Context(), f.Dir, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Open = %v, want a missing folder", err)
	}
}

func TestALookAtAFolderCanBeCancelled(t *testing.T) {
	f := newPlain(t)
	tree := f.open()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := git.FingerprintOf(ctx, tree); !errors.Is(err, context.Canceled) {
		t.Errorf("Print = %v, want %v", err, context.Canceled)
	}
}
