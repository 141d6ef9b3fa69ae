package journal

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// soon is a time at which all that a test has written so far is settled.
func soon() time.Time { return time.Now().Add(time.Hour) }

// listed lists a store through its index, keeps what it may, and tells which runs were
// known.
func listed(t *testing.T, s Store, version string) (knew []string, bad []Unreadable) {
	t.Helper()
	x := OpenIndex(s, version, soon())
	list, bad, err := x.List()
	if err != nil {
		t.Fatal(err)
	}
	entries, unread, err := s.List()
	if err != nil || len(entries) != len(list) || fmt.Sprint(bad) != fmt.Sprint(unread) {
		t.Fatalf("the index lists %d runs, %v; reading %d, %v, %v", len(list), bad, len(entries), unread, err)
	}
	for i, b := range list {
		e := entries[i]
		want := fmt.Sprint("said of ", e.Name, e.State.Totals.Iterations, e.Finished, e.Parked)
		if b.Name != e.Name || b.Tree != e.Tree {
			t.Errorf("run %d is %s in %s, want %s in %s", i, b.Name, b.Tree, e.Name, e.Tree)
		}
		if b.Entry == nil {
			knew = append(knew, b.Name)
			continue
		}
		x.Keep(b, func() string { return strings.ReplaceAll(want, "\n", " ") })
	}
	x.Close()
	return knew, bad
}

// endedRun is a run that is over, with all the files that one may have.
func endedRun(t *testing.T, s Store) (dir, name string) {
	t.Helper()
	path, _ := written(t, s)
	dir = filepath.Dir(path)
	return dir, filepath.Base(dir)
}

func TestARunThatIsOverIsReadOnce(t *testing.T) {
	s := sealedStore(t)
	var want []string
	for range 12 { // so that the order of numbers is not that of names
		_, name := endedRun(t, s)
		want = append(want, name)
	}
	if knew, _ := listed(t, s, "1"); knew != nil {
		t.Errorf("without an index, %v are known", knew)
	}
	if knew, _ := listed(t, s, "1"); !slices.Equal(knew, want) {
		t.Errorf("%v are known, want %v", knew, want)
	}
	x := OpenIndex(s, "1", soon())
	list, _, err := x.List()
	if err != nil || !strings.HasPrefix(list[3].Said, "said of build-4") {
		t.Errorf("of build-4 is kept %q, %v", list[3].Said, err)
	}
}

func TestWhatIsNotOverOrNotSoundIsReadEveryTime(t *testing.T) {
	s := sealedStore(t)
	crashed := create(t, s)
	startOf(crashed)
	crashed.Close()
	parked := create(t, s)
	startOf(parked)
	parked.Append(at(1, 0, 0, &loop.RunParked{}))
	parked.Close()
	dir, _ := endedRun(t, s)
	appendTo(t, besidePath(dir, guardedName), " ")
	dir, _ = endedRun(t, s)
	writeFile(t, filepath.Join(dir, journalName), "nothing\n")
	_, live := endedRun(t, s)
	lock, err := s.Lock(Holder{PID: os.Getpid(), Run: live})
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Unlock()
	listed(t, s, "1")
	knew, bad := listed(t, s, "1")
	if want := []string{parked.Meta().Name}; !slices.Equal(knew, want) || len(bad) != 1 {
		t.Errorf("%v are known, %v cannot be read; want %v and one", knew, bad, want)
	}
}

// Whichever file somebody writes to, and be it that it has the same size and time
// afterwards: the run is read again.
func TestAWriteToAnyFileOfARunIsSeen(t *testing.T) {
	for _, name := range stamped() {
		for how, act := range map[string]func(t *testing.T, path string){
			"changed": func(t *testing.T, path string) {
				info, err := os.Stat(path)
				if err != nil {
					t.Skip("it is not there")
				}
				b := []byte(readFile(t, path))
				b[len(b)/2] ^= 1
				if err := os.WriteFile(path, b, 0o600); err != nil {
					t.Fatal(err)
				}
				if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
					t.Fatal(err)
				}
			},
			"removed": func(t *testing.T, path string) {
				if os.Remove(path) != nil {
					t.Skip("it is not there")
				}
			},
			"replaced": func(t *testing.T, path string) {
				b, _ := os.ReadFile(path)
				if err := replace(path, append(b, '\n'), false); err != nil {
					t.Fatal(err)
				}
			},
		} {
			t.Run(name+" "+how, func(t *testing.T) {
				s := sealedStore(t)
				dir, _ := endedRun(t, s)
				_, other := endedRun(t, s)
				listed(t, s, "1")
				act(t, filepath.Join(dir, name))
				if knew, _ := listed(t, s, "1"); !slices.Equal(knew, []string{other}) {
					t.Errorf("%v are known, want only %s", knew, other)
				}
			})
		}
	}
}

