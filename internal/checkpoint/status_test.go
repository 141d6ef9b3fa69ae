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
	dirty := func(f folder) { f.Write("a.txt", "1ne"); f.Write("new.txt", "new") }
	stories := []episode{
		{"nothing", dirty, func(folder) {}, nothing},
		{"a new file", nil, func(f folder) { f.Write("c.txt", "") }, inFiles},
		{"an edit", nil, func(f folder) { f.Write("a.txt", "longer") }, inFiles},
		{"an edit of the same size", nil, func(f folder) { f.Write("a.txt", "eno") }, inFiles},
		{"an edit of the same size in a changed file", dirty, func(f folder) { f.Write("a.txt", "2ne") }, inFiles},
		{"an edit of the same size in a new file", dirty, func(f folder) { f.Write("new.txt", "wen") }, inFiles},
		{"a change taken back", dirty, func(f folder) { f.Git("checkout", "-q", "a.txt") }, inFiles},
		{"a rewrite with the same content", nil, func(f folder) { f.Write("a.txt", "one") }, nothing},
		{"a deletion", nil, func(f folder) { f.Must(os.Remove(f.Path("a.txt"))) }, inFiles},
		{"a deletion of a new file", dirty, func(f folder) { f.Must(os.Remove(f.Path("new.txt"))) }, inFiles},
		{"a rename", nil, func(f folder) { f.Must(os.Rename(f.Path("a.txt"), f.Path("c.txt"))) }, inFiles},
		{"a staged rename", nil, func(f folder) { f.Git("mv", "a.txt", "c.txt") }, inFiles},
		{"a file in a new folder that was there", func(f folder) { f.Write("d/one", "") }, func(f folder) { f.Write("d/two", "") }, inFiles},
		{"a file that becomes a folder", nil, func(f folder) { f.Must(os.Remove(f.Path("a.txt"))); f.Write("a.txt/x", "") }, inFiles},
		{"staging only", dirty, func(f folder) { f.Git("add", "-A") }, nothing},
		{"a new branch only", dirty, func(f folder) { f.Git("checkout", "-q", "-b", "other") }, nothing},
		{"a commit of nothing", nil, func(f folder) { f.Git("commit", "-q", "--allow-empty", "-m", "empty") }, commits},
		{"a commit of what was there", dirty, func(f folder) { f.Commit("second") }, both},
		{"a new file and its commit", nil, func(f folder) { f.Write("c.txt", ""); f.Commit("second") }, commits},
		{"an amended commit", nil, func(f folder) { f.Git("commit", "-q", "--amend", "-m", "other words") }, commits},
		{"an ignored file", nil, func(f folder) { f.Write("x.log", ""); f.Write("build/out", "") }, nothing},
		{"a notes file", nil, func(f folder) { f.Write("PROGRESS.md", "did much"); f.Write("docs/PROGRESS.md", "") }, nothing},
		{"a committed notes file", func(f folder) { f.Write("PROGRESS.md", "a"); f.Commit("notes") }, func(f folder) { f.Write("PROGRESS.md", "b") }, nothing},
		{"our own files", nil, func(f folder) { f.Write(".refrain/runs/build-1/journal.jsonl", ""); f.Write(".refrain/lock-1", "") }, nothing},
		{"the user's own hooks", nil, func(f folder) { f.Write(".refrain/hooks/started", "") }, inFiles},
		{"odd names", nil, func(f folder) { f.Write("a b", ""); f.Write("ü/ß ☃", ""); f.Write("-n", "") }, inFiles},
		{"an edit under an odd name", func(f folder) { f.Write("ü/ß ☃ x", "a"); f.Commit("odd") }, func(f folder) { f.Write("ü/ß ☃ x", "b") }, inFiles},
		{"a new repository inside", nil, func(f folder) { f.Write("in/x", ""); f.Git("init", "-q", "in") }, inFiles},
		{"a file in a repository inside", func(f folder) { f.Write("in/x", ""); f.Git("init", "-q", "in") }, func(f folder) { f.Write("in/y", "") }, inFiles},
		{"a conflict that is edited", conflict, func(f folder) { f.Write("a.txt", "solved") }, inFiles},
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
	f.Git("checkout", "-q", "-b", "other")
	f.Write("a.txt", "theirs")
	f.Commit("theirs")
	f.Git("checkout", "-q", "-")
	f.Write("a.txt", "ours")
	f.Commit("ours")
	f.GitFails("merge", "-q", "other")
}

