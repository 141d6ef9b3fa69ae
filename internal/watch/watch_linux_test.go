package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"github.com/refrain-loop/refrain/internal/story"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// begun is a tree of some files that is watched.
func begun(t *testing.T) (story.Folder, *Tree) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	f := story.Folder{T: t, Dir: dir}
	f.Must(err)
	f.Write("a", "a")
	f.Write("sub/b", "b")
	f.Write("sub/deep/c", "c")
	f.Write("apart/d", "d")
	w, err := Start(f.Dir, []string{"", "sub", "sub/deep", "never"})
	if err != nil {
		t.Skip(err) // the disk of temporary files does not tell
	}
	t.Cleanup(w.Close)
	return f, w
}

// told asks, and expects to be answered.
func told(t *testing.T, w *Tree) []string {
	t.Helper()
	paths, known := w.Changed()
	if !known {
		t.Fatal("it does not know")
	}
	return slices.DeleteFunc(paths, func(p string) bool { return p == "apart" })
}

func TestWhatIsWrittenIsTold(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		act  func(f story.Folder)
		want []string
	}{
		{"nothing", func(story.Folder) {}, nil},
		{"a file is written", func(f story.Folder) { f.Write("sub/b", "new") }, []string{"sub/b"}},
		{"a file is only read", func(f story.Folder) { f.Read("sub/b") }, nil},
		{"a file comes", func(f story.Folder) { f.Write("sub/deep/new", "") }, []string{"sub/deep/new"}},
		{"a file goes", func(f story.Folder) { f.Must(os.Remove(f.Path("a"))) }, []string{"a"}},
		{"a file is renamed", func(f story.Folder) { f.Must(os.Rename(f.Path("a"), f.Path("sub/x"))) }, []string{"a", "sub/x"}},
		{"permissions", func(f story.Folder) { f.Must(os.Chmod(f.Path("a"), 0o700)) }, []string{"a"}},
		{"a link", func(f story.Folder) { f.Must(os.Symlink("a", f.Path("l"))) }, []string{"l"}},
		{"another name of a file", func(f story.Folder) { f.Must(os.Link(f.Path("sub/b"), f.Path("l"))) }, []string{""}},
		{"a folder comes", func(f story.Folder) { f.Write("sub/more/x", "") }, []string{"sub/more"}},
		{"a folder goes", func(f story.Folder) { f.Must(os.RemoveAll(f.Path("sub/deep"))) }, []string{"sub/deep", "sub/deep/c"}},
		{"a folder is closed", func(f story.Folder) { f.Must(os.Chmod(f.Path("sub/deep"), 0o500)) }, []string{"sub/deep"}},
		{"shortened", func(f story.Folder) { f.Must(os.Truncate(f.Path("a"), 0)) }, []string{"a"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, w := begun(t)
			if got := told(t, w); len(got) > 0 {
				t.Errorf("before anything happens it tells of %q", got)
			}
			tt.act(f)
			if got := told(t, w); !slices.Equal(got, tt.want) {
				t.Errorf("it tells of %q, want %q", got, tt.want)
			}
		})
	}
}

// What nobody can tell makes it give up.
func TestInDoubtItDoesNotKnow(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		act  func(f story.Folder)
	}{
		{"a watched folder moves", func(f story.Folder) { f.Must(os.Rename(f.Path("sub"), f.Path("other"))) }},
		{"the top moves", func(f story.Folder) { f.Must(os.Rename(f.Dir, f.Dir+"-moved")) }},
		{"the top goes", func(f story.Folder) { f.Must(os.RemoveAll(f.Dir)) }},
		{"the top is closed", func(f story.Folder) { f.Must(os.Chmod(f.Dir, 0o500)); f.Must(os.Chmod(f.Dir, 0o700)) }},
		{"too much happens", func(f story.Folder) {
			for i := range tooMany + 1 {
				f.Must(os.Symlink("x", f.Path(fmt.Sprint("many", i))))
			}
		}},
		{"an open file is renamed", func(f story.Folder) {
			file, err := os.OpenFile(f.Path("a"), os.O_RDWR, 0)
			f.Must(err)
			f.T.Cleanup(func() { _ = file.Close() })
			f.Must(os.Rename(f.Path("a"), f.Path("z")))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, w := begun(t)
			tt.act(f)
			for range 2 {
				if paths, known := w.Changed(); known {
					t.Fatalf("it claims to know, and tells of %q", paths)
				}
			}
		})
	}
}

