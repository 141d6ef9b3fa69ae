package git

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// said runs git and gives what it printed.
func (f folder) said(args ...string) string {
	f.T.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = f.Dir
	out, err := cmd.Output()
	if err != nil {
		f.T.Fatalf("git %q: %v", args, err)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// hook installs a git hook.
func (f folder) hook(name, script string) {
	f.T.Helper()
	f.Write(".git/hooks/"+name, "#!/bin/sh\n"+script+"\n")
	f.Must(os.Chmod(f.Path(".git/hooks/"+name), 0o700))
}

func (f folder) index() string {
	f.T.Helper()
	b, err := os.ReadFile(f.Path(".git/index"))
	f.Must(err)
	return string(b)
}

// changed gives the paths of a commit with how each differs from its parent.
func (f folder) changed(commit string) string {
	f.T.Helper()
	return strings.ReplaceAll(f.said("show", "--format=", "--name-status", "--no-renames", commit), "\t", " ")
}

func commitTree(t *testing.T, tree *Tree) string {
	t.Helper()
	commit, err := tree.Commit(t.Context(), CommitOptions{Message: "loop: iteration 3", Trailers: []string{"Refrain-Run: build-7", "Refrain-Iteration: 3"}})
	if err != nil {
		t.Fatal(err)
	}
	return commit
}

func TestCommitTakesAllThatChanged(t *testing.T) {
	tests := []struct {
		name  string
		act   func(folder)
		want  string // what the commit holds
		after string // what git status says afterwards
	}{
		{"a changed, a new and a deleted file", func(f folder) {
			f.Write("a.txt", "other")
			f.Write("new/ c\n\".txt", "new")
			f.Must(os.Remove(f.Path("b.txt")))
		}, "M a.txt\nD b.txt\nA \"new/ c\\n\\\".txt\"", ""},
		{"not an ignored one", func(f folder) {
			f.Write("x.log", "log")
			f.Write("a.txt", "other")
		}, "M a.txt", ""},
		{"what the agent staged, as it is in the tree now", func(f folder) {
			f.Write("a.txt", "staged")
			f.Git("add", "a.txt")
			f.Git("rm", "-q", "b.txt")
			f.Write("a.txt", "and changed again")
		}, "M a.txt\nD b.txt", ""},
		{"what the agent staged although it is ignored", func(f folder) {
			f.Write("x.log", "log")
			f.Git("add", "-f", "x.log")
		}, "A x.log", ""},
		{"the mode of a file", func(f folder) {
			f.Must(os.Chmod(f.Path("a.txt"), 0o700))
		}, "M a.txt", ""},
		{"a folder in place of a file, and a link in place of a folder", func(f folder) {
			f.Write("d/x", "x")
			f.Commit("with a folder")
			f.Must(os.Remove(f.Path("a.txt")))
			f.Write("a.txt/inside", "x")
			f.Must(os.RemoveAll(f.Path("d")))
			f.Must(os.Symlink("a.txt", f.Path("d")))
		}, "D a.txt\nA a.txt/inside\nA d\nD d/x", ""},
		{"not the runner's own files, but the user's beside them", func(f folder) {
			f.Write(".refrain/runs/build-7/journal.jsonl", "{}")
			f.Write(".refrain/lock-1", "")
			f.Write(".refrain/prompts/a.md", "a")
		}, "A .refrain/prompts/a.md", "?? .refrain/lock-1\n?? .refrain/runs/"},
		{"although they are ignored", func(f folder) {
			f.Write(".gitignore", ".refrain/\n")
			f.Write(".refrain/runs/build-7/journal.jsonl", "{}")
		}, "M .gitignore", ""},
		{"not a repository inside", func(f folder) {
			f.Git("init", "-q", "--template=", "empty*")
			f.Git("init", "-q", "--template=", "sub/full")
			folderAt(f.T, f.Path("sub/full")).Git("commit", "-q", "--allow-empty", "-m", "inside")
			f.Write("sub/x", "x")
		}, "A sub/x", "?? empty*/\n?? sub/full/"},
		{"a change that neither size nor time shows", func(f folder) {
			f.Git("config", "core.trustctime", "false")
			info, err := os.Stat(f.Path("a.txt"))
			f.Must(err)
			f.Must(os.WriteFile(f.Path("a.txt"), []byte("ONE"), 0o600))
			f.Must(os.Chtimes(f.Path("a.txt"), info.ModTime(), info.ModTime()))
			f.Must(os.Chtimes(f.Path(".git/index"), info.ModTime(), info.ModTime()))
		}, "M a.txt", ""},
		{"nothing of a changed time", func(f folder) { f.Write("a.txt", "one") }, "", ""},
		{"nothing of a clean tree", func(folder) {}, "", ""},
		{"all as it was, without an index", func(f folder) {
			f.Write("x.log", "tracked although ignored")
			f.Git("add", "-f", "x.log")
			f.Commit("with an ignored file")
			f.Write("a.txt", "other")
			f.Must(os.Remove(f.Path(".git/index")))
		}, "M a.txt", ""},
		{"also where HEAD is no branch", func(f folder) {
			f.Git("switch", "-q", "--detach")
			f.Write("a.txt", "other")
		}, "M a.txt", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newRepository(t)
			tree := f.open()
			tt.act(f)
			commit := commitTree(t, tree)
			if commit == "" {
				if tt.want != "" {
					t.Errorf("nothing was committed, want %q", tt.want)
				}
			} else if got := f.changed(commit); got != tt.want {
				t.Errorf("the commit holds\n%s\nwant\n%s", got, tt.want)
			}
			if got := f.said("status", "--porcelain"); got != tt.after {
				t.Errorf("afterwards git status says\n%s\nwant\n%s", got, tt.after)
			}
		})
	}
}

func TestTheFirstCommitOfARepository(t *testing.T) {
	f := newFolder(t)
	f.Git("init", "-q", "--template=")
	tree := f.open()
	if commit := commitTree(t, tree); commit != "" {
		t.Errorf("an empty tree was committed: %s", commit)
	}
	f.Write("a.txt", "one")
	if got := f.changed(commitTree(t, tree)); got != "A a.txt" {
		t.Errorf("the commit holds %q", got)
	}
	if got := f.said("status", "--porcelain"); got != "" {
		t.Errorf("afterwards git status says %q", got)
	}
}

func TestCommitTakesOnlyTheTreesOwnFolder(t *testing.T) {
	f := newRepository(t)
	f.Write("sub/a.txt", "one")
	f.Commit("with a folder")
	sub := folderAt(t, f.Path("sub"))
	tree := sub.open()
	f.Write("sub/a.txt", "other")
	f.Write("a.txt", "the user's")
	f.Write("new.txt", "the user's")
	if got := f.changed(commitTree(t, tree)); got != "M sub/a.txt" {
		t.Errorf("the commit holds %q", got)
	}
	if got, want := f.said("status", "--porcelain"), " M a.txt\n?? new.txt"; got != want {
		t.Errorf("afterwards git status says %q, want %q", got, want)
	}
}

func TestCommitInALinkedWorkTree(t *testing.T) {
	f := newRepository(t)
	dir := filepath.Join(t.TempDir(), "linked")
	f.Git("worktree", "add", "-q", dir)
	there := folderAt(t, dir)
	there.Write("new.txt", "new")
	if got := there.changed(commitTree(t, there.open())); got != "A new.txt" {
		t.Errorf("the commit holds %q", got)
	}
	if got := there.said("status", "--porcelain"); got != "" {
		t.Errorf("afterwards git status says %q", got)
	}
}

func TestCommitSaysWhoseWorkItIs(t *testing.T) {
	f := newRepository(t)
	f.Git("config", "commit.cleanup", "strip")
	f.Write("a.txt", "other")
	commit, err := f.open().Commit(t.Context(), CommitOptions{Message: "#3 done\n\nbody", Trailers: []string{"Refrain-Run: build-7"}})
	f.Must(err)
	if got, want := f.said("show", "-s", "--format=%an|%B", commit), "A|#3 done\n\nbody\n\nRefrain-Run: build-7\n"; got != want {
		t.Errorf("the commit says %q, want %q", got, want)
	}
	if got := f.said("show", "-s", "--format=%(trailers:key=Refrain-Run,valueonly)", commit); got != "build-7\n" {
		t.Errorf("the trailer says %q", got)
	}
	if _, err := f.open().Commit(t.Context(), CommitOptions{Message: " \n", Trailers: []string{"A: b"}}); err == nil {
		t.Error("an empty message was taken")
	}
}

func TestHooksAreHeard(t *testing.T) {
	t.Run("one that adds to the commit", func(t *testing.T) {
		f := newRepository(t)
		f.hook("pre-commit", "echo formatted > a.txt && git add a.txt && echo > generated && git add generated")
		f.Write("a.txt", "other")
		if got := f.changed(commitTree(t, f.open())); got != "M a.txt\nA generated" {
			t.Errorf("the commit holds %q", got)
		}
		if got := f.said("status", "--porcelain"); got != "" {
			t.Errorf("afterwards git status says %q", got)
		}
	})
	t.Run("one that refuses, after which the index is as it was", func(t *testing.T) {
		f := newRepository(t)
		f.hook("pre-commit", "git add -A; seq 1 2000 >&2; echo 'no: \xff lint' >&2; exit 1")
		f.Write("a.txt", "staged by the agent")
		f.Git("add", "a.txt")
		f.Write("new.txt", "new")
		index, head := f.index(), f.said("rev-parse", "HEAD")
		commit, err := f.open().Commit(t.Context(), CommitOptions{Message: "m"})
		if err == nil || commit != "" || !strings.Contains(err.Error(), "1999\n2000\nno: \ufffd lint") || len(err.Error()) > 3000 {
			t.Errorf("Commit = %q, %v, want the end of what the hook said", commit, err)
		}
		if f.index() != index || f.said("rev-parse", "HEAD") != head {
			t.Error("index or HEAD changed")
		}
	})
	t.Run("one that is ended after the commit was made", func(t *testing.T) {
		f := newRepository(t)
		f.Write("a.txt", "other")
		f.hook("post-commit", "touch made; exec sleep 1000")
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		defer wg.Wait()
		defer cancel()
		wg.Go(func() {
			for !f.Exists("made") && ctx.Err() == nil {
				time.Sleep(time.Millisecond)
			}
			cancel()
		})
		commit, err := f.open().Commit(ctx, CommitOptions{Message: "m"})
		if !errors.Is(err, context.Canceled) || commit != f.said("rev-parse", "HEAD") {
			t.Errorf("Commit = %q, %v", commit, err)
		}
		if got := f.said("status", "--porcelain"); got != "?? made" {
			t.Errorf("afterwards git status says %q", got)
		}
	})
}

func TestWhatIsStagedMeanwhileStaysStaged(t *testing.T) {
	f := newRepository(t)
	f.hook("pre-commit", "unset GIT_INDEX_FILE; echo user > b.txt; git add b.txt")
	f.Write("a.txt", "other")
	if got := f.changed(commitTree(t, f.open())); got != "M a.txt" {
		t.Errorf("the commit holds %q", got)
	}
	if got := f.said("status", "--porcelain"); got != "M  b.txt" {
		t.Errorf("afterwards git status says %q", got)
	}
}

func TestNoCommitIsMadeWhere(t *testing.T) {
	conflict := func(f folder) {
		f.Git("switch", "-q", "-c", "other")
		f.Write("a.txt", "theirs")
		f.Commit("theirs")
		f.Git("switch", "-q", "-")
		f.Write("a.txt", "ours")
		f.Commit("ours")
	}
	tests := []struct {
		name, want string
		act        func(folder)
	}{
		{"there is a conflict in a merge", "a merge is under way", func(f folder) { conflict(f); f.GitFails("merge", "other") }},
		{"a merge waits", "a merge is under way", func(f folder) { conflict(f); f.Git("merge", "-q", "--no-commit", "-s", "ours", "other") }},
		{"a rebase waits", "a rebase is under way", func(f folder) { conflict(f); f.GitFails("rebase", "other") }},
		{"an old rebase waits", "a rebase is under way", func(f folder) { conflict(f); f.GitFails("rebase", "--apply", "other") }},
		{"a cherry-pick waits", "a cherry-pick is under way", func(f folder) { conflict(f); f.GitFails("cherry-pick", "other") }},
		{"a revert waits", "a revert is under way", func(f folder) { conflict(f); f.GitFails("revert", "HEAD~1") }},
		{"a stash does not fit", "there are conflicts", func(f folder) {
			f.Write("a.txt", "stashed")
			f.Git("stash", "-q")
			f.Write("a.txt", "ours")
			f.Commit("ours")
			f.GitFails("stash", "pop")
		}},
		{"the index is locked", "the index is locked", func(f folder) { f.Write(".git/index.lock", "") }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newRepository(t)
			tt.act(f)
			f.Write("new.txt", "new")
			index, head := f.index(), f.said("rev-parse", "HEAD")
			commit, err := f.open().Commit(t.Context(), CommitOptions{Message: "m"})
			var refused *RefusedError
			if !errors.As(err, &refused) || commit != "" || !strings.Contains(refused.Error(), tt.want) || refused.Hint() == "" {
				t.Errorf("Commit = %q, %v, want a refusal that says %q", commit, err, tt.want)
			}
			if f.index() != index || f.said("rev-parse", "HEAD") != head {
				t.Error("index or HEAD changed")
			}
		})
	}
}

