package journal

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestOneRunPerWorkTree(t *testing.T) {
	s := newStore(t)
	if h, held := s.Holder(); held {
		t.Fatalf("Holder of a folder that is not there = %+v", h)
	}
	if _, err := os.Stat(s.Dir); !os.IsNotExist(err) {
		t.Errorf("Holder has made the folder: %v", err)
	}

	me := Holder{PID: 42, Started: noon, Host: "here"}
	lock, err := s.Lock(me)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Lock(Holder{PID: 43})
	var held *HeldError
	if !errors.As(err, &held) || held.Holder != me {
		t.Fatalf("a second Lock = %v, want a HeldError that names %+v", err, me)
	}

	me.Run, me.Socket = "build-7", "/run/refrain/7.sock"
	if err := lock.Note(me); err != nil {
		t.Fatal(err)
	}
	if got, ok := s.Holder(); !ok || got != me {
		t.Errorf("Holder = %+v, %v, want %+v", got, ok, me)
	}
	var script Holder
	if err := json.Unmarshal([]byte(readFile(t, lockPath(s))), &script); err != nil || script != me {
		t.Errorf("the file says %+v, %v, want %+v", script, err, me)
	}
	if _, err := s.Lock(Holder{PID: 43}); err == nil || !strings.Contains(err.Error(), "build-7 has this work tree: process 42 on here") {
		t.Errorf("a second Lock = %v, want who has it", err)
	}

	other := Store{Dir: s.Dir, Tree: s.Tree + "-2"}
	lock2, err := other.Lock(Holder{PID: 44})
	if err != nil {
		t.Fatalf("Lock of another work tree: %v", err)
	}
	defer lock2.Unlock()

	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	if h, ok := s.Holder(); ok {
		t.Errorf("Holder after Unlock = %+v", h)
	}
	lock, err = s.Lock(Holder{PID: 45})
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := s.Holder(); got != (Holder{PID: 45}) {
		t.Errorf("Holder = %+v, want nothing of the one before", got)
	}
	lock.Unlock()
}

func TestReadersDoNotKeepARunFromStarting(t *testing.T) {
	s := newStore(t)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					s.Holder()
				}
			}
		})
	}
	for i := range 50 {
		lock, err := s.Lock(Holder{PID: i + 1})
		if err != nil {
			t.Errorf("Lock %d: %v", i, err)
			break
		}
		if err := lock.Unlock(); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	wg.Wait()
}

func TestTheLockIsNamedAfterItsTree(t *testing.T) {
	name := func(tree string) string { return filepath.Base(lockPath(Store{Tree: tree})) }
	a, b := name("/home/ann/my project"), name("/home/bob/my project")
	if !strings.HasPrefix(a, "lock-my_project-") || a == b {
		t.Errorf("the locks are %s and %s", a, b)
	}
	if long := name("/" + strings.Repeat("x", 300)); len(long) > 60 {
		t.Errorf("the lock of a long path is %s", long)
	}
}

func TestHeldErrorOfAHolderThatHasNotSpoken(t *testing.T) {
	tests := []struct {
		name   string
		holder Holder
		want   string
	}{
		{"nothing is known", Holder{}, "another run has this work tree"},
		{
			"no run yet",
			Holder{PID: 7, Host: "h", Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)},
			"a run that is just starting has this work tree: process 7 on h, since 2026-01-02 03:04:05",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, (&HeldError{tt.holder}).Error()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A runner that is killed while it starts a process leaves the lock to that
// process for a moment.
func TestLockOfADeadRunnerIsWaitedFor(t *testing.T) {
	s := newStore(t)
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	left, err := s.Lock(Holder{PID: deadProcess(t), Host: host, Run: "build-1"})
	if err != nil {
		t.Fatal(err)
	}
	if h, held := s.Holder(); held {
		t.Errorf("Holder = %+v, held; want nobody, for it is dead", h)
	}
	time.AfterFunc(20*time.Millisecond, func() { left.lock.Close() })
	taken, err := s.Lock(Holder{PID: os.Getpid(), Host: host})
	if err != nil {
		t.Fatalf("Lock after a dead runner: %v", err)
	}
	taken.Unlock()
}

// deadProcess is the id of a process that has ended.
func deadProcess(t *testing.T) int {
	t.Helper()
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Skipf("no program to run: %v", err)
	}
	return cmd.Process.Pid
}

func TestTryLocks(t *testing.T) {
	dir := t.TempDir()
	if err := TryLocks(dir); err != nil {
		t.Errorf("TryLocks on a local disk: %v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("TryLocks leaves %v behind", left)
	}
	if TryLocks(filepath.Join(dir, "missing")) == nil {
		t.Error("TryLocks in a folder that is not there works")
	}
}

func TestALockThatWasRemovedIsTakenAgain(t *testing.T) {
	s := newStore(t)
	me := Holder{PID: os.Getpid(), Run: "build-1"}
	lock, err := s.Lock(me)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Unlock()
	if err := lock.Hold(); err != nil {
		t.Errorf("Hold of a lock in its place: %v", err)
	}
	if err := os.RemoveAll(s.Dir); err != nil {
		t.Fatal(err)
	}
	if err := lock.Hold(); err != nil {
		t.Fatalf("Hold after the folder was removed: %v", err)
	}
	var held *HeldError
	if _, err := s.Lock(Holder{PID: 43}); !errors.As(err, &held) || held.Holder.Run != me.Run {
		t.Errorf("a second Lock = %v, want it held by %s", err, me.Run)
	}
}

func TestALockThatAnotherRunnerTookIsLost(t *testing.T) {
	s := newStore(t)
	lock, err := s.Lock(Holder{PID: os.Getpid(), Run: "build-1"})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(lockPath(s)); err != nil {
		t.Fatal(err)
	}
	other, err := s.Lock(Holder{PID: os.Getpid(), Run: "build-2"})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Unlock()
	var held *HeldError
	if err := lock.Hold(); !errors.As(err, &held) || held.Holder.Run != "build-2" {
		t.Errorf("Hold = %v, want it held by build-2", err)
	}
}
