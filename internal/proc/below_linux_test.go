package proc

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/fence"
)

// household starts somebody whom nobody but a list of processes finds, a chain of
// three, and waits with them for as long as the file is there. $2 is what the lost one
// does.
const household = `
(setsid env -i sh -c 'exec <&- >&- 2>&-; while [ -e "$0" ]; do eval "$1"; done' "$1" "$2" &)
sh -c 'sh -c "sleep 60; :"; :' &
echo ready
cat
`

// within runs the household, and a test while it is there.
func within(t *testing.T, k *Keeper, scene scene, deed string, test func(p *kept)) {
	t.Helper()
	held := NewHeld()
	s := shell(household, scene.file, deed)
	s.Env, s.Stdin = os.Environ(), held
	s.Stdout.Line = func([]byte, bool) {
		defer held.Release()
		test(&kept{line: k.line})
		if err := os.Remove(scene.file); err != nil { // they may go
			t.Error(err)
		}
	}
	if _, err := k.Run(t.Context(), s); err != nil {
		t.Error(err)
	}
}

// Who is asked for its children tells of everybody of whom the list of all processes
// tells, and of nobody else.
func TestBelowIsWhoDescends(t *testing.T) {
	eachFence(t, func(t *testing.T, kind fence.Kind) {
		scene := newScene(t)
		k := scene.keeperWithin(kind)
		within(t, k, scene, "sleep 60 & wait", func(p *kept) {
			keeper := p.line.keeper.pid
			for deadline := time.Now().Add(10 * time.Second); ; {
				all, below := whoIs(t, keeper, readTable), whoIs(t, keeper, func() (table, error) { return readBelow(keeper) })
				if len(all) == 7 && maps.Equal(all, below) {
					break
				}
				if time.Now().After(deadline) {
					t.Errorf("below %d are %v, by the children %v; want 7, and the same", keeper, all, below)
					break
				}
			}
			got, err := readBelow(keeper)
			if _, stranger := got.all[os.Getpid()]; err != nil || stranger == listsChildren() {
				t.Errorf("readBelow = %v, %v, want nobody else", got.all, err)
			}
			for pid := range got.all {
				if listsChildren() && pid != keeper && !Descends(pid, keeper) {
					t.Errorf("%d is a stranger", pid)
				}
			}
		})
	})
}

func whoIs(t *testing.T, keeper int, read func() (table, error)) map[ident]bool {
	t.Helper()
	table, err := read()
	if err != nil {
		t.Error(err)
	}
	who := map[ident]bool{}
	for _, e := range table.below(keeper) {
		who[e.ident] = true
	}
	return who
}

// A system without lists of children is asked for all processes.
func TestWithoutListsOfChildrenAllAreRead(t *testing.T) {
	was := listsChildren
	t.Cleanup(func() { listsChildren = was })
	listsChildren = func() bool { return false }
	got, err := readBelow(os.Getpid())
	if _, parent := got.all[os.Getppid()]; err != nil || !parent {
		t.Errorf("readBelow = %v, %v, want our parent too", got.all, err)
	}
}

func TestBelowSomebodyWhoIsGoneIsNobody(t *testing.T) {
	if got, err := readBelow(1 << 30); err == nil {
		t.Errorf("readBelow = %v, want an error", got)
	}
}

// What an agent has put into the background, and the background has lost, works for
// it; what others do beside it does not.
func TestALostDescendantWorks(t *testing.T) {
	eachFence(t, func(t *testing.T, kind fence.Kind) {
		beside(t, 4)
		scene := newScene(t)
		within(t, scene.keeperWithin(kind), scene, ":", func(p *kept) {
			work := cpuMeter{process: p}
			for deadline := time.Now().Add(20 * time.Second); !work.active(); {
				if time.Now().After(deadline) {
					t.Error("twenty seconds of work do not show")
					return
				}
				time.Sleep(20 * time.Millisecond) // in which it works
			}
		})
	})
}

func TestStrangersThatWorkAreNotTheAgent(t *testing.T) {
	beside(t, 4)
	scene := newScene(t)
	within(t, scene.keeper(), scene, "sleep 60 & wait", func(p *kept) {
		for deadline := time.Now().Add(10 * time.Second); len(whoIs(t, p.line.keeper.pid, readTable)) < 7; {
			if time.Now().After(deadline) {
				t.Error("they do not come")
				return
			}
		}
		work := cpuMeter{process: p}
		work.active()
		for deadline := time.Now().Add(10 * time.Second); ; {
			time.Sleep(100 * time.Millisecond) // in which the others work
			if !work.active() {
				break
			}
			if time.Now().After(deadline) {
				t.Error("who sleeps works at every look")
				return
			}
		}
	})
}

// beside has some who are nobody's busy until the test is over.
func beside(t *testing.T, n int) {
	t.Helper()
	for range n {
		cmd := exec.Command("sh", "-c", "while :; do :; done")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait() // it was killed
		})
	}
}

func TestAFileOfProcIsReadWhole(t *testing.T) {
	got, err := readProc("/proc/self/mountinfo")
	f, openErr := os.Open("/proc/self/mountinfo")
	if openErr != nil {
		t.Fatal(openErr)
	}
	defer f.Close()
	want, readErr := io.ReadAll(f)
	if err != nil || readErr != nil || string(got) != string(want) || len(got) < 512 {
		t.Errorf("readProc = %d bytes, %v, want %d", len(got), err, len(want))
	}
	if _, err := readProc("/proc/self/no such file"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what is not there: %v", err)
	}
	names := namesIn("/proc/self/fd")
	if slices.Contains(names, ".") || !slices.Contains(names, "1") {
		t.Errorf("namesIn = %q", names)
	}
}