// Who has a file in memory can write to it at any time, and nobody is told.
func TestAFileThatIsMappedIsToldEachTime(t *testing.T) {
	t.Parallel()
	for _, before := range []bool{false, true} {
		f, w := begun(t)
		file, err := os.OpenFile(f.Path("sub/b"), os.O_RDWR, 0)
		f.Must(err)
		memory, err := unix.Mmap(int(file.Fd()), 0, 1, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
		f.Must(err)
		f.Must(file.Close())
		if before { // it was so when the watch began
			w.Close()
			w, err = Start(f.Dir, []string{"", "sub", "sub/deep"})
			f.Must(err)
			t.Cleanup(w.Close)
		}
		for range 3 {
			memory[0]++
			if got := told(t, w); !slices.Contains(got, "sub/b") {
				t.Errorf("it tells of %q", got)
			}
		}
		f.Must(unix.Munmap(memory))
		if before {
			continue
		}
		told(t, w)
		w.Looked()
		if got := told(t, w); len(got) > 0 {
			t.Errorf("when it is no longer mapped, it tells of %q", got)
		}
	}
}

// mapped is a file in memory, for writing.
func mapped(t *testing.T, file *os.File) []byte {
	t.Helper()
	memory, err := unix.Mmap(int(file.Fd()), 0, 1, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(memory) })
	return memory
}

// Of two that open a file the system may tell as if it were one, and of their ends as if
// it were all: whoever has it by then is not forgotten, be it that all was looked at.
func TestAFileThatIsOpenedTwiceIsToldEachTime(t *testing.T) {
	t.Parallel()
	for _, first := range []int{os.O_RDWR, os.O_RDONLY} {
		f, w := begun(t)
		w.mu.Lock() // who reads late is told less
		one, err := os.OpenFile(f.Path("sub/b"), first, 0)
		f.Must(err)
		two, err := os.OpenFile(f.Path("sub/b"), os.O_RDWR, 0)
		f.Must(err)
		memory := mapped(t, two)
		f.Must(one.Close())
		f.Must(two.Close())
		w.mu.Unlock()
		told(t, w)
		for i := range 3 {
			if first == os.O_RDONLY || i > 0 { // else it was written to, as far as anybody knows
				w.Looked()
			}
			memory[0]++
			if got := told(t, w); !slices.Contains(got, "sub/b") {
				t.Errorf("opened with %d first: it tells of %q", first, got)
			}
		}
	}
}

// What was open when the watch began can come into memory later, and go from there, of
// which nobody tells.
func TestAFileThatWasOpenIsToldEachTime(t *testing.T) {
	t.Parallel()
	f, w := begun(t)
	w.Close()
	file, err := os.OpenFile(f.Path("sub/b"), os.O_RDWR, 0)
	f.Must(err)
	defer file.Close()
	reader, err := os.Open(f.Path("a"))
	f.Must(err)
	defer reader.Close()
	w, err = Start(f.Dir, []string{"", "sub"})
	f.Must(err)
	t.Cleanup(w.Close)
	mapped(t, file)[0]++
	for range 2 {
		got, _ := w.Changed()
		if !slices.Contains(got, "sub/b") || slices.Contains(got, "a") {
			t.Errorf("it tells of %q", got)
		}
	}
}

