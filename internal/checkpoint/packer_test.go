package checkpoint

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/pool"
	"github.com/refrain-loop/refrain/internal/proc"
)

// lot keeps checkpoints with n objects at least, and gives them.
func (f folder) lot(s *Store, n int) []Checkpoint {
	f.T.Helper()
	all := []Checkpoint{f.checkpoint(s)}
	const files = 12
	for i := 0; i < n; i += files + 3 { // a folder, the top, and the checkpoint itself
		for name := range files {
			f.Write(fmt.Sprintf("sub/%d.txt", name), fmt.Sprint("work ", i, name))
		}
		all = append(all, f.checkpoint(s))
	}
	return all
}

// looseIn is how many objects of a store are files of their own, and packsIn how many
// packs of ours it has.
func (f folder) looseIn(s *Store) int {
	f.T.Helper()
	names, err := s.repo.loose()
	f.Must(err)
	return len(names)
}

func (f folder) packsIn(s *Store) int {
	f.T.Helper()
	packs, err := s.repo.ourPacks()
	f.Must(err)
	return len(packs)
}

// whole tells that every checkpoint can be read and put back, and git finds nothing
// missing.
func (f folder) whole(s *Store, all []Checkpoint) {
	f.T.Helper()
	again, err := OpenStore(f.T.Context(), f.open(), s.dir, "")
	f.Must(err)
	for _, c := range all {
		if _, err := again.Load(f.T.Context(), c.ID); err != nil {
			f.T.Errorf("checkpoint %s is lost: %v", c.ID, err)
		}
		if _, err := again.trees.Paths(f.T.Context(), c.Tree); err != nil {
			f.T.Errorf("the tree of %s is lost: %v", c.ID, err)
		}
	}
	if out, err := again.repo.run(f.T.Context(), git.Command{}, "fsck", "--connectivity-only", "--no-dangling", "HEAD"); err != nil {
		f.T.Errorf("fsck: %v\n%s", err, out)
	}
	first := all[0]
	_, _, err = again.Restore(f.T.Context(), first)
	f.Must(err)
	if f.Exists("sub/1.txt") {
		f.T.Error("sub/1.txt is there at the first checkpoint")
	}
}

func TestAStoreIsPackedWhileItIsUsed(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			f := newFolder(t)
			f.Git("init", "-q", "--template=", "--object-format="+format)
			f.Write("a.txt", "one")
			f.Commit("first")
			s := f.keep(f.open())
			stop := s.Tidy(t.Context())
			all := f.lot(s, 4*packAfter)
			stop()
			if n := f.looseIn(s); n > 2*packAfter {
				t.Errorf("%d objects are loose", n)
			}
			if n := f.packsIn(s); n == 0 || n > 4 {
				t.Errorf("there are %d packs", n)
			}
			left, _ := filepath.Glob(filepath.Join(s.dir, packing+"*"))
			if len(left) > 0 {
				t.Errorf("%q is left", left)
			}
			f.whole(s, all)
		})
	}
}

// What nobody leads to is packed and not thrown away: a runner may be about to use it.
func TestPackingKeepsWhatNobodyLeadsTo(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	s := f.keep(f.open())
	first := f.checkpoint(s)
	apart, err := s.trees.With(t.Context(), first.Tree, []Patch{{Path: "a.txt", Content: []byte("of nobody")}})
	f.Must(err)
	f.lot(s, packAfter)
	f.Must(s.packer.pack(t.Context()))
	if n := f.looseIn(s); n > 0 {
		t.Errorf("%d objects are loose", n)
	}
	if _, err := s.trees.Paths(t.Context(), apart); err != nil {
		t.Error(err)
	}
}