func TestALockIsWaitedFor(t *testing.T) {
	lock := filepath.Join(t.TempDir(), "index.lock")
	if err := os.WriteFile(lock, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		time.AfterFunc(lockPatience/2, func() { os.Remove(lock) })
		if err := unlocked(t.Context(), lock); err != nil {
			t.Error(err)
		}
	})
}

func TestCanCommit(t *testing.T) {
	t.Run("with changes that are not staged", func(t *testing.T) {
		f := newRepository(t)
		f.Write("a.txt", "other")
		f.Write("new.txt", "new")
		f.Git("add", "-N", "new.txt")
		if err := f.open().CanCommit(t.Context()); err != nil {
			t.Errorf("refused: %v", err)
		}
	})
	t.Run("not with the user's staged work, wherever it is", func(t *testing.T) {
		f := newRepository(t)
		f.Write("sub/a.txt", "new")
		tree := folderAt(t, f.Path("sub")).open()
		f.Git("rm", "-q", "a.txt", "b.txt")
		var staged *StagedError
		err := tree.CanCommit(t.Context())
		if !errors.As(err, &staged) || !strings.Contains(err.Error(), `"a.txt" and 1 more are staged`) || staged.Hint() == "" {
			t.Errorf("CanCommit = %v", err)
		}
	})
	t.Run("not with work staged before the first commit", func(t *testing.T) {
		f := newFolder(t)
		f.Git("init", "-q", "--template=")
		f.Write("a.txt", "one")
		f.Git("add", "a.txt")
		var staged *StagedError
		if err := f.open().CanCommit(t.Context()); !errors.As(err, &staged) {
			t.Errorf("CanCommit = %v", err)
		}
	})
	t.Run("not without a name", func(t *testing.T) {
		f := newRepository(t)
		f.Git("config", "user.useConfigOnly", "true")
		for _, name := range []string{"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "EMAIL"} {
			t.Setenv(name, "") // so that it is set back
			os.Unsetenv(name)
		}
		err := f.open().CanCommit(t.Context())
		var refused *RefusedError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), "whose commits") {
			t.Errorf("CanCommit = %v", err)
		}
		f.Write("a.txt", "other")
		if commit, err := f.open().Commit(t.Context(), CommitOptions{Message: "m"}); err == nil {
			t.Errorf("Commit = %q, nil, want an error", commit)
		}
	})
	t.Run("not without git", func(t *testing.T) {
		var refused *RefusedError
		if err := newFolder(t).open().CanCommit(t.Context()); !errors.As(err, &refused) {
			t.Errorf("CanCommit = %v", err)
		}
	})
}

