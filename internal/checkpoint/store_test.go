package checkpoint

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
)

// keep opens a store for the tree where runs are kept.
func (f folder) keep(tree *git.Tree) *Store {
	f.t.Helper()
	s, err := OpenStore(f.t.Context(), tree, filepath.Join(f.t.TempDir(), "objects"), "")
	f.must(err)
	return s
}

func (f folder) checkpoint(s *Store) Checkpoint {
	f.t.Helper()
	c, err := s.Checkpoint(f.t.Context())
	f.must(err)
	return c
}

func (f folder) changes(s *Store, before, after Checkpoint) loop.Changes {
	f.t.Helper()
	c, err := s.Changes(f.t.Context(), before, after)
	f.must(err)
	return c
}

// says is what changes say, line by line.
func says(c loop.Changes) []string {
	var lines []string
	for _, p := range c.Paths {
		line := p.Change + " " + p.Path
		if p.From != "" {
			line += " from " + p.From
		}
		lines = append(lines, line)
	}
	if c.Commits > 0 {
		lines = append(lines, fmt.Sprintf("commits %d", c.Commits))
	}
	return lines
}

// happening is something that happens between two checkpoints.
type happening struct {
	name   string
	before func(folder)
	act    func(folder)
	want   []string
}

func (h happening) check(t *testing.T, f folder, s *Store) {
	t.Helper()
	f.t = t
	if h.before != nil {
		h.before(f)
	}
	before := f.checkpoint(s)
	h.act(f)
	after := f.checkpoint(s)
	got := says(f.changes(s, before, after))
	if !slices.Equal(got, h.want) {
		t.Errorf("changes = %q, want %q", got, h.want)
	}
	if again := f.checkpoint(s); again.ID != after.ID {
		t.Errorf("a checkpoint with nothing to keep is a new one: %s, %s", after.ID, again.ID)
	}
}