// Packs are put together when there is as much new as they hold, so that there are
// never many, and none is written again and again.
func TestFewPacksAreKept(t *testing.T) {
	t.Parallel()
	of := func(sizes ...int) (packs []pack) {
		for _, n := range sizes {
			packs = append(packs, pack{size: n})
		}
		return packs
	}
	for _, tt := range []struct {
		n     int
		sizes []int
		want  int
	}{
		{64, nil, 0}, {64, []int{64}, 1}, {64, []int{65}, 0}, {64, []int{64, 128, 256}, 3}, {64, []int{64, 129}, 1}, {64, []int{10, 1000}, 1},
	} {
		if got := len(mergeable(tt.n, of(tt.sizes...))); got != tt.want {
			t.Errorf("mergeable(%d, %d) = %d packs, want %d", tt.n, tt.sizes, got, tt.want)
		}
	}
	sizes, written := []int{}, 0
	for range 1000 {
		m := mergeable(64, of(sizes...))
		sum := 64
		for _, p := range m {
			sum += p.size
		}
		written += sum
		sizes = slices.Insert(sizes[len(m):], 0, sum)
		slices.Sort(sizes)
		if len(sizes) > 11 {
			t.Fatalf("there are the packs %d", sizes)
		}
	}
	if each := written / 64_000; each > 11 {
		t.Errorf("each object is written %d times", each)
	}
}

// Whoever is killed while a store is packed loses nothing, and what is left goes with
// the next time.
func TestPackingIsInterrupted(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	s := f.keep(f.open())
	all := f.lot(s, packAfter)
	// Each git is ended before it is done, and then nothing is removed.
	was := s.repo.git
	s.repo.git = s.tree.Through(func(ctx context.Context, spec proc.Spec) (loop.Exit, error) {
		f.Must(os.WriteFile(s.repo.at(packing+"/pack/tmp_pack_x"), []byte("half"), 0o600))
		return loop.Exit{}, context.Canceled
	}).Program()
	before := f.looseIn(s)
	if err := s.packer.pack(t.Context()); err == nil {
		t.Fatal("a pack was made by nobody")
	}
	s.repo.git = was
	if n := f.looseIn(s); n != before {
		t.Errorf("%d objects are loose, and were %d", n, before)
	}
	// Killed once the pack is in its place, and before anything is removed.
	f.Must(s.packer.write(t.Context(), s.repo.at(packing), f.names(s)))
	_, err := s.packer.place(t.Context(), s.repo.at(packing))
	f.Must(err)
	f.Must(os.WriteFile(s.repo.at(packing+"/kept-half.pack"), []byte("half"), 0o600))
	f.whole(s, all)
	again, err := OpenStore(t.Context(), f.open(), s.dir, "")
	f.Must(err)
	again.Tidy(t.Context())()
	if n := f.looseIn(again); n >= packAfter {
		t.Errorf("%d objects are loose", n)
	}
	if _, err := os.Lstat(again.repo.at(packing)); err == nil {
		t.Error("what somebody left is still there")
	}
	f.whole(again, all)
}

