package checkpoint

import (
	"errors"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestBranchesAreWhereGitSaysTheyAre(t *testing.T) {
	f := newRepository(t)
	f.Write("a", "a")
	f.Commit("first")
	f.CommitEmpty("second")
	s := f.keep(f.open())
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	moves := []struct{ name, git string }{
		{"commit", "commit -q --allow-empty -m more"},
		{"make a branch", "branch -f topic/N"},
		{"make a branch elsewhere", "branch -f old/N HEAD~1"},
		{"delete a branch", "branch -q -D topic/N"},
		{"go to a branch", "checkout -q topic/N"},
		{"go nowhere", "checkout -q --detach"},
		{"go home", "checkout -q main"},
		{"go back", "reset -q --hard HEAD~1"},
		{"pack", "pack-refs --all"},
		{"make a second name", "symbolic-ref refs/heads/second refs/other/N"},
		{"move what has a second name", "update-ref refs/other/N HEAD"},
		{"move it elsewhere", "update-ref refs/other/N HEAD~1"},
		{"drop the second name", "symbolic-ref -d refs/heads/second"},
		{"lead HEAD astray", "symbolic-ref HEAD refs/other/1"},
		{"tag", "tag -f vN"},
		{"nothing", "status"},
	}
	var done []string
	for range 100 {
		move := moves[random.IntN(len(moves))]
		args := strings.Fields(strings.ReplaceAll(move.git, "N", strconv.Itoa(random.IntN(3))))
		done = append(done, move.name)
		cmd := exec.Command("git", args...) // which may refuse, as for a branch that is not there
		cmd.Dir = f.Dir
		_ = cmd.Run()
		head, tips, err := s.user.branches(t.Context())
		wantHead, wantTips, wantErr := s.user.tips(t.Context())
		if head != wantHead || !slices.Equal(tips, wantTips) || (err == nil) != (wantErr == nil) {
			t.Fatalf("seed %d, after %q: branches = %q, %q, %v, git says %q, %q, %v", seed, done, head, tips, err, wantHead, wantTips, wantErr)
		}
	}
}

func TestGitIsAskedOnlyWhenABranchMayHaveMoved(t *testing.T) {
	f := newRepository(t)
	f.Write("a", "a")
	f.Commit("first")
	s := f.keep(f.open())
	ask := func() (string, []string) {
		t.Helper()
		head, tips, err := s.user.branches(t.Context())
		f.Must(err)
		return head, tips
	}
	first, _ := ask()
	s.user.known.head = "remembered"
	if head, _ := ask(); head != "remembered" {
		t.Errorf("head = %q: git was asked again for nothing", head)
	}
	f.CommitEmpty("second")
	second, _ := ask()
	if second == "remembered" || second == first {
		t.Errorf("head = %q after a commit", second)
	}
	// A moment later it might be another file that looks the same.
	f.Git("pack-refs", "--all")
	written := time.Now()
	if _, err := s.user.refsFingerprint(t.Context(), written); !errors.Is(err, errUnclear) {
		t.Errorf("print = %v, want that a file written just now is not believed", err)
	}
	if _, err := s.user.refsFingerprint(t.Context(), written.Add(2*settled)); err != nil {
		t.Errorf("print = %v, want that an old file is believed", err)
	}
	if head, _ := ask(); head != second {
		t.Errorf("head = %q, want %q", head, second)
	}
	// Another place says where a second name is.
	f.Git("symbolic-ref", "refs/heads/second", "refs/other/name")
	f.Git("update-ref", "refs/other/name", "HEAD~1")
	ask()
	f.Git("update-ref", "-d", "refs/other/name")
	if _, tips := ask(); len(tips) != 1 {
		t.Errorf("tips = %q, want that the second name leads nowhere any more", tips)
	}
}

// Git takes a HEAD that leads somewhere with any space after the colon, and with none.
func TestAHeadThatLeadsElsewhereIsSeenHoweverItIsWritten(t *testing.T) {
	f := newRepository(t)
	f.Write("a", "a")
	f.Commit("first")
	f.CommitEmpty("second")
	second, first := strings.TrimSpace(f.Output("rev-parse", "HEAD")), strings.TrimSpace(f.Output("rev-parse", "HEAD~1"))
	for _, between := range []string{" ", "", "\t", "  "} {
		f.Git("update-ref", "refs/other/name", second)
		f.Write(".git/HEAD", "ref:"+between+"refs/other/name\n")
		s := f.keep(f.open())
		before, _, err := s.user.branches(t.Context())
		f.Must(err)
		f.Git("update-ref", "refs/other/name", first)
		after, _, err := s.user.branches(t.Context())
		f.Must(err)
		if before == "" || after == "" || before == after {
			t.Errorf("with %q between: HEAD is at %q, and then at %q", between, before, after)
		}
	}
}
