package git

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
)

func TestLocksOfAGitThatIsDeadAreDropped(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells who works where")
	}
	f := newRepository(t)
	f.Git("worktree", "add", "-q", "-b", "side", f.Path("../side"))
	t.Cleanup(func() { os.RemoveAll(f.Path("../side")) })
	since := time.Now().Add(-time.Minute)
	tests := []struct {
		name, from string // from which work tree
		file       string
		age        time.Duration
		want       []string
	}{
		{"none", ".", "", 0, nil},
		{"the index", ".", ".git/index.lock", time.Second, []string{".git/index.lock"}},
		{"HEAD", ".", ".git/HEAD.lock", time.Second, []string{".git/HEAD.lock"}},
		{"a branch", ".", ".git/refs/heads/deep/down.lock", time.Second, []string{".git/refs/heads/deep/down.lock"}},
		{"settings", ".", ".git/config.lock", time.Second, []string{".git/config.lock"}},
		{"packed refs, just now", ".", ".git/packed-refs.lock", 0, []string{".git/packed-refs.lock"}},
		{"the commit graph", ".", ".git/objects/info/commit-graph.lock", time.Second, []string{".git/objects/info/commit-graph.lock"}},
		{"one from before", ".", ".git/index.lock", time.Hour, nil},
		{"not git's own", ".", ".git/refrain/runs/x.lock", time.Second, nil},
		{"the index of another work tree", ".", ".git/worktrees/side/index.lock", time.Second, nil},
		{"the index of a linked work tree", "../side", ".git/worktrees/side/index.lock", time.Second, []string{".git/worktrees/side/index.lock"}},
		{"a branch, from a linked work tree", "../side", ".git/refs/heads/side.lock", time.Second, []string{".git/refs/heads/side.lock"}},
		{"the index of the main work tree", "../side", ".git/index.lock", time.Second, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := locksOf(t, f.Path(tt.from))
			if tt.file != "" {
				lock(t, f.Path(tt.file), tt.age)
				defer os.Remove(f.Path(tt.file))
			}
			got, err := l.Drop(t.Context(), since)
			if err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("Drop = %q, %v, want %q", got, err, tt.want)
			}
			if tt.file == "" {
				return
			}
			if _, err := os.Stat(f.Path(tt.file)); os.IsNotExist(err) != (tt.want != nil) {
				t.Errorf("stat after Drop = %v", err)
			}
		})
	}
}

func TestALockOfALiveGitIsLetBe(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells who works where")
	}
	f := newRepository(t)
	l := locksOf(t, f.Dir)
	since := time.Now().Add(-time.Minute)
	git := exec.Command("git", "cat-file", "--batch")
	git.Dir = f.Dir
	stdin, err := git.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := git.Start(); err != nil {
		t.Fatal(err)
	}
	lock(t, f.Path(".git/index.lock"), -10*time.Millisecond) // made by the one above, for all that anybody knows
	if got, err := l.Drop(t.Context(), since); len(got) > 0 || err != nil {
		t.Errorf("Drop with a live git = %q, %v, want none", got, err)
	}
	if left := l.Left(); !slices.Equal(left, []string{".git/index.lock"}) {
		t.Errorf("Left = %q", left)
	}
	stdin.Close()
	if err := git.Wait(); err != nil {
		t.Fatal(err)
	}
	if got, err := l.Drop(t.Context(), since); len(got) != 1 || err != nil {
		t.Errorf("Drop without one = %q, %v, want the lock", got, err)
	}
}

func TestALockThatNobodyCanJudgeIsNamedAndLetBe(t *testing.T) {
	f := newRepository(t)
	l := locksOf(t, f.Dir)
	l.others = func(string, []string, time.Time) ([]int, bool) { return nil, false } // as macOS and Windows
	lock(t, f.Path(".git/index.lock"), time.Second)
	got, err := l.Drop(t.Context(), time.Now().Add(-time.Minute))
	var unjudged *UnjudgedError
	if len(got) > 0 || !errors.As(err, &unjudged) || !slices.Equal(unjudged.Locks, []string{".git/index.lock"}) {
		t.Errorf("Drop = %q, %v, want that the lock is named", got, err)
	}
	if _, err := os.Stat(f.Path(".git/index.lock")); err != nil {
		t.Errorf("stat after Drop = %v", err)
	}
}

func TestAGitThatSomebodyEndedIsAskedAgain(t *testing.T) {
	f := newRepository(t)
	tree, err := Open(t.Context(), f.Dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, lost := range []error{nil, &proc.KeeperError{Program: "git", How: "was killed"}} {
		asked := 0
		tree := tree.Through(func(ctx context.Context, s proc.Spec) (loop.Exit, error) {
			if asked++; asked == 1 {
				_, _ = s.Stdout.Raw.Write([]byte("half an ans"))
				return loop.Exit{Signal: "KILL", Cause: loop.Signaled}, lost
			}
			return proc.Run(ctx, s)
		})
		if head, err := tree.git.commit(t.Context(), "HEAD"); len(head) != 40 || err != nil || asked != 2 {
			t.Errorf("the commit is %q, %v, after %d times, want it after 2", head, err, asked)
		}
		asked = 0
		if all, err := tree.git.everySetting(t.Context()); len(all) == 0 || err != nil || asked != 2 {
			t.Errorf("%d settings, %v, after %d times, want them after 2", len(all), err, asked)
		}
		asked = 0
		if _, err := tree.git.Run(t.Context(), "config", "--add", "a.b", "c"); !Killed(err) || asked != 1 {
			t.Errorf("a setting that is added: %v after %d times, want that it was killed", err, asked)
		}
		asked = 0
		if _, err := tree.git.Run(t.Context(), "update-ref", "refs/heads/new", "HEAD"); !Killed(err) || asked != 1 {
			t.Errorf("one that writes: %v after %d times, want that it was killed", err, asked)
		}
	}
}

func TestAFolderWithoutGitHasNoLocks(t *testing.T) {
	l := locksOf(t, newFolder(t).Dir)
	if got, err := l.Drop(t.Context(), time.Time{}); got != nil || err != nil || l.Left() != nil {
		t.Errorf("Drop = %q, %v, Left = %q, want nothing", got, err, l.Left())
	}
}

func locksOf(t *testing.T, dir string) *Locks {
	t.Helper()
	tree, err := Open(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	l, err := tree.Locks(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// lock makes a lock of some age.
func lock(t *testing.T, path string, age time.Duration) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if at := time.Now().Add(-age); age != 0 {
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
}
