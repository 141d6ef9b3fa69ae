package git

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// newProject is a repository in a folder of its own, so that there is room
// beside it.
func newProject(t *testing.T) folder {
	t.Helper()
	f := newFolder(t)
	dir, err := filepath.EvalSymlinks(f.Dir)
	f.Must(err)
	f.Dir = filepath.Join(dir, "project")
	f.Must(os.Mkdir(f.Dir, 0o700))
	f.Git("init", "-q", "--template=", "-b", "trunk")
	f.Write("sub/a.txt", "one")
	f.Commit("first")
	return f
}

func (f folder) addWorktree(name string) (Worktree, folder) {
	f.T.Helper()
	w, err := f.open().Worktrees().Add(f.T.Context(), name, "")
	f.Must(err)
	return w, folderAt(f.T, w.Dir)
}

func TestAddWorktree(t *testing.T) {
	f := newProject(t)
	f.Write("sub/a.txt", "the user's, not committed")
	w, err := folderAt(t, f.Path("sub")).open().Worktrees().Add(t.Context(), "fix", "")
	f.Must(err)
	want := Worktree{Dir: f.Dir + "-fix", Work: filepath.Join(f.Dir+"-fix", "sub"), Branch: "loop/fix"}
	if w != want {
		t.Errorf("AddWorktree = %+v, want %+v", w, want)
	}
	if b, err := os.ReadFile(filepath.Join(w.Work, "a.txt")); string(b) != "one" {
		t.Errorf("the file in it is %q, %v", b, err)
	}
	there := folderAt(t, w.Dir)
	if got := branchNow(t, there.open()); got != "loop/fix" {
		t.Errorf("its branch is %q", got)
	}
	if got := branchNow(t, f.open()); got != "trunk" {
		t.Errorf("the branch of the main work tree is %q", got)
	}
}

func TestAWorktreeWithoutANameGetsOne(t *testing.T) {
	f := newProject(t)
	first, _ := f.addWorktree("")
	second, _ := f.addWorktree("")
	if first.Dir == second.Dir || !regexp.MustCompile(`^loop/\d{8}-[a-z0-9]{6}$`).MatchString(first.Branch) {
		t.Errorf("the work trees are %+v and %+v", first, second)
	}
}

func TestAddWorktreeGoesOnWithABranch(t *testing.T) {
	f := newProject(t)
	f.Git("switch", "-q", "-c", "loop/fix")
	f.Write("b.txt", "two")
	f.Commit("second")
	f.Git("switch", "-q", "trunk")
	if _, there := f.addWorktree("fix"); !there.Exists("b.txt") {
		t.Error("the branch began anew")
	}
}

func TestAddWorktreeRefuses(t *testing.T) {
	f := newProject(t)
	f.Git("branch", "loop/used")
	f.Git("worktree", "add", "-q", f.Dir+"/../elsewhere", "loop/used")
	f.Must(os.Mkdir(f.Dir+"-folder", 0o700))
	tests := []struct{ name, want string }{
		{"folder", "there is something at " + f.Dir + "-folder"},
		{"used", `"loop/used" is in use at `},
		{"a/b", "leave out the slashes"},
		{`a\b`, "leave out the slashes"},
		{"..", "cannot be the name"},
		{"a b", "cannot be the name"},
	}
	for _, tt := range tests {
		_, err := f.open().Worktrees().Add(t.Context(), tt.name, "")
		var refused *RefusedError
		if !errors.As(err, &refused) || !strings.Contains(refused.Error()+refused.Hint(), tt.want) {
			t.Errorf("AddWorktree(%q) = %v, want a refusal that says %q", tt.name, err, tt.want)
		}
	}

	unborn := newFolder(t)
	unborn.Git("init", "-q", "--template=")
	if _, err := unborn.open().Worktrees().Add(t.Context(), "x", ""); err == nil || !strings.Contains(err.Error(), "no commit yet") {
		t.Errorf("before the first commit: %v", err)
	}
	if _, err := newFolder(t).open().Worktrees().Add(t.Context(), "x", ""); err == nil || !strings.Contains(err.Error(), "not in a git work tree") {
		t.Errorf("without git: %v", err)
	}
}

func TestAWorktreeThatCannotBeginLeavesNothing(t *testing.T) {
	f := newProject(t)
	f.Git("branch", "loop")
	if w, err := f.open().Worktrees().Add(t.Context(), "fix", ""); err == nil || !strings.Contains(err.Error(), "refs/heads/loop") {
		t.Errorf("AddWorktree = %+v, %v, want what git said", w, err)
	}
	if _, err := os.Lstat(f.Dir + "-fix"); err == nil {
		t.Error("the folder is there")
	}
}

func TestAWorktreeThatCouldNotBeMadeLeavesNothing(t *testing.T) {
	f := newProject(t)
	f.Git("branch", "loop/old")
	f.hook("post-checkout", "echo no >&2; exit 3")
	for _, name := range []string{"fix", "old"} {
		if w, err := f.open().Worktrees().Add(t.Context(), name, ""); err == nil || !strings.Contains(err.Error(), "exit 3: no") {
			t.Errorf("AddWorktree = %+v, %v, want what the hook said", w, err)
		}
		if _, err := os.Lstat(f.Dir + "-" + name); err == nil {
			t.Error("the folder is there")
		}
	}
	if got := f.said("branch", "--format=%(refname:short)"); got != "loop/old\ntrunk" {
		t.Errorf("the branches are %q", got)
	}
}
