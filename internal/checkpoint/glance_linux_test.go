package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/watch"
)

// glancing is a store whose looks are glances from now on.
func (f folder) glancing() *Store {
	f.T.Helper()
	s := f.keep(f.open())
	f.glance(s)
	if s.lookout.watch == nil {
		f.T.Skip("the disk of temporary files does not tell")
	}
	return s
}

// Whatever happens, a glance finds what a look at everything finds.
func TestAGlanceMissesNothing(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.Write(".gitignore", "*.log\nbuild/\nvenv*\n")
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	for i := range 30 {
		f.Write(f.free(someName(random)), fmt.Sprint(i))
	}
	f.Commit("files")
	deeds := f.deeds(random)
	s, everything := f.glancing(), f.keep(f.open())
	f.checkpoint(everything)
	glanced := 0
	var done []string
	for range 40 {
		for range random.IntN(4) {
			done = append(done, deeds[random.IntN(len(deeds))].do(random))
		}
		c, all := f.glance(s)
		want, err := everything.Checkpoint(t.Context())
		f.Must(err)
		if c.Tree != want.Tree || !c.facts.equal(want.facts) {
			t.Fatalf("seed %d, after %q: a glance (at everything: %v) has missed something: %q", seed, done, all, says(f.changes(everything, c, want)))
		}
		if !all {
			glanced++
		}
	}
	if glanced == 0 {
		t.Errorf("seed %d: every look was at everything", seed)
	}
}

// Of a folder that has become a repository git tells only when its files are gone from
// the index, though nothing may have been written to it since.
func TestAGlanceFindsAFolderThatHasBecomeARepository(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.Write("sub/file", "kept")
	f.Commit("a folder")
	everything := f.keep(f.open())
	f.checkpoint(everything)
	s := f.keep(f.open())
	f.checkpoint(s)
	f.Must(os.RemoveAll(f.Path("sub")))
	f.Git("init", "-q", "--template=", f.Path("sub"))
	for i := range 3 {
		c, all := f.glance(s)
		want := f.checkpoint(everything)
		if c.Tree != want.Tree || !c.facts.equal(want.facts) {
			t.Errorf("glance %d, at everything: %v: it misses %q", i+1, all, says(f.changes(everything, c, want)))
		}
	}
}

// A glance looks at what was written to and at nothing else.
func TestAGlanceIsOne(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.Write("sub/c.txt", "three")
	f.Commit("more")
	s := f.glancing()
	// Nobody tells what is written by another name of a file, outside of the tree.
	outside := path.Join(t.TempDir(), "b")
	if err := os.Link(f.Path("b.txt"), outside); err != nil {
		t.Skip(err)
	}
	f.Must(os.WriteFile(outside, []byte("hidden"), 0o600))
	f.Write("sub/c.txt", "told")
	before, err := s.lastKept(t.Context())
	f.Must(err)
	c, all, err := s.Glance(t.Context())
	f.Must(err)
	if got := says(f.changes(s, *before, c)); all || !slices.Equal(got, []string{"modified sub/c.txt"}) {
		t.Errorf("a glance (at everything: %v) finds %q", all, got)
	}
	// A look at everything finds it, and so does every glance after some.
	for range glancesAtMost {
		if c, all, err = s.Glance(t.Context()); err != nil || all {
			break
		}
	}
	if got := says(f.changes(s, *before, c)); !all || !slices.Equal(got, []string{"modified b.txt", "modified sub/c.txt"}) {
		t.Errorf("after many glances (the last at everything: %v) there is %q", all, got)
	}
}

// What no index has is looked at each time; where that is very much, everything is.
func TestAGlanceAtTooMuchIsALookAtEverything(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.Write("large/small", "")
	f.Commit("a folder that is watched")
	for i := range besidesAtMost + 1 {
		f.Write(fmt.Sprint("large/", i), "too much")
	}
	s := f.keep(f.open())
	s.Limit = 7
	f.glance(s)
	for i := range 2 {
		f.Write("a.txt", fmt.Sprint(i))
		c, all, err := s.Glance(t.Context())
		f.Must(err)
		if got := f.holds(s, c, "a.txt"); !all || got != fmt.Sprint(i) {
			t.Errorf("a.txt is kept as %q, at everything: %v", got, all)
		}
	}
}