func TestWhatUnixKnowsOfFilesIsSeenByGit(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs modes, links and any name")
	}
	for _, s := range []episode{
		{"a mode", nil, func(f folder) { f.Must(os.Chmod(f.Path("a.txt"), 0o755)) }, inFiles},
		{"a name with a newline", func(f folder) { f.Write("a\nb c", "1") }, func(f folder) { f.Write("a\nb c", "2") }, inFiles},
		{"a link", nil, func(f folder) { f.Must(os.Symlink("a.txt", f.Path("link"))) }, inFiles},
		{"where a link points", func(f folder) { f.Must(os.Symlink("a.txt", f.Path("link"))) }, func(f folder) {
			f.Must(os.Remove(f.Path("link")))
			f.Must(os.Symlink("b.txt", f.Path("link")))
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
	f.Git("init", "-q")
	tree := f.open()
	before := f.print(tree)
	if !tree.Git() || before.Head != "" {
		t.Errorf("git = %v, head = %q before the first commit", tree.Git(), before.Head)
	}
	f.Write("a", "")
	if got := before.Signals(f.print(tree)); !slices.Equal(got, inFiles) {
		t.Errorf("a file: signals = %q, want %q", got, inFiles)
	}
	f.Commit("first")
	if got := before.Signals(f.print(tree)); !slices.Equal(got, commits) {
		t.Errorf("its commit: signals = %q, want %q", got, commits)
	}
}

func TestOnlyWhatIsBelowTheFolderCounts(t *testing.T) {
	f := newRepository(t)
	f.Write("sub folder/x", "1")
	f.Commit("second")
	tree, err := git.Open(t.Context(), f.Path("sub folder"), []string{"/notes/*.md"})
	f.Must(err)
	for _, s := range []episode{
		{"an edit outside", nil, func(f folder) { f.Write("a.txt", "edited") }, nothing},
		{"an edit", nil, func(f folder) { f.Write("sub folder/x", "2") }, inFiles},
		{"an edit again", nil, func(f folder) { f.Write("sub folder/x", "3") }, inFiles},
		{"a file that the pattern means", nil, func(f folder) { f.Write("sub folder/notes/n.md", "") }, nothing},
		{"a file deeper than the pattern means", nil, func(f folder) { f.Write("sub folder/deep/notes/n.md", "") }, inFiles},
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
	f.Write("a.txt", "one") // which a status would note in the index
	before, err := os.ReadFile(f.Path(".git/index"))
	f.Must(err)
	f.print(f.open())
	after, err := os.ReadFile(f.Path(".git/index"))
	f.Must(err)
	if string(before) != string(after) {
		t.Error("the index was written")
	}
}

func TestAnErrorOfGitIsReturned(t *testing.T) {
	t.Run("a broken repository", func(t *testing.T) {
		f := newRepository(t)
		tree := f.open()
		f.Must(os.WriteFile(f.Path(".git/index"), []byte("broken"), 0o600))
		_, err := git.FingerprintOf(t.Context(), tree)
		if err == nil || !strings.Contains(err.Error(), "git status") || !strings.Contains(err.Error(), "index") {
			t.Errorf("Print = %v, want git's own complaint", err)
		}
	})
	t.Run("git is gone", func(t *testing.T) {
		f := newRepository(t)
		tree := f.open().Through(func(context.Context, proc.Spec) (loop.Exit, error) {
			return proc.Run(t.Context(), proc.Spec{Argv: []string{filepath.Join(t.TempDir(), "git")}, Dir: f.Dir})
		})
		_, err := git.FingerprintOf(t.Context(), tree)
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
		if _, err := git.FingerprintOf(ctx, tree); !errors.Is(err, why) {
			t.Errorf("Print = %v, want %v", err, why)
		}
	})
	t.Run("a repository that git refuses", func(t *testing.T) {
		f := newRepository(t)
		f.Must(os.WriteFile(f.Path(".git/config"), []byte("[core]\nrepositoryformatversion = 99\n"), 0o600))
		if _, err := git.Open(t.Context(), f.Dir, nil); err == nil || !strings.Contains(err.Error(), "99") {
			t.Errorf("Open = %v, want git's own complaint", err)
		}
	})
}

func TestPrintSurvivesBeingWrittenDown(t *testing.T) {
	for _, p := range []*git.Fingerprint{{Head: "abc", Files: "def"}, {Files: "def"}} {
		if got := git.ParseFingerprint(p.String()); got == nil || *got != *p {
			t.Errorf("git.ParseFingerprint(%q) = %v, want %v", p.String(), got, p)
		}
	}
	if got := git.ParseFingerprint((*git.Fingerprint)(nil).String()); got != nil {
		t.Errorf("no print reads as %v, want none", got)
	}
}

// A file that the user's repository tracks although it is ignored, git does not tell of
// when it comes back.
func TestATrackedFileThatIsIgnoredComesBack(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.Write(".gitignore", "*.log\n")
	f.Write("sub/x.log", "one")
	f.Git("add", "-f", "sub/x.log", ".gitignore")
	f.Commit("first")
	s := f.keep(f.open())
	last := f.checkpoint(s)
	for _, step := range []struct {
		what string
		act  func()
		want []string
	}{
		{"it goes", func() { f.Must(os.Remove(f.Path("sub/x.log"))) }, []string{"deleted sub/x.log"}},
		{"nothing", func() {}, nil},
		{"it comes", func() { f.Write("sub/x.log", "two") }, []string{"created sub/x.log"}},
		{"it goes again", func() { f.Must(os.Remove(f.Path("sub/x.log"))) }, []string{"deleted sub/x.log"}},
		{"it comes with a commit", func() { f.Write("sub/x.log", "three"); f.CommitEmpty("more") }, []string{"created sub/x.log", "commits 1"}},
		{"its folder is a link", func() {
			f.Must(os.Rename(f.Path("sub"), f.Path("apart")))
			f.Must(os.Symlink("apart", f.Path("sub")))
		}, []string{"created sub", "deleted sub/x.log"}},
		{"the rules are others", func() { f.Write(".gitignore", "*.log\n*.x\n") }, []string{"modified .gitignore"}},
		{"its folder is there again", func() {
			f.Must(os.Remove(f.Path("sub")))
			f.Must(os.Rename(f.Path("apart"), f.Path("sub")))
		}, []string{"deleted sub", "created sub/x.log"}},
		{"a folder is in its place", func() { f.Must(os.Remove(f.Path("sub/x.log"))); f.Write("sub/x.log/y", "") }, []string{"deleted sub/x.log"}},
		{"it has its place again", func() { f.Must(os.RemoveAll(f.Path("sub/x.log"))); f.Write("sub/x.log", "four") }, []string{"created sub/x.log"}},
		{"it is tracked no more", func() { f.Git("rm", "-q", "--cached", "sub/x.log") }, []string{"deleted sub/x.log"}},
		{"and written", func() { f.Write("sub/x.log", "five") }, nil},
	} {
		step.act()
		now := f.checkpoint(s)
		if got := says(f.changes(s, last, now)); !slices.Equal(got, step.want) {
			t.Errorf("%s: changes = %q, want %q", step.what, got, step.want)
		}
		last = now
	}
}