func TestANewFolderIsWatchedWhenItIsAdded(t *testing.T) {
	t.Parallel()
	f, w := begun(t)
	f.Write("new/below/x", "")
	if got := told(t, w); !slices.Equal(got, []string{"new"}) {
		t.Errorf("it tells of %q", got)
	}
	f.Must(w.Add([]string{"new", "new/below"}))
	if got := told(t, w); !slices.Contains(got, "new") || !slices.Contains(got, "new/below") {
		t.Errorf("once it is watched it tells of %q: somebody may have written before", got)
	}
	if got := told(t, w); len(got) > 0 {
		t.Errorf("then it tells of %q", got)
	}
	f.Write("new/below/x", "x")
	if got := told(t, w); !slices.Equal(got, []string{"new/below/x"}) {
		t.Errorf("it tells of %q", got)
	}
}

// Somebody may be in a folder that is gone: one that is made anew in its place is
// watched all the same.
func TestAFolderIsMadeAnewWhileSomebodyIsInTheOldOne(t *testing.T) {
	t.Parallel()
	f, w := begun(t)
	inside, err := os.Open(f.Path("sub/deep"))
	f.Must(err)
	defer inside.Close()
	f.Must(os.RemoveAll(f.Path("sub")))
	f.Write("sub/deep/c", "anew")
	if got := told(t, w); !slices.Contains(got, "sub") {
		t.Errorf("it tells of %q", got)
	}
	f.Must(w.Add([]string{"sub", "sub/deep"}))
	told(t, w)
	f.Write("sub/deep/c", "changed")
	if got := told(t, w); !slices.Contains(got, "sub/deep/c") && !slices.Contains(got, "sub/deep") {
		t.Errorf("it tells of %q, and not of sub/deep/c", got)
	}
	f.Must(inside.Close())
	f.Write("sub/deep/c", "once more")
	if got := told(t, w); !slices.Contains(got, "sub/deep/c") {
		t.Errorf("when nobody is in the old one any more it tells of %q", got)
	}
}

// The system remembers only so many events. Whoever reads them too late knows nothing.
func TestTooLateForTheSystem(t *testing.T) {
	t.Parallel()
	limit, err := os.ReadFile("/proc/sys/fs/inotify/max_queued_events")
	if err != nil {
		t.Skip(err)
	}
	most, err := strconv.Atoi(strings.TrimSpace(string(limit)))
	if err != nil || most > 200_000 {
		t.Skipf("the system remembers %q events", limit)
	}
	f, w := begun(t)
	w.mu.Lock() // nobody reads
	for i := range most + 2 {
		f.Must(os.Chmod(f.Path([]string{"a", "sub/b"}[i%2]), 0o600))
	}
	w.mu.Unlock()
	if paths, known := w.Changed(); known {
		t.Errorf("it claims to know, and tells of %q", paths)
	}
}

// Nothing stays open when a watch ends, and none that could not begin leaves anything.
func TestAWatchLeavesNothing(t *testing.T) {
	open := func() (n int) {
		all, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range all {
			if at, _ := os.Readlink("/proc/self/fd/" + e.Name()); strings.Contains(at, "inotify") {
				n++
			}
		}
		return n
	}
	before := open()
	f, w := begun(t)
	if open() != before+1 {
		t.Error("a watch opens nothing")
	}
	w.Close()
	for _, top := range []string{f.Path("a"), f.Path("never")} {
		if w, err := Start(top, []string{""}); err == nil {
			w.Close()
			t.Errorf("%s is watched", top)
		}
	}
	if n := open(); n != before {
		t.Errorf("%d watches are open, and %d were", n, before)
	}
}

func TestMountsAreFound(t *testing.T) {
	t.Parallel()
	around, err := mountsAround("/home/nobody/tree")
	if err != nil || around == "" {
		t.Errorf("mounts = %q, %v", around, err)
	}
	if _, err := Start("/", []string{""}); err == nil {
		t.Error("a tree is watched in which other disks are mounted")
	}
}
