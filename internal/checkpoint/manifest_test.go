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
	f.write("a.txt", "one")
	f.write("d/b.txt", "two")
	return f
}

func TestWhatHappensToAPlainFolderIsSeen(t *testing.T) {
	for _, s := range []story{
		{"nothing", nil, func(folder) {}, nothing},
		{"a new file", nil, func(f folder) { f.write("d/c.txt", "") }, inFiles},
		{"an edit of the same size", nil, func(f folder) { f.write("d/b.txt", "owt") }, inFiles},
		{"a deletion", nil, func(f folder) { f.must(os.Remove(f.path("a.txt"))) }, inFiles},
		{"a rename", nil, func(f folder) { f.must(os.Rename(f.path("a.txt"), f.path("c.txt"))) }, inFiles},
		{"an empty folder", nil, func(f folder) { f.must(os.Mkdir(f.path("empty"), 0o700)) }, nothing},
		{"a notes file", nil, func(f folder) { f.write("d/NOTES.md", "") }, nothing},
		{"a folder of notes", nil, func(f folder) { f.write("x/notes/n", "") }, nothing},
		{"our own files", nil, func(f folder) { f.write(".refrain/runs/r/journal.jsonl", ""); f.write(".refrain/lock-1", "") }, nothing},
		{"our own files set aside", nil, func(f folder) { f.write(".refrain/broken/journal.jsonl", "") }, nothing},
		{"the user's own prompts", nil, func(f folder) { f.write(".refrain/prompts/build.md", "") }, inFiles},
		{"git's own files", nil, func(f folder) { f.write("d/.git/HEAD", ""); f.write(".git/x", "") }, nothing},
		{"a repository is made", nil, func(f folder) { f.git("init", "-q"); f.commit("first") }, nothing},
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
	for _, s := range []story{
		{"a mode", nil, func(f folder) { f.must(os.Chmod(f.path("a.txt"), 0o755)) }, inFiles},
		{"a name with a newline", nil, func(f folder) { f.write("a\nb", "") }, inFiles},
		{"where a link points", func(f folder) { f.must(os.Symlink("a.txt", f.path("link"))) }, func(f folder) {
			f.must(os.Remove(f.path("link")))
			f.must(os.Symlink("b.txt", f.path("link")))
		}, inFiles},
		{"what a link points to", func(f folder) { f.must(os.Symlink(outside, f.path("link"))) }, func(f folder) {
			f.must(os.WriteFile(filepath.Join(outside, "x"), nil, 0o600))
		}, nothing},
		{"a folder that is closed", nil, func(f folder) {
			if os.Geteuid() == 0 {
				f.t.Skip("everything is open to root")
			}
			f.must(os.Chmod(f.path("d"), 0))
			f.t.Cleanup(func() { f.must(os.Chmod(f.path("d"), 0o700)) })
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
	story{act: func(f folder) { f.write("a.txt", "edited") }, want: inFiles}.check(t, f, tree)
}

func TestAFolderThatIsGoneIsAnError(t *testing.T) {
	f := newPlain(t)
	tree := f.open()
	f.must(os.RemoveAll(f.dir))
	if _, err := FingerprintOf(t.Context(), tree); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Print = %v, want a missing folder", err)
	}
	if _, err := git.Open(t.Context(), f.dir, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Open = %v, want a missing folder", err)
	}
}

func TestALookAtAFolderCanBeCancelled(t *testing.T) {
	f := newPlain(t)
	tree := f.open()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := FingerprintOf(ctx, tree); !errors.Is(err, context.Canceled) {
		t.Errorf("Print = %v, want %v", err, context.Canceled)
	}
}