// What is long in all is no list of arguments either.
func TestAGlanceAtLongNamesIsALookAtEverything(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	s := f.glancing()
	deep := strings.Repeat(strings.Repeat("d", 200)+"/", 15)
	f.Write(deep+"first", "")
	f.glance(s)
	f.glance(s) // by now it is watched
	var within []string
	s.repo.git = s.tree.Through(func(ctx context.Context, spec proc.Spec) (loop.Exit, error) {
		if i := slices.Index(spec.Argv, "--"); i >= 0 && slices.Contains(spec.Argv, "status") {
			within = spec.Argv[i+1:]
		}
		return proc.Run(ctx, spec)
	}).Program()
	for i := range 40 { // 3,000 bytes each
		f.Write(fmt.Sprint(deep, i), "x")
	}
	c, all := f.glance(s)
	if n := len(strings.Join(within, " ")); !all || n > argumentsAtMost {
		t.Errorf("git is given %d bytes of names; at everything: %v", n, all)
	}
	if got := f.holds(s, c, deep+"39"); got != "x" {
		t.Errorf("the last file is kept as %q", got)
	}
}

// What is written by one name of a file is found by all that it has in the tree.
func TestAGlanceFindsEachNameOfAFile(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.Write("sub/c.txt", "three")
	if err := os.Link(f.Path("sub/c.txt"), f.Path("other.txt")); err != nil {
		t.Skip(err)
	}
	f.Commit("more")
	s := f.glancing()
	f.Must(os.WriteFile(f.Path("other.txt"), []byte("told"), 0o600))
	c, _, err := s.Glance(t.Context())
	f.Must(err)
	for _, name := range []string{"sub/c.txt", "other.txt"} {
		if got := f.holds(s, c, name); got != "told" {
			t.Errorf("%s is kept as %q", name, got)
		}
	}
}

// A restore that ends half way leaves files that nobody has written to, and an index
// that says of them what they were to be.
func TestAGlanceFindsWhatARestoreDidNotReach(t *testing.T) {
	t.Parallel()
	for _, ended := range []string{"update-index", "checkout-index"} {
		f := newRepository(t)
		s := f.glancing()
		good := f.checkpoint(s)
		f.Write("a.txt", "bad")
		f.glance(s)
		was := s.repo.git
		s.repo.git = s.tree.Through(func(ctx context.Context, spec proc.Spec) (loop.Exit, error) {
			if slices.Contains(spec.Argv, ended) {
				if ended == "update-index" { // it has written all the same
					_, _ = proc.Run(ctx, spec)
				}
				return loop.Exit{}, context.Canceled
			}
			return proc.Run(ctx, spec)
		}).Program()
		if _, _, err := s.Restore(t.Context(), good); err == nil {
			t.Fatalf("without %s it says that all is restored", ended)
		}
		s.repo.git = was
		if got := f.Read("a.txt"); got != "bad" {
			t.Fatalf("a.txt holds %q", got)
		}
		f.Write("b.txt", "other") // so that there is something to keep
		c, _ := f.glance(s)
		if got := f.holds(s, c, "a.txt"); got != "bad" {
			t.Errorf("ended at %s: a.txt is kept as %q", ended, got)
		}
	}
}

// What cannot be watched is looked at as ever, and people are told once.
func TestWhoCannotWatchLooksAtEverything(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	s := f.keep(f.open())
	s.lookout.start = func(string, []string) (*watch.Tree, error) { return nil, errors.New("nobody tells") }
	t.Cleanup(s.Watch(1))
	c, all, err := s.Glance(t.Context())
	f.Must(err)
	if !all || len(c.Notes) != 1 || !strings.Contains(c.Notes[0], "nobody tells") {
		t.Errorf("all = %v, notes = %q", all, c.Notes)
	}
	f.Write("a.txt", "new")
	if c, all, err = s.Glance(t.Context()); err != nil || !all || len(c.Notes) > 0 {
		t.Errorf("all = %v, notes = %q, %v", all, c.Notes, err)
	}
	if got := f.holds(s, c, "a.txt"); got != "new" {
		t.Errorf("a.txt is kept as %q", got)
	}
}

// A small tree is not watched.
func TestASmallTreeIsNotWatched(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	s := f.keep(f.open())
	t.Cleanup(s.Watch(1000))
	for range 2 {
		if _, all, err := s.Glance(t.Context()); err != nil || !all || s.lookout.watch != nil {
			t.Errorf("all = %v, watched = %v, %v", all, s.lookout.watch != nil, err)
		}
	}
}