// Half a pack is nobody's, and goes with the next time.
func TestHalfAPackGoes(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	s := f.keep(f.open())
	all := f.lot(s, packAfter)
	f.Must(s.packer.pack(t.Context()))
	halves := []string{ours + "half.pack", ours + "half.rev"}
	for _, name := range append(halves, "pack-others.pack") {
		f.Must(os.WriteFile(filepath.Join(s.repo.objects(), "pack", name), []byte("half"), 0o400))
	}
	f.Must(s.packer.pack(t.Context()))
	for _, name := range halves {
		if _, err := os.Lstat(filepath.Join(s.repo.objects(), "pack", name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
	if _, err := os.Lstat(filepath.Join(s.repo.objects(), "pack", "pack-others.pack")); err != nil {
		t.Error("what is not ours is gone")
	}
	f.Must(os.Remove(filepath.Join(s.repo.objects(), "pack", "pack-others.pack")))
	f.whole(s, all)
}

// Another store may be open on the same folder, whose git has just made a folder and is
// about to write there. What is old and of nobody goes.
func TestPackingKeepsWhatOthersHaveJustMade(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	s := f.keep(f.open())
	f.lot(s, packAfter)
	var free []string // folders that are not there
	for i := range 255 {
		if name := fmt.Sprintf("%02x", i+1); !there(filepath.Join(s.repo.objects(), name)) {
			free = append(free, name)
		}
	}
	long := time.Now().Add(-2 * writtenFor)
	f.Must(os.MkdirAll(filepath.Join(s.repo.objects(), "00"), 0o700))
	for _, tt := range []struct {
		name string
		old  bool
		file bool
	}{
		{"tmp_obj_now", false, true},
		{"tmp_obj_left", true, true},
		{"00/tmp_obj_now", false, true},
		{"00/tmp_obj_left", true, true},
		{free[0], false, false},
		{free[1], true, false},
	} {
		at := filepath.Join(s.repo.objects(), filepath.FromSlash(tt.name))
		if tt.file {
			f.Must(os.WriteFile(at, []byte("half"), 0o400))
		} else {
			f.Must(os.Mkdir(at, 0o700))
		}
		if tt.old {
			f.Must(os.Chtimes(at, long, long))
		}
	}
	f.Must(s.packer.pack(t.Context()))
	for name, stays := range map[string]bool{
		"tmp_obj_now": true, "tmp_obj_left": false, "00/tmp_obj_now": true, "00/tmp_obj_left": false, free[0]: true, free[1]: false,
	} {
		if is := there(filepath.Join(s.repo.objects(), filepath.FromSlash(name))); is != stays {
			t.Errorf("%s is there: %v, want %v", name, is, stays)
		}
	}
}

func there(at string) bool {
	_, err := os.Lstat(at)
	return err == nil
}

// packAlone names the store that a program of this test is to pack once.
const packAlone = "REFRAIN_TEST_PACK_STORE"

func packOnce(store string) int {
	ctx := context.Background()
	tree, err := git.Open(ctx, ".", nil)
	if err == nil {
		var s *Store
		if s, err = OpenStore(ctx, tree, store, ""); err == nil {
			err = s.packer.pack(ctx)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func (f folder) names(s *Store) []string {
	f.T.Helper()
	names, err := s.repo.loose()
	f.Must(err)
	return names
}

// What stores of a project share stays shared.
func TestPackingLeavesWhatIsShared(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	for i := range packAfter {
		f.Write(fmt.Sprintf("more/%d", i), fmt.Sprint(i))
	}
	f.Commit("more")
	home := t.TempDir()
	s := f.keepIn(home, "one")
	f.Must(os.RemoveAll(f.Path(".git/objects/zz")))
	shared := f.sharedIn(s)
	if shared == 0 {
		t.Skip("nothing is shared on this disk")
	}
	f.lot(s, packAfter)
	f.Must(s.packer.pack(t.Context()))
	if got := f.sharedIn(s); got != shared {
		t.Errorf("%d files are shared, and were %d", got, shared)
	}
}

// sharedIn counts the objects of a store that others have too.
func (f folder) sharedIn(s *Store) (n int) {
	f.T.Helper()
	f.Must(filepath.WalkDir(s.repo.objects(), func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if info, err := d.Info(); err == nil && pool.Shared(info) {
			n++
		}
		return nil
	}))
	return n
}

// A store that cannot be packed works all the same, and people are told once.
func TestAStoreThatCannotBePackedIsUsedAllTheSame(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	s := f.keep(f.open())
	all := f.lot(s, packAfter)
	broken := all[1].ID // nobody goes back to that one
	f.Must(os.Chmod(filepath.Join(s.repo.objects(), broken[:2], broken[2:]), 0o600))
	f.Must(os.WriteFile(filepath.Join(s.repo.objects(), broken[:2], broken[2:]), []byte("nonsense"), 0o600))
	before := f.looseIn(s)
	again, err := OpenStore(t.Context(), f.open(), s.dir, "")
	f.Must(err)
	again.Tidy(t.Context())()
	if n := f.looseIn(again); n != before {
		t.Errorf("%d objects are loose, and were %d", n, before)
	}
	f.Write("a.txt", "after")
	c := f.checkpoint(again)
	if len(c.Notes) != 1 || !strings.Contains(c.Notes[0], "take more room") {
		t.Errorf("notes = %q", c.Notes)
	}
	f.Write("a.txt", "later")
	if c := f.checkpoint(again); len(c.Notes) > 0 {
		t.Errorf("notes = %q, said twice", c.Notes)
	}
}

func FuzzIndexed(f *testing.F) {
	f.Add([]byte("\xfftOc\x00\x00\x00\x02"))
	f.Add(append([]byte("\xfftOc\x00\x00\x00\x02"), make([]byte, 256*4+40)...))
	f.Fuzz(func(t *testing.T, index []byte) {
		for _, format := range []string{"sha1", "sha256"} {
			names, err := listedIn(index, format)
			if err == nil && len(names)*nameLength(format) > len(index) {
				t.Errorf("%d names in %d bytes", len(names), len(index))
			}
		}
	})
}