// A commit is put together in the folder that the caller names, where what a dead
// runner has left goes first.
func TestACommitLeavesNothingBehind(t *testing.T) {
	f := newRepository(t)
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	scratch := filepath.Join(t.TempDir(), "commit")
	f.Must(os.Mkdir(scratch, 0o700))
	f.Must(os.WriteFile(filepath.Join(scratch, "index.lock"), nil, 0o600)) // which would stop git
	f.hook("pre-commit", `echo "$GIT_INDEX_FILE" >seen`)
	f.Write("a.txt", "changed")
	commit, err := f.open().Commit(t.Context(), CommitOptions{Message: "work", Scratch: scratch})
	f.Must(err)
	if commit == "" {
		t.Fatal("no commit was made")
	}
	if got := strings.TrimSpace(f.Read("seen")); got != filepath.Join(scratch, "index") {
		t.Errorf("the commit was put together in %q", got)
	}
	if _, err := os.Lstat(scratch); err == nil {
		t.Error("the folder is left")
	}
	if left, _ := os.ReadDir(temp); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

func TestSigns(t *testing.T) {
	f := newRepository(t)
	for _, tt := range []struct {
		key, value, want string
	}{
		{"user.signingkey", "x", ""},
		{"gpg.format", "ssh", ""},
		{"commit.gpgsign", "off", ""},
		{"commit.gpgsign", "yes", "ssh"},
		{"gpg.format", "openpgp", "gpg"},
		{"gpg.format", "x509", "gpg"},
	} {
		f.Git("config", tt.key, tt.value)
		if got, err := f.open().Signs(t.Context()); got != tt.want || err != nil {
			t.Errorf("with %s = %s: Signs = %q, %v, want %q", tt.key, tt.value, got, err, tt.want)
		}
	}
}
