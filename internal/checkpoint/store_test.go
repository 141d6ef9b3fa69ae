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
	f.T.Helper()
	s, err := OpenStore(f.T.Context(), tree, filepath.Join(f.T.TempDir(), "objects"), "")
	f.Must(err)
	return s
}

// REFRAIN_GLANCE=1 has every test of this package look only at what is told.
var glances = os.Getenv("REFRAIN_GLANCE") != ""

func (f folder) checkpoint(s *Store) Checkpoint {
	f.T.Helper()
	if glances && s.list == nil {
		c, _ := f.glance(s)
		return c
	}
	c, err := s.Checkpoint(f.T.Context())
	f.Must(err)
	return c
}

// glance is a checkpoint of what is told, in trees of any size.
func (f folder) glance(s *Store) (c Checkpoint, all bool) {
	f.T.Helper()
	if s.lookout.from == 0 {
		f.T.Cleanup(s.Watch(1))
	}
	c, all, err := s.Glance(f.T.Context())
	f.Must(err)
	return c, all
}

func (f folder) changes(s *Store, before, after Checkpoint) loop.Changes {
	f.T.Helper()
	c, err := s.Changes(f.T.Context(), before, after)
	f.Must(err)
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
	f.T = t
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
	dirty := func(f folder) { f.Write("a.txt", "1ne"); f.Write("new.txt", "new") }
	long := strings.Repeat("a line\n", 50)
	happenings := []happening{
		{"nothing", dirty, func(folder) {}, nil},
		{"a new file", nil, func(f folder) { f.Write("c.txt", "") }, []string{"created c.txt"}},
		{"an edit", nil, func(f folder) { f.Write("a.txt", "longer") }, []string{"modified a.txt"}},
		{"an edit of the same size", dirty, func(f folder) { f.Write("a.txt", "2ne"); f.Write("new.txt", "wen") }, []string{"modified a.txt", "modified new.txt"}},
		{"a change taken back", dirty, func(f folder) { f.Git("checkout", "-q", "a.txt") }, []string{"modified a.txt"}},
		{"a rewrite with the same content", dirty, func(f folder) { f.Write("a.txt", "1ne") }, nil},
		{"deletions", dirty, func(f folder) { f.Must(os.Remove(f.Path("b.txt"))); f.Must(os.Remove(f.Path("new.txt"))) }, []string{"deleted b.txt", "deleted new.txt"}},
		{"a rename", func(f folder) { f.Write("x/long", long) }, func(f folder) {
			f.Must(os.Rename(f.Path("x/long"), f.Path("long")))
		}, []string{"renamed long from x/long"}},
		{"a rename with an edit, committed", func(f folder) { f.Write("x/long", long); f.Commit("long") }, func(f folder) {
			f.Git("mv", "x/long", "y")
			f.Write("y", long+"more\n")
			f.Commit("moved")
		}, []string{"renamed y from x/long", "commits 1"}},
		{"a file becomes a folder", nil, func(f folder) { f.Must(os.Remove(f.Path("a.txt"))); f.Write("a.txt/x", "") }, []string{"deleted a.txt", "created a.txt/x"}},
		{"a folder becomes a file", func(f folder) { f.Write("d/x", "1"); f.Write("d/y", "2") }, func(f folder) {
			f.Must(os.RemoveAll(f.Path("d")))
			f.Write("d", "3")
		}, []string{"created d", "deleted d/x", "deleted d/y"}},
		{"staging only", dirty, func(f folder) { f.Git("add", "-A") }, nil},
		{"a stash", dirty, func(f folder) { f.Git("stash", "-q", "-u") }, []string{"modified a.txt", "deleted new.txt"}},
		{"a new branch only", dirty, func(f folder) { f.Git("checkout", "-q", "-b", "other") }, nil},
		{"a commit of what was there", dirty, func(f folder) { f.Commit("second") }, []string{"commits 1"}},
		{"a commit of nothing", nil, func(f folder) { f.Git("commit", "-q", "--allow-empty", "-m", "empty") }, []string{"commits 1"}},
		{"a new file and its commit", nil, func(f folder) { f.Write("c", ""); f.Commit("second") }, []string{"created c", "commits 1"}},
		{"an amended commit", nil, func(f folder) { f.Git("commit", "-q", "--amend", "-m", "other words") }, []string{"commits 1"}},
		{"commits on a branch that is left again", nil, func(f folder) {
			f.Git("checkout", "-q", "-b", "other")
			f.Write("c", "")
			f.Commit("one")
			f.CommitEmpty("two")
			f.Git("checkout", "-q", "-")
		}, []string{"commits 2"}},
		{"an existing branch is checked out", func(f folder) {
			f.Git("checkout", "-q", "-b", "other")
			f.Write("c", "")
			f.Commit("one")
			f.Git("checkout", "-q", "-")
		}, func(f folder) { f.Git("checkout", "-q", "other") }, []string{"created c"}},
		{"a rebase", func(f folder) {
			f.Git("checkout", "-q", "-b", "other")
			f.Write("c", "")
			f.Commit("one")
			f.Write("d", "")
			f.Commit("two")
			f.Git("checkout", "-q", "-")
			f.Write("e", "")
			f.Commit("three")
			f.Git("checkout", "-q", "other")
		}, func(f folder) { f.Git("rebase", "-q", "-") }, []string{"created e", "commits 2"}},
		{"commits without a branch", nil, func(f folder) {
			f.Git("checkout", "-q", "--detach")
			f.CommitEmpty("one")
		}, []string{"commits 1"}},
		{"every branch is deleted", nil, func(f folder) { f.Git("checkout", "-q", "--orphan", "new"); f.Git("branch", "-q", "-D", "master") }, nil},
		{"the index is deleted", dirty, func(f folder) { f.Must(os.Remove(f.Path(".git/index"))); f.Write("a.txt", "2ne") }, []string{"modified a.txt"}},
		{"the index is broken", dirty, func(f folder) { f.Must(os.WriteFile(f.Path(".git/index"), []byte("x"), 0o600)) }, nil},
		{"an ignored file", nil, func(f folder) { f.Write("x.log", ""); f.Write("build/out", "") }, nil},
		{"an ignored file that is tracked", func(f folder) { f.Write("x.log", "1"); f.Git("add", "-f", "x.log") }, func(f folder) { f.Write("x.log", "2") }, []string{"modified x.log"}},
		{"an ignored file that comes to be tracked", func(f folder) { f.Write("x.log", "1") }, func(f folder) { f.Git("add", "-f", "x.log") }, []string{"created x.log"}},
		{"a file that comes to be ignored", dirty, func(f folder) { f.Write(".gitignore", "new.txt\n") }, []string{"modified .gitignore", "deleted new.txt"}},
		{"a file that is written to and comes to be ignored", dirty, func(f folder) { f.Write("new.txt", "other"); f.Write(".gitignore", "new.txt\n") }, []string{"modified .gitignore", "deleted new.txt"}},
		{"a file that the user's own rules ignore", dirty, func(f folder) { f.Write(".git/info/exclude", "new.txt\n") }, []string{"deleted new.txt"}},
		{"a tracked file that comes to be ignored", nil, func(f folder) { f.Write(".gitignore", "a.txt\n") }, []string{"modified .gitignore"}},
		{"a notes file", func(f folder) { f.Write("PROGRESS.md", "a"); f.Commit("notes") }, func(f folder) { f.Write("PROGRESS.md", "b"); f.Write("d/PROGRESS.md", "") }, nil},
		{"work that becomes notes", func(f folder) { f.Write("x", long) }, func(f folder) { f.Must(os.Rename(f.Path("x"), f.Path("PROGRESS.md"))) }, []string{"deleted x"}},
		{"notes that become work", func(f folder) { f.Write("PROGRESS.md", long) }, func(f folder) { f.Must(os.Rename(f.Path("PROGRESS.md"), f.Path("x"))) }, []string{"created x"}},
		{"our own files", nil, func(f folder) { f.Write(".refrain/runs/build-1/journal.jsonl", ""); f.Write(".refrain/lock-1", "") }, nil},
		{"the user's own hooks", nil, func(f folder) { f.Write(".refrain/hooks/started", "") }, []string{"created .refrain/hooks/started"}},
		{"odd names", func(f folder) { f.Write("ü/ß ☃ x", "a") }, func(f folder) { f.Write("ü/ß ☃ x", "b"); f.Write("-n", "") }, []string{"created -n", "modified ü/ß ☃ x"}},
		{"a conflict", nil, conflict, []string{"modified a.txt", "commits 2"}},
		{"a conflict that is solved", conflict, func(f folder) { f.Write("a.txt", "solved") }, []string{"modified a.txt"}},
		{"a file that is only meant to be added", func(f folder) { f.Write("c", "1"); f.Git("add", "-N", "c") }, func(f folder) { f.Write("c", "2") }, []string{"modified c"}},
		{"a file that nobody is to look at", func(f folder) {
			f.Git("update-index", "--assume-unchanged", "a.txt")
			f.Git("update-index", "--skip-worktree", "b.txt")
		}, func(f folder) {
			f.Write("a.txt", "1ne")
			f.Write("b.txt", "2wo")
		}, []string{"modified a.txt", "modified b.txt"}},
		{"broken settings of submodules", nil, func(f folder) { f.Write(".gitmodules", "[bad") }, []string{"created .gitmodules"}},
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
	f.Write("grows", "1\n2\n")
	f.Write("binary", "\x00\x01")
	s := f.keep(f.open("NOTES.md"))
	before := f.checkpoint(s)
	f.Write("grows", "1\n2\n3\n4\n")
	f.Write("new", "1\n")
	f.Write("binary", "\x00\x02")
	f.Write("NOTES.md", "1\n2\n3\n")
	f.Must(os.Remove(f.Path("a.txt"))) // one line without an end
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
	f.Write("c", "1")
	first := f.checkpoint(s)
	f.Write("c", "2")
	f.Write("a.txt", "changed")

	again, err := OpenStore(t.Context(), tree, s.dir, "")
	f.Must(err)
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
	tree, err := git.Open(t.Context(), f.Dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	var s *Store
	ended := true // not while the store is made
	through := tree.Through(func(ctx context.Context, spec proc.Spec) (loop.Exit, error) {
		if slices.Contains(spec.Argv, "update-index") && !ended {
			ended = true
			f.Must(os.WriteFile(s.repo.index()+".lock", nil, 0o600))
			return loop.Exit{Signal: "KILL", Cause: loop.Signaled}, nil
		}
		return proc.Run(ctx, spec)
	})
	s, err = OpenStore(t.Context(), through, t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	ended = false
	f.Write("a.txt", "more")
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
	f.Must(os.WriteFile(filepath.Join(home, ".gitconfig"), []byte("[core]\n\texcludesFile = ~/rules\n"), 0o600))
	f.Must(os.WriteFile(rules, []byte("private\n"), 0o600))
	tree := f.open()
	was, err := tree.Guard().UserSettings(t.Context())
	f.Must(err)
	f.Must(tree.Guard().UseSettings(t.Context(), at, was))
	f.Write("private", "x")
	f.Write("new", "x")
	s := f.keep(tree)
	f.Must(os.WriteFile(rules, []byte("*\n"), 0o600))
	c := f.checkpoint(s)
	if got := f.holds(s, c, "new"); got != "x" {
		t.Errorf("the checkpoint has %q in a file that an agent would hide", got)
	}
	like, err := readLike(t.Context(), s.dir)
	f.Must(err)
	if strings.Contains(like, filepath.Dir(at)) || !strings.Contains(like, "~/rules") {
		t.Errorf("the store goes by\n%s", like)
	}
}

// What git answers in lines may hold one more.
func TestARepositoryWithALineBreakInItsName(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a\nb")
	f := folderAt(t, dir)
	f.Must(os.MkdirAll(dir, 0o700))
	f.Git("init", "-q")
	u, err := findUserRepo(t.Context(), f.open())
	f.Must(err)
	if filepath.Base(u.top) != "a\nb" || u.dir != filepath.Join(u.top, ".git") || u.format != "sha1" {
		t.Errorf("it is at %q, its git folder at %q, in %q", u.top, u.dir, u.format)
	}
}

// Git converts a file by this setting however it is written, so what the user's index
// knows of it does not tell what is on the disk.
func TestLineEndingsThatGitConverts(t *testing.T) {
	for _, value := range []string{"input", "true", "yes"} {
		f := newRepository(t)
		f.Git("config", "core.autocrlf", "false")
		f.Git("config", "--add", "core.autocrlf", value)
		f.Write("a.txt", "one\r\ntwo\r\n")
		f.Git("add", "-A")
		s := f.keep(f.open())
		if got := f.holds(s, f.checkpoint(s), "a.txt"); got != "one\r\ntwo\r\n" {
			t.Errorf("with %s the checkpoint has %q", value, got)
		}
	}
}