func TestWhatHappensBetweenTwoCheckpoints(t *testing.T) {
	t.Parallel()
	dirty := func(f folder) { f.write("a.txt", "1ne"); f.write("new.txt", "new") }
	long := strings.Repeat("a line\n", 50)
	happenings := []happening{
		{"nothing", dirty, func(folder) {}, nil},
		{"a new file", nil, func(f folder) { f.write("c.txt", "") }, []string{"created c.txt"}},
		{"an edit", nil, func(f folder) { f.write("a.txt", "longer") }, []string{"modified a.txt"}},
		{"an edit of the same size", dirty, func(f folder) { f.write("a.txt", "2ne"); f.write("new.txt", "wen") }, []string{"modified a.txt", "modified new.txt"}},
		{"a change taken back", dirty, func(f folder) { f.git("checkout", "-q", "a.txt") }, []string{"modified a.txt"}},
		{"a rewrite with the same content", dirty, func(f folder) { f.write("a.txt", "1ne") }, nil},
		{"deletions", dirty, func(f folder) { f.must(os.Remove(f.path("b.txt"))); f.must(os.Remove(f.path("new.txt"))) }, []string{"deleted b.txt", "deleted new.txt"}},
		{"a rename", func(f folder) { f.write("x/long", long) }, func(f folder) {
			f.must(os.Rename(f.path("x/long"), f.path("long")))
		}, []string{"renamed long from x/long"}},
		{"a rename with an edit, committed", func(f folder) { f.write("x/long", long); f.commit("long") }, func(f folder) {
			f.git("mv", "x/long", "y")
			f.write("y", long+"more\n")
			f.commit("moved")
		}, []string{"renamed y from x/long", "commits 1"}},
		{"a file becomes a folder", nil, func(f folder) { f.must(os.Remove(f.path("a.txt"))); f.write("a.txt/x", "") }, []string{"deleted a.txt", "created a.txt/x"}},
		{"a folder becomes a file", func(f folder) { f.write("d/x", "1"); f.write("d/y", "2") }, func(f folder) {
			f.must(os.RemoveAll(f.path("d")))
			f.write("d", "3")
		}, []string{"created d", "deleted d/x", "deleted d/y"}},
		{"staging only", dirty, func(f folder) { f.git("add", "-A") }, nil},
		{"a stash", dirty, func(f folder) { f.git("stash", "-q", "-u") }, []string{"modified a.txt", "deleted new.txt"}},
		{"a new branch only", dirty, func(f folder) { f.git("checkout", "-q", "-b", "other") }, nil},
		{"a commit of what was there", dirty, func(f folder) { f.commit("second") }, []string{"commits 1"}},
		{"a commit of nothing", nil, func(f folder) { f.git("commit", "-q", "--allow-empty", "-m", "empty") }, []string{"commits 1"}},
		{"a new file and its commit", nil, func(f folder) { f.write("c", ""); f.commit("second") }, []string{"created c", "commits 1"}},
		{"an amended commit", nil, func(f folder) { f.git("commit", "-q", "--amend", "-m", "other words") }, []string{"commits 1"}},
		{"commits on a branch that is left again", nil, func(f folder) {
			f.git("checkout", "-q", "-b", "other")
			f.write("c", "")
			f.commit("one")
			f.commitEmpty("two")
			f.git("checkout", "-q", "-")
		}, []string{"commits 2"}},
		{"an existing branch is checked out", func(f folder) {
			f.git("checkout", "-q", "-b", "other")
			f.write("c", "")
			f.commit("one")
			f.git("checkout", "-q", "-")
		}, func(f folder) { f.git("checkout", "-q", "other") }, []string{"created c"}},
		{"a rebase", func(f folder) {
			f.git("checkout", "-q", "-b", "other")
			f.write("c", "")
			f.commit("one")
			f.write("d", "")
			f.commit("two")
			f.git("checkout", "-q", "-")
			f.write("e", "")
			f.commit("three")
			f.git("checkout", "-q", "other")
		}, func(f folder) { f.git("rebase", "-q", "-") }, []string{"created e", "commits 2"}},
		{"commits without a branch", nil, func(f folder) {
			f.git("checkout", "-q", "--detach")
			f.commitEmpty("one")
		}, []string{"commits 1"}},
		{"every branch is deleted", nil, func(f folder) { f.git("checkout", "-q", "--orphan", "new"); f.git("branch", "-q", "-D", "master") }, nil},
		{"the index is deleted", dirty, func(f folder) { f.must(os.Remove(f.path(".git/index"))); f.write("a.txt", "2ne") }, []string{"modified a.txt"}},
		{"the index is broken", dirty, func(f folder) { f.must(os.WriteFile(f.path(".git/index"), []byte("x"), 0o600)) }, nil},
		{"an ignored file", nil, func(f folder) { f.write("x.log", ""); f.write("build/out", "") }, nil},
		{"an ignored file that is tracked", func(f folder) { f.write("x.log", "1"); f.git("add", "-f", "x.log") }, func(f folder) { f.write("x.log", "2") }, []string{"modified x.log"}},
		{"an ignored file that comes to be tracked", func(f folder) { f.write("x.log", "1") }, func(f folder) { f.git("add", "-f", "x.log") }, []string{"created x.log"}},
		{"a file that comes to be ignored", dirty, func(f folder) { f.write(".gitignore", "new.txt\n") }, []string{"modified .gitignore", "deleted new.txt"}},
		{"a file that is written to and comes to be ignored", dirty, func(f folder) { f.write("new.txt", "other"); f.write(".gitignore", "new.txt\n") }, []string{"modified .gitignore", "deleted new.txt"}},
		{"a file that the user's own rules ignore", dirty, func(f folder) { f.write(".git/info/exclude", "new.txt\n") }, []string{"deleted new.txt"}},
		{"a tracked file that comes to be ignored", nil, func(f folder) { f.write(".gitignore", "a.txt\n") }, []string{"modified .gitignore"}},
		{"a notes file", func(f folder) { f.write("PROGRESS.md", "a"); f.commit("notes") }, func(f folder) { f.write("PROGRESS.md", "b"); f.write("d/PROGRESS.md", "") }, nil},
		{"work that becomes notes", func(f folder) { f.write("x", long) }, func(f folder) { f.must(os.Rename(f.path("x"), f.path("PROGRESS.md"))) }, []string{"deleted x"}},
		{"notes that become work", func(f folder) { f.write("PROGRESS.md", long) }, func(f folder) { f.must(os.Rename(f.path("PROGRESS.md"), f.path("x"))) }, []string{"created x"}},
		{"our own files", nil, func(f folder) { f.write(".refrain/runs/build-1/journal.jsonl", ""); f.write(".refrain/lock-1", "") }, nil},
		{"the user's own hooks", nil, func(f folder) { f.write(".refrain/hooks/started", "") }, []string{"created .refrain/hooks/started"}},
		{"odd names", func(f folder) { f.write("ü/ß ☃ x", "a") }, func(f folder) { f.write("ü/ß ☃ x", "b"); f.write("-n", "") }, []string{"created -n", "modified ü/ß ☃ x"}},
		{"a conflict", nil, conflict, []string{"modified a.txt", "commits 2"}},
		{"a conflict that is solved", conflict, func(f folder) { f.write("a.txt", "solved") }, []string{"modified a.txt"}},
		{"a file that is only meant to be added", func(f folder) { f.write("c", "1"); f.git("add", "-N", "c") }, func(f folder) { f.write("c", "2") }, []string{"modified c"}},
		{"a file that nobody is to look at", func(f folder) {
			f.git("update-index", "--assume-unchanged", "a.txt")
			f.git("update-index", "--skip-worktree", "b.txt")
		}, func(f folder) {
			f.write("a.txt", "1ne")
			f.write("b.txt", "2wo")
		}, []string{"modified a.txt", "modified b.txt"}},
		{"broken settings of submodules", nil, func(f folder) { f.write(".gitmodules", "[bad") }, []string{"created .gitmodules"}},
	}
	for _, h := range happenings {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			f := newRepository(t)
			tree := f.open("PROGRESS.md")
			if h.before != nil {
				h.before(f)
				h.before = nil
			}
			h.check(t, f, f.keep(tree))
		})
	}
}

