package checkpoint

import (
	"context"
	"errors"
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

func TestWhatHappensToARepositoryIsSeen(t *testing.T) {
	dirty := func(f folder) { f.write("a.txt", "1ne"); f.write("new.txt", "new") }
	stories := []story{
		{"nothing", dirty, func(folder) {}, nothing},
		{"a new file", nil, func(f folder) { f.write("c.txt", "") }, inFiles},
		{"an edit", nil, func(f folder) { f.write("a.txt", "longer") }, inFiles},
		{"an edit of the same size", nil, func(f folder) { f.write("a.txt", "eno") }, inFiles},
		{"an edit of the same size in a changed file", dirty, func(f folder) { f.write("a.txt", "2ne") }, inFiles},
		{"an edit of the same size in a new file", dirty, func(f folder) { f.write("new.txt", "wen") }, inFiles},
		{"a change taken back", dirty, func(f folder) { f.git("checkout", "-q", "a.txt") }, inFiles},
		{"a rewrite with the same content", nil, func(f folder) { f.write("a.txt", "one") }, nothing},
		{"a deletion", nil, func(f folder) { f.must(os.Remove(f.path("a.txt"))) }, inFiles},
		{"a deletion of a new file", dirty, func(f folder) { f.must(os.Remove(f.path("new.txt"))) }, inFiles},
		{"a rename", nil, func(f folder) { f.must(os.Rename(f.path("a.txt"), f.path("c.txt"))) }, inFiles},
		{"a staged rename", nil, func(f folder) { f.git("mv", "a.txt", "c.txt") }, inFiles},
		{"a file in a new folder that was there", func(f folder) { f.write("d/one", "") }, func(f folder) { f.write("d/two", "") }, inFiles},
		{"a file that becomes a folder", nil, func(f folder) { f.must(os.Remove(f.path("a.txt"))); f.write("a.txt/x", "") }, inFiles},
		{"staging only", dirty, func(f folder) { f.git("add", "-A") }, nothing},
		{"a new branch only", dirty, func(f folder) { f.git("checkout", "-q", "-b", "other") }, nothing},
		{"a commit of nothing", nil, func(f folder) { f.git("commit", "-q", "--allow-empty", "-m", "empty") }, commits},
		{"a commit of what was there", dirty, func(f folder) { f.commit("second") }, both},
		{"a new file and its commit", nil, func(f folder) { f.write("c.txt", ""); f.commit("second") }, commits},
		{"an amended commit", nil, func(f folder) { f.git("commit", "-q", "--amend", "-m", "other words") }, commits},
		{"an ignored file", nil, func(f folder) { f.write("x.log", ""); f.write("build/out", "") }, nothing},
		{"a notes file", nil, func(f folder) { f.write("PROGRESS.md", "did much"); f.write("docs/PROGRESS.md", "") }, nothing},
		{"a committed notes file", func(f folder) { f.write("PROGRESS.md", "a"); f.commit("notes") }, func(f folder) { f.write("PROGRESS.md", "b") }, nothing},
		{"our own files", nil, func(f folder) { f.write(".refrain/runs/build-1/journal.jsonl", ""); f.write(".refrain/lock-1", "") }, nothing},
		{"the user's own hooks", nil, func(f folder) { f.write(".refrain/hooks/started", "") }, inFiles},
		{"odd names", nil, func(f folder) { f.write("a b", ""); f.write("ü/ß ☃", ""); f.write("-n", "") }, inFiles},
		{"an edit under an odd name", func(f folder) { f.write("ü/ß ☃ x", "a"); f.commit("odd") }, func(f folder) { f.write("ü/ß ☃ x", "b") }, inFiles},
		{"a new repository inside", nil, func(f folder) { f.write("in/x", ""); f.git("init", "-q", "in") }, inFiles},
		{"a file in a repository inside", func(f folder) { f.write("in/x", ""); f.git("init", "-q", "in") }, func(f folder) { f.write("in/y", "") }, inFiles},
		{"a conflict that is edited", conflict, func(f folder) { f.write("a.txt", "solved") }, inFiles},
	}
	for _, s := range stories {
		t.Run(s.name, func(t *testing.T) {
			f := newRepository(t)
			tree := f.open("PROGRESS.md")
			if !tree.Git() {
				t.Fatal("the repository was not seen")
			}
			s.check(t, f, tree)
		})
	}
}

// conflict leaves a.txt in an unfinished merge.
func conflict(f folder) {
	f.git("checkout", "-q", "-b", "other")
	f.write("a.txt", "theirs")
	f.commit("theirs")
	f.git("checkout", "-q", "-")
	f.write("a.txt", "ours")
	f.commit("ours")
	f.gitFails("merge", "-q", "other")
}

func TestWhatUnixKnowsOfFilesIsSeenByGit(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs modes, links and any name")
	}
	for _, s := range []story{
		{"a mode", nil, func(f folder) { f.must(os.Chmod(f.path("a.txt"), 0o755)) }, inFiles},
		{"a name with a newline", func(f folder) { f.write("a\nb c", "1") }, func(f folder) { f.write("a\nb c", "2") }, inFiles},
		{"a link", nil, func(f folder) { f.must(os.Symlink("a.txt", f.path("link"))) }, inFiles},
		{"where a link points", func(f folder) { f.must(os.Symlink("a.txt", f.path("link"))) }, func(f folder) {
			f.must(os.Remove(f.path("link")))
			f.must(os.Symlink("b.txt", f.path("link")))
		}, inFiles},
	} {
		t.Run(s.name, func(t *testing.T) {
			f := newRepository(t)
			s.check(t, f, f.open())
		})
	}
}

