package git

import (
	"errors"
	"os"
	"strings"
	"testing"
)

func branchNow(t *testing.T, tree *Tree) string {
	t.Helper()
	name, err := tree.Branch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func TestBranchIsTheOneCheckedOut(t *testing.T) {
	f := newFolder(t)
	f.Git("init", "-q", "--template=", "-b", "trunk")
	tree := f.open()
	if got := branchNow(t, tree); got != "trunk" {
		t.Errorf("before the first commit: %q", got)
	}
	f.Write("a.txt", "one")
	f.Commit("first")
	f.Git("tag", "trunk")
	if got := branchNow(t, tree); got != "trunk" {
		t.Errorf("beside a tag of the same name: %q", got)
	}
	f.Git("switch", "-q", "--detach")
	if got := branchNow(t, tree); got != "" {
		t.Errorf("at a commit: %q", got)
	}
}

func TestStartBranchKeepsFilesAndIndex(t *testing.T) {
	f := newRepository(t)
	f.Write("a.txt", "other")
	f.Git("add", "a.txt")
	f.Must(os.Remove(f.Path("b.txt")))
	f.Write("new.txt", "new")
	status, head := f.said("status", "--porcelain"), f.said("rev-parse", "HEAD")
	tree := f.open()
	for _, when := range []string{"made", "there already"} {
		f.Must(tree.StartBranch(t.Context(), "loop/20261115"))
		if got := branchNow(t, tree); got != "loop/20261115" {
			t.Errorf("%s: the branch is %q", when, got)
		}
		if got := f.said("status", "--porcelain"); got != status || f.said("rev-parse", "HEAD") != head {
			t.Errorf("%s: git status says %q, before it said %q", when, got, status)
		}
	}
}

func TestStartBranchBeforeTheFirstCommit(t *testing.T) {
	f := newFolder(t)
	f.Git("init", "-q", "--template=")
	tree := f.open()
	f.Must(tree.StartBranch(t.Context(), "loop/1"))
	if got := branchNow(t, tree); got != "loop/1" {
		t.Errorf("the branch is %q", got)
	}
}

func TestStartBranchRefuses(t *testing.T) {
	f := newRepository(t)
	f.Git("branch", "theirs")
	tree, before := f.open(), branchNow(t, f.open())
	tests := []struct{ name, want string }{
		{"theirs", "there is a branch"},
		{"", "cannot be the name"},
		{"a b", "cannot be the name"},
		{"-x", "cannot be the name"},
		{"a..b", "cannot be the name"},
		{"@{-1}", "cannot be the name"},
		{"HEAD", "cannot be the name"},
		{"/a", "cannot be the name"},
	}
	for _, tt := range tests {
		err := tree.StartBranch(t.Context(), tt.name)
		var refused *RefusedError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), tt.want) || refused.Hint() == "" {
			t.Errorf("StartBranch(%q) = %v, want a refusal that says %q", tt.name, err, tt.want)
		}
	}
	if err := tree.StartBranch(t.Context(), "theirs/below"); err == nil {
		t.Error("a branch below another was made")
	}
	if got := branchNow(t, tree); got != before {
		t.Errorf("the branch is %q, it was %q", got, before)
	}
	if err := newFolder(t).open().StartBranch(t.Context(), "x"); err == nil {
		t.Error("a branch without git was made")
	}
}