func TestLinesAreCounted(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.write("grows", "1\n2\n")
	f.write("binary", "\x00\x01")
	s := f.keep(f.open("NOTES.md"))
	before := f.checkpoint(s)
	f.write("grows", "1\n2\n3\n4\n")
	f.write("new", "1\n")
	f.write("binary", "\x00\x02")
	f.write("NOTES.md", "1\n2\n3\n")
	f.must(os.Remove(f.path("a.txt"))) // one line without an end
	c := f.changes(s, before, f.checkpoint(s))
	if c.LinesAdded != 3 || c.LinesRemoved != 1 || c.Created != 1 || c.Modified != 2 || c.Deleted != 1 {
		t.Errorf("changes = %+v, want 3 lines more and 1 less in 1 new, 2 modified and 1 deleted file", c)
	}
	if got := c.Signals(); !slices.Equal(got, inFiles) {
		t.Errorf("signals = %q, want %q", got, inFiles)
	}
	if got := (loop.Changes{Commits: 1}).Signals(); !slices.Equal(got, commits) {
		t.Errorf("signals of a commit = %q, want %q", got, commits)
	}
}

func TestAStoreIsOpenedAgain(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	tree := f.open()
	s := f.keep(tree)
	f.write("c", "1")
	first := f.checkpoint(s)
	f.write("c", "2")
	f.write("a.txt", "changed")

	again, err := OpenStore(t.Context(), tree, s.dir, "")
	f.must(err)
	second := f.checkpoint(again)
	want := []string{"modified a.txt", "modified c"}
	if got := says(f.changes(again, first, second)); !slices.Equal(got, want) {
		t.Errorf("changes = %q, want %q", got, want)
	}
	if _, err := again.Load(t.Context(), strings.Repeat("0", 40)); err == nil {
		t.Error("a checkpoint that was never made is loaded")
	}
	if _, err := again.Load(t.Context(), "--help"); err == nil {
		t.Error("an option is taken for a checkpoint")
	}
}

func TestACheckpointIsMadeAfterItsGitWasEnded(t *testing.T) {
	f := newRepository(t)
	tree, err := git.Open(t.Context(), f.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	var s *Store
	ended := true // not while the store is made
	through := tree.Through(func(ctx context.Context, spec proc.Spec) (loop.Exit, error) {
		if slices.Contains(spec.Argv, "update-index") && !ended {
			ended = true
			f.must(os.WriteFile(s.repo.index()+".lock", nil, 0o600))
			return loop.Exit{Signal: "KILL", Cause: loop.Signaled}, nil
		}
		return proc.Run(ctx, spec)
	})
	s, err = OpenStore(t.Context(), through, t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	ended = false
	f.write("a.txt", "more")
	if c, err := s.Checkpoint(t.Context()); err != nil || !ended || c.Tree == "" {
		t.Errorf("Checkpoint = %+v, %v (its git was ended: %v)", c, err, ended)
	}
}

// A store outlives the run, and is copied with it, so it does not lead to the
// run's own copy.
func TestAStoreKnowsTheUsersOwnRules(t *testing.T) {
	f := newRepository(t)
	home, at := t.TempDir(), filepath.Join(t.TempDir(), "gitconfig")
	rules := filepath.Join(home, "rules")
	t.Setenv("HOME", home)
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(home, ".gitconfig"))
	f.must(os.WriteFile(filepath.Join(home, ".gitconfig"), []byte("[core]\n\texcludesFile = ~/rules\n"), 0o600))
	f.must(os.WriteFile(rules, []byte("private\n"), 0o600))
	tree := f.open()
	was, err := tree.Guard().UserSettings(t.Context())
	f.must(err)
	f.must(tree.Guard().UseSettings(t.Context(), at, was))
	f.write("private", "x")
	f.write("new", "x")
	s := f.keep(tree)
	f.must(os.WriteFile(rules, []byte("*\n"), 0o600))
	c := f.checkpoint(s)
	if got := f.holds(s, c, "new"); got != "x" {
		t.Errorf("the checkpoint has %q in a file that an agent would hide", got)
	}
	like, err := readLike(t.Context(), s.dir)
	f.must(err)
	if strings.Contains(like, filepath.Dir(at)) || !strings.Contains(like, "~/rules") {
		t.Errorf("the store goes by\n%s", like)
	}
}