// A file may be written to again in the moment in which it was read, and have the
// same times then.
func TestWhatWasWrittenJustNowIsNotKept(t *testing.T) {
	s := sealedStore(t)
	endedRun(t, s)
	x := OpenIndex(s, "1", time.Now().Add(-time.Minute))
	list, _, err := x.List()
	if err != nil {
		t.Fatal(err)
	}
	x.Keep(list[0], func() string { return "said" })
	x.Close()
	if knew, _ := listed(t, s, "1"); knew != nil {
		t.Errorf("%v are known", knew)
	}
}

func TestAnIndexThatDoesNotFitIsMadeAnew(t *testing.T) {
	other := sealedStore(t)
	endedRun(t, other)
	listed(t, other, "1")
	for how, act := range map[string]func(t *testing.T, s Store, path string){
		"a letter": func(t *testing.T, _ Store, path string) {
			b := []byte(readFile(t, path))
			b[bytes.Index(b, []byte("said"))] = 'S'
			writeFile(t, path, string(b))
		},
		"cut":     func(t *testing.T, _ Store, path string) { writeFile(t, path, readFile(t, path)[:50]) },
		"empty":   func(t *testing.T, _ Store, path string) { writeFile(t, path, "") },
		"no seal": func(t *testing.T, _ Store, path string) { writeFile(t, path, readFile(t, path)+"\n") },
		"gone":    func(t *testing.T, _ Store, path string) { os.Remove(path) },
		"foreign": func(t *testing.T, _ Store, path string) {
			writeFile(t, path, readFile(t, filepath.Join(other.Dir, indexName)))
		},
		"of others": func(t *testing.T, s Store, _ string) { listed(t, s, "2") },
	} {
		t.Run(how, func(t *testing.T) {
			s := sealedStore(t)
			_, name := endedRun(t, s)
			listed(t, s, "1")
			act(t, s, filepath.Join(s.Dir, indexName))
			if knew, _ := listed(t, s, "1"); knew != nil {
				t.Errorf("%v are known", knew)
			}
			if knew, _ := listed(t, s, "1"); !slices.Equal(knew, []string{name}) {
				t.Errorf("afterwards %v are known, want %s", knew, name)
			}
		})
	}
}

func TestAFolderInThePlaceOfTheIndexIsNoError(t *testing.T) {
	s := sealedStore(t)
	endedRun(t, s)
	mkdir(t, s.Dir, indexName+"/full")
	for range 2 {
		if knew, _ := listed(t, s, "1"); knew != nil {
			t.Errorf("%v are known", knew)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(s.Dir, indexName+".*")); left != nil {
		t.Errorf("%v are left", left)
	}
}

func TestRecordsWithoutASealHaveNoIndex(t *testing.T) {
	s := newStore(t)
	endedRun(t, s)
	listed(t, s, "1")
	if knew, _ := listed(t, s, "1"); knew != nil {
		t.Errorf("%v are known", knew)
	}
	if _, err := os.Lstat(filepath.Join(s.Dir, indexName)); err == nil {
		t.Error("there is an index")
	}
}

func TestARunThatWasRemovedLeavesNoGhost(t *testing.T) {
	s := sealedStore(t)
	_, first := endedRun(t, s)
	dir, second := endedRun(t, s)
	listed(t, s, "1")
	if err := s.Remove(first); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(filepath.Join(s.Dir, indexName)); err == nil {
		t.Error("the index still speaks of it")
	}
	listed(t, s, "1")
	if err := os.RemoveAll(dir); err != nil { // by hand
		t.Fatal(err)
	}
	if knew, _ := listed(t, s, "1"); knew != nil {
		t.Errorf("%v are known", knew)
	}
	if strings.Contains(readFile(t, filepath.Join(s.Dir, indexName)), second) {
		t.Error("the index still speaks of the second")
	}
}

func TestTwoWhoListAtOnceDoNoHarm(t *testing.T) {
	s := sealedStore(t)
	var want []string
	for range 4 {
		_, name := endedRun(t, s)
		want = append(want, name)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 5 {
				x := OpenIndex(s, "1", soon())
				list, _, err := x.List()
				if err != nil || len(list) != len(want) {
					t.Errorf("%d runs are listed, %v", len(list), err)
				}
				for _, b := range list {
					x.Keep(b, func() string { return "said" })
				}
				x.changed = true
				x.Close()
			}
		})
	}
	all.Wait()
	if knew, _ := listed(t, s, "1"); !slices.Equal(knew, want) {
		t.Errorf("%v are known, want %v", knew, want)
	}
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	writeFile(t, path, readFile(t, path)+text)
}