func TestTheFirstCommitIsSeen(t *testing.T) {
	f := newFolder(t)
	f.git("init", "-q")
	tree := f.open()
	before := f.print(tree)
	if !tree.Git() || before.Head != "" {
		t.Errorf("git = %v, head = %q before the first commit", tree.Git(), before.Head)
	}
	f.write("a", "")
	if got := before.Signals(f.print(tree)); !slices.Equal(got, inFiles) {
		t.Errorf("a file: signals = %q, want %q", got, inFiles)
	}
	f.commit("first")
	if got := before.Signals(f.print(tree)); !slices.Equal(got, commits) {
		t.Errorf("its commit: signals = %q, want %q", got, commits)
	}
}

func TestOnlyWhatIsBelowTheFolderCounts(t *testing.T) {
	f := newRepository(t)
	f.write("sub folder/x", "1")
	f.commit("second")
	tree, err := git.Open(t.Context(), f.path("sub folder"), []string{"/notes/*.md"})
	f.must(err)
	for _, s := range []story{
		{"an edit outside", nil, func(f folder) { f.write("a.txt", "edited") }, nothing},
		{"an edit", nil, func(f folder) { f.write("sub folder/x", "2") }, inFiles},
		{"an edit again", nil, func(f folder) { f.write("sub folder/x", "3") }, inFiles},
		{"a file that the pattern means", nil, func(f folder) { f.write("sub folder/notes/n.md", "") }, nothing},
		{"a file deeper than the pattern means", nil, func(f folder) { f.write("sub folder/deep/notes/n.md", "") }, inFiles},
	} {
		t.Run(s.name, func(t *testing.T) { s.check(t, f, tree) })
	}
}

func TestTheEnvironmentDoesNotTurnGitAway(t *testing.T) {
	f := newRepository(t)
	for _, name := range []string{"GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"} {
		t.Setenv(name, filepath.Join(t.TempDir(), "elsewhere"))
	}
	if !f.open().Git() {
		t.Error("the repository was not seen")
	}
}

func TestGitLeavesTheIndexAlone(t *testing.T) {
	f := newRepository(t)
	f.write("a.txt", "one") // which a status would note in the index
	before, err := os.ReadFile(f.path(".git/index"))
	f.must(err)
	f.print(f.open())
	after, err := os.ReadFile(f.path(".git/index"))
	f.must(err)
	if string(before) != string(after) {
		t.Error("the index was written")
	}
}

func TestAnErrorOfGitIsReturned(t *testing.T) {
	t.Run("a broken repository", func(t *testing.T) {
		f := newRepository(t)
		tree := f.open()
		f.must(os.WriteFile(f.path(".git/index"), []byte("broken"), 0o600))
		_, err := FingerprintOf(t.Context(), tree)
		if err == nil || !strings.Contains(err.Error(), "git status") || !strings.Contains(err.Error(), "index") {
			t.Errorf("Print = %v, want git's own complaint", err)
		}
	})
	t.Run("git is gone", func(t *testing.T) {
		f := newRepository(t)
		tree := f.open().Through(func(context.Context, proc.Spec) (loop.Exit, error) {
			return proc.Run(t.Context(), proc.Spec{Argv: []string{filepath.Join(t.TempDir(), "git")}, Dir: f.dir})
		})
		_, err := FingerprintOf(t.Context(), tree)
		var start *proc.StartError
		if !errors.As(err, &start) || !start.Missing() {
			t.Errorf("Print = %v, want a missing program", err)
		}
	})
	t.Run("the context is cancelled", func(t *testing.T) {
		f := newRepository(t)
		tree := f.open()
		ctx, cancel := context.WithCancelCause(t.Context())
		why := proc.End(loop.OnBudget)
		cancel(why)
		if _, err := FingerprintOf(ctx, tree); !errors.Is(err, why) {
			t.Errorf("Print = %v, want %v", err, why)
		}
	})
	t.Run("a repository that git refuses", func(t *testing.T) {
		f := newRepository(t)
		f.must(os.WriteFile(f.path(".git/config"), []byte("[core]\nrepositoryformatversion = 99\n"), 0o600))
		if _, err := git.Open(t.Context(), f.dir, nil); err == nil || !strings.Contains(err.Error(), "99") {
			t.Errorf("Open = %v, want git's own complaint", err)
		}
	})
}

func TestPrintSurvivesBeingWrittenDown(t *testing.T) {
	for _, p := range []*Fingerprint{{Head: "abc", Files: "def"}, {Files: "def"}} {
		if got := ParseFingerprint(p.String()); got == nil || *got != *p {
			t.Errorf("ParseFingerprint(%q) = %v, want %v", p.String(), got, p)
		}
	}
	if got := ParseFingerprint((*Fingerprint)(nil).String()); got != nil {
		t.Errorf("no print reads as %v, want none", got)
	}
}
