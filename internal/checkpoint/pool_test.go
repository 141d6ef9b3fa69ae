package checkpoint

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/pool"
)

// keepIn opens a new store beside a pool.
func (f folder) keepIn(home, name string) *Store {
	f.T.Helper()
	s, err := OpenStore(f.T.Context(), f.open(), filepath.Join(home, name), filepath.Join(home, "pool"))
	f.Must(err)
	return s
}

// objectsBelow lists files by their paths in a folder of objects.
func objectsBelow(t *testing.T, dir string) map[string]fs.FileInfo {
	t.Helper()
	found := map[string]fs.FileInfo{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		found[rel], err = d.Info()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// packed is a repository with a pack and loose objects.
func packed(t *testing.T) folder {
	f := newRepository(t)
	f.Git("gc", "-q")
	f.Write("a.txt", "loose")
	f.Commit("loose")
	return f
}

// An agent that writes over its own objects must not write over what was kept:
// no file of the store is one of the repository's, with a pool or without.
func TestNoFileOfTheStoreIsOneOfTheRepositorys(t *testing.T) {
	t.Parallel()
	for _, withPool := range []bool{false, true} {
		f := packed(t)
		home := t.TempDir()
		s := f.keep(f.open())
		if withPool {
			s = f.keepIn(home, "run")
		}
		first := f.checkpoint(s)
		theirs := objectsBelow(t, f.Path(".git/objects"))
		ours := objectsBelow(t, s.repo.objects())
		for name, info := range theirs {
			if strings.HasPrefix(name, "info") {
				continue
			}
			copied, ok := ours[name]
			switch {
			case !ok:
				t.Errorf("pool %v: %s was not taken", withPool, name)
			case os.SameFile(info, copied):
				t.Errorf("pool %v: %s is the same file in both", withPool, name)
			case copied.Size() != info.Size():
				t.Errorf("pool %v: %s has %d bytes, not %d", withPool, name, copied.Size(), info.Size())
			}
			at := f.Path(".git/objects/" + filepath.ToSlash(name))
			f.Must(os.Chmod(at, 0o600))
			f.Must(os.WriteFile(at, []byte("written over"), 0o600))
		}
		f.Write("a.txt", "changed")
		f.Write("b.txt", "changed")
		_, _, err := s.Restore(t.Context(), first)
		f.Must(err)
		if got := f.Read("a.txt") + f.Read("b.txt"); got != "loosetwo" {
			t.Errorf("pool %v: the files hold %q after the restore", withPool, got)
		}
	}
}

// What is in the pool is not copied again, unless it is not what it should be.
func TestStoresShareWhatIsInThePool(t *testing.T) {
	t.Parallel()
	f := packed(t)
	home := t.TempDir()
	one := f.keepIn(home, "one")
	shared := filepath.Join(home, "pool")
	var spoiled string
	for name := range objectsBelow(t, shared) {
		if spoiled = name; strings.HasSuffix(name, ".pack") {
			break
		}
	}
	f.Must(os.Remove(filepath.Join(shared, spoiled)))
	f.Must(os.WriteFile(filepath.Join(shared, spoiled), []byte("half"), 0o600))
	two := f.keepIn(home, "two")
	first, second := objectsBelow(t, one.repo.objects()), objectsBelow(t, two.repo.objects())
	for name, info := range objectsBelow(t, shared) {
		if strings.HasPrefix(filepath.Base(name), pool.Unfinished) {
			t.Errorf("%s is left", name)
		}
		if same := os.SameFile(first[name], info); same != (name != spoiled) {
			t.Errorf("the first store shares %s: %v", name, same)
		}
		if !os.SameFile(second[name], info) {
			t.Errorf("the second store does not share %s", name)
		}
	}
	if got, want := second[spoiled].Size(), first[spoiled].Size(); got != want {
		t.Errorf("%s has %d bytes in the second store, not %d", spoiled, got, want)
	}
}

func TestThePoolIsSweptOfWhatNoStoreNeeds(t *testing.T) {
	t.Parallel()
	f := packed(t)
	home := t.TempDir()
	shared := filepath.Join(home, "pool")
	one := f.keepIn(home, "one")
	before := len(objectsBelow(t, shared))
	if freed, err := pool.Sweep(shared); err != nil || freed != 0 {
		t.Errorf("Sweep = %d, %v with a store that needs all", freed, err)
	}
	f.Git("gc", "-q", "--prune=now") // which puts one pack in the place of all
	two := f.keepIn(home, "two")
	if runtime.GOOS == "windows" {
		t.Skip("nobody counts names here")
	}
	f.Must(files.RemoveTree(one.dir))
	old, young := filepath.Join(shared, "pack", pool.Unfinished+"old"), filepath.Join(shared, "pack", pool.Unfinished+"young")
	for _, path := range []string{old, young} {
		f.Must(os.WriteFile(path, []byte("half"), 0o600))
	}
	long := time.Now().Add(-48 * time.Hour)
	f.Must(os.Chtimes(old, long, long))
	freed, err := pool.Sweep(shared)
	f.Must(err)
	if freed == 0 {
		t.Error("nothing was freed")
	}
	left := objectsBelow(t, shared)
	if len(left) >= before+2 {
		t.Errorf("%d files are left of %d", len(left), before)
	}
	if _, ok := left[filepath.Join("pack", pool.Unfinished+"young")]; !ok {
		t.Error("a copy that is being made is gone")
	}
	if _, ok := left[filepath.Join("pack", pool.Unfinished+"old")]; ok {
		t.Error("a copy that nobody finishes is left")
	}
	f.Write("a.txt", "changed")
	_, _, err = two.Restore(t.Context(), f.checkpoint(two))
	f.Must(err)
	if freed, err := pool.Sweep(filepath.Join(home, "none")); freed != 0 || err != nil {
		t.Errorf("Sweep of no folder = %d, %v", freed, err)
	}
}

// A pool that cannot be used costs room, and nothing else.
func TestAPoolThatCannotBeUsedIsDoneWithout(t *testing.T) {
	t.Parallel()
	f := packed(t)
	home := t.TempDir()
	f.Must(os.WriteFile(filepath.Join(home, "pool"), nil, 0o600)) // no folder
	s := f.keepIn(home, "run")
	first := f.checkpoint(s)
	f.Write("b.txt", "changed")
	_, _, err := s.Restore(t.Context(), first)
	f.Must(err)
	if got := f.Read("b.txt"); got != "two" {
		t.Errorf("b.txt = %q", got)
	}
}

// What lies among the objects and is none is left where it is.
func TestWhatIsNoObjectIsNotTaken(t *testing.T) {
	t.Parallel()
	f := packed(t)
	f.Write(".git/objects/ab/huge", "x")
	f.Must(os.MkdirAll(f.Path(".git/objects/cd/"+strings.Repeat("0", 38)), 0o700))
	s := f.keep(f.open())
	if _, err := os.Lstat(filepath.Join(s.repo.objects(), "ab", "huge")); err == nil {
		t.Error("it was taken")
	}
}

func TestTakingEndsWithItsContext(t *testing.T) {
	t.Parallel()
	f := packed(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := pool.Take(ctx, f.Path(".git/objects"), "", t.TempDir()); err == nil {
		t.Error("it went on")
	}
}
