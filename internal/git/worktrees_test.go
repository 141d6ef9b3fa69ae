package git

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWorktreesTellWhatWouldBeLost(t *testing.T) {
	work := func(there folder) {
		there.Write("work.txt", "work")
		there.Commit("work")
	}
	tests := []struct {
		name string
		act  func(main, there folder)
		want Worktree // but for its place
	}{
		{"nothing was done", func(main, there folder) {}, Worktree{}},
		{"work that is not merged", func(main, there folder) { work(there) }, Worktree{Unmerged: 1}},
		{"work that is merged", func(main, there folder) {
			work(there)
			main.Git("merge", "-q", "loop/fix")
		}, Worktree{}},
		{"work that is merged upstream", func(main, there folder) {
			work(there)
			main.Git("update-ref", "refs/remotes/origin/trunk", "loop/fix")
			main.Git("config", "remote.origin.url", "nowhere")
			main.Git("config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
			main.Git("branch", "-q", "--set-upstream-to=origin/trunk", "trunk")
		}, Worktree{}},
		{"an upstream that is no more", func(main, there folder) {
			work(there)
			main.Git("config", "remote.origin.url", "nowhere")
			main.Git("config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
			main.Git("config", "branch.trunk.remote", "origin")
			main.Git("config", "branch.trunk.merge", "refs/heads/trunk")
		}, Worktree{Unmerged: 1}},
		{"files that are not committed", func(main, there folder) {
			there.Write("new/a", "new")
			there.Write("new/b", "new")
			there.Write("sub/a.txt", "other")
		}, Worktree{Uncommitted: 3}},
		{"work on no branch", func(main, there folder) {
			work(there)
			there.Git("switch", "-q", "--detach")
			there.Write("more.txt", "more")
			there.Commit("more")
		}, Worktree{Unmerged: 2}},
		{"the branch was deleted", func(main, there folder) {
			work(there)
			there.Git("switch", "-q", "-c", "other")
			there.Git("branch", "-q", "-D", "loop/fix")
		}, Worktree{Unmerged: 1}},
		{"the folder was deleted", func(main, there folder) {
			work(there)
			there.Must(os.RemoveAll(there.Dir))
		}, Worktree{Unmerged: 1, Gone: true}},
		{"the main work tree is at a commit", func(main, there folder) {
			work(there)
			main.Git("switch", "-q", "--detach", "loop/fix")
		}, Worktree{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newProject(t)
			f.Git("worktree", "add", "-q", f.Dir+"/../theirs")
			w, there := f.addWorktree("fix")
			tt.act(f, there)
			list, err := f.open().Worktrees().List(t.Context())
			if err != nil || len(list) != 1 {
				t.Fatalf("Worktrees = %+v, %v, want one", list, err)
			}
			got := list[0]
			got.head = ""
			tt.want.Dir, tt.want.Work, tt.want.Branch = w.Dir, w.Work, w.Branch
			if got != tt.want {
				t.Errorf("Worktrees = %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestWorktreesAreListedFromEverywhere(t *testing.T) {
	f := newProject(t)
	_, there := f.addWorktree("a")
	f.addWorktree("b")
	moved := f.Dir + "-moved"
	f.Git("worktree", "move", f.Dir+"-b", moved)
	list, err := there.open().Worktrees().List(t.Context())
	if err != nil || len(list) != 2 || list[0].Dir != there.Dir || list[1].Dir != moved || list[1].Branch != "loop/b" {
		t.Errorf("Worktrees = %+v, %v", list, err)
	}
	if list, err := newProject(t).open().Worktrees().List(t.Context()); len(list) != 0 || err != nil {
		t.Errorf("without any: %+v, %v", list, err)
	}
}

func TestRemoveWorktree(t *testing.T) {
	tests := []struct {
		name     string
		act      func(main, there folder)
		unmerged bool
		want     string // of the error, empty for none
		branch   bool   // is there afterwards
	}{
		{"that is merged and clean", func(main, there folder) {}, false, "", false},
		{"that holds ignored files", func(main, there folder) {
			main.Write(".git/info/exclude", "*.log\n")
			there.Write("x.log", "log")
		}, false, "", false},
		{"that has commits", func(main, there folder) {
			there.Write("a", "")
			there.Commit("work")
		}, false, "1 commit is not merged", true},
		{"that has commits, when asked", func(main, there folder) {
			there.Write("a", "")
			there.Commit("work")
		}, true, "", true},
		{"that has files", func(main, there folder) {
			there.Write("a", "")
		}, false, "1 file is not committed", true},
		{"that has both", func(main, there folder) {
			there.Write("a", "")
			there.Commit("work")
			there.Write("b", "")
		}, false, "1 file is not committed, 1 commit is not merged", true},
		{"that has files, even when asked", func(main, there folder) {
			there.Write("a", "")
			there.Write("b", "")
		}, true, "2 files are not committed", true},
		{"that has a file that is staged, even when asked", func(main, there folder) {
			there.Write("a", "")
			there.Git("add", "a")
		}, true, "1 file is not committed", true},
		{"whose commits are on no branch, even when asked", func(main, there folder) {
			there.Git("switch", "-q", "--detach")
			there.Write("a", "")
			there.Commit("work")
		}, true, "on no branch", true},
		{"whose folder is gone", func(main, there folder) {
			there.Must(os.RemoveAll(there.Dir))
		}, false, "", false},
		{"whose branch is looked at in the main work tree", func(main, there folder) {
			there.Git("switch", "-q", "--detach")
			main.Git("switch", "-q", "loop/fix")
		}, false, "", true},
		{"whose branch is gone", func(main, there folder) {
			there.Git("switch", "-q", "--detach")
			there.Git("branch", "-q", "-D", "loop/fix")
		}, false, "", false},
		{"that is locked", func(main, there folder) {
			main.Git("worktree", "lock", there.Dir)
		}, true, "locked", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newProject(t)
			w, there := f.addWorktree("fix")
			tt.act(f, there)
			err := f.open().Worktrees().Remove(t.Context(), w, tt.unmerged)
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("RemoveWorktree = %v, want %q", err, tt.want)
			}
			if _, err := os.Lstat(w.Dir); (err == nil) != (tt.want != "") {
				t.Errorf("afterwards the folder: %v", err)
			}
			if got := f.said("branch", "--list", "loop/fix") != ""; got != tt.branch {
				t.Errorf("afterwards the branch is there: %v", got)
			}
			var kept *KeptError
			if errors.As(err, &kept) && kept.Hint() == "" {
				t.Error("no hint")
			}
		})
	}
}

func TestRemoveWorktreeLeavesWhatIsNotOurs(t *testing.T) {
	f := newProject(t)
	theirs := filepath.Join(filepath.Dir(f.Dir), "theirs")
	f.Git("worktree", "add", "-q", theirs)
	var refused *RefusedError
	for _, dir := range []string{theirs, f.Dir} {
		if err := f.open().Worktrees().Remove(t.Context(), Worktree{Dir: dir}, true); !errors.As(err, &refused) {
			t.Errorf("%s: %v", dir, err)
		}
	}
	w, there := f.addWorktree("fix")
	if err := there.open().Worktrees().Remove(t.Context(), w, true); !errors.As(err, &refused) || !there.Exists("sub/a.txt") {
		t.Errorf("the one that we are in: %v", err)
	}
}
