package journal

import (
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/seal"
)

// slowDisk is a journal whose syncs take until they are let through, and that tells
// how much of it is on the disk.
type slowDisk struct {
	*os.File
	through chan struct{}
	begun   chan struct{}
	syncs   chan int // lines that each has brought
}

func (d *slowDisk) Sync() error {
	lines := d.lines()
	d.begun <- struct{}{}
	<-d.through
	d.syncs <- lines
	return d.File.Sync()
}

func (d *slowDisk) lines() int {
	b, err := os.ReadFile(d.Name())
	if err != nil {
		return -1
	}
	return strings.Count(string(b), "\n")
}

// onSlowDisk is a run that has begun, with its first iteration.
func onSlowDisk(t *testing.T) (*Run, *slowDisk) {
	t.Helper()
	r := create(t, sealedStore(t))
	startOf(r)
	r.Append(at(1, 1, 1, &loop.IterationStarted{}))
	d := &slowDisk{
		File: r.log.journal.f.(*os.File), through: make(chan struct{}, 100),
		begun: make(chan struct{}, 100), syncs: make(chan int, 100),
	}
	r.log.journal.f = d
	t.Cleanup(func() { close(d.through) })
	return r, d
}

func TestTheAgentsEndIsSyncedBesideOtherWork(t *testing.T) {
	r, d := onSlowDisk(t)
	r.Append(at(2, 1, 1, &loop.AgentExited{}))
	<-d.begun
	r.Append(at(2, 1, 1, &loop.CheckpointMade{Checkpoint: "x"})) // does not wait
	settled := make(chan struct{})
	go func() {
		r.Settle()
		close(settled)
	}()
	select {
	case <-settled:
		t.Error("somebody who settles does not wait for the sync")
	case d.through <- struct{}{}:
	}
	<-settled
	if got := <-d.syncs; got != 3 {
		t.Errorf("the sync brought %d lines, want 3", got)
	}
	if got := headOf(t, r).Events; got != 3 {
		t.Errorf("the head knows of %d events, want 3: what came later is not on the disk", got)
	}
}

func TestTheEndOfAnIterationAndTheStartOfTheNextAreOneSync(t *testing.T) {
	r, d := onSlowDisk(t)
	finish(r, loop.State{}, 1)
	r.Append(at(3, 2, 1, &loop.IterationStarted{}))
	d.through <- struct{}{}
	r.Settle()
	r.Settle() // nothing is left to do
	if got := len(d.begun); got != 1 {
		t.Errorf("%d syncs, want 1 for both", got)
	}
	if got := <-d.syncs; got != 4 {
		t.Errorf("it brought %d lines, want 4", got)
	}
}

// A gate may write to the work tree: which checkpoint the agent has left is known by then,
// and where none runs it is synced with what follows.
func TestTheCheckpointIsOnTheDiskBeforeOthersWrite(t *testing.T) {
	for _, tt := range []struct {
		name   string
		settle func(*Run)
		syncs  int
	}{
		{"nobody else writes", (*Run).Settle, 2},
		{"somebody does", (*Run).SettleAll, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, d := onSlowDisk(t)
			for range 9 {
				d.through <- struct{}{}
			}
			r.Append(at(2, 1, 1, &loop.AgentExited{}))
			r.Settle()
			r.Append(at(2, 1, 1, &loop.CheckpointMade{Checkpoint: "x"}))
			r.Owe()
			for range 2 { // gates
				tt.settle(r)
				r.Append(at(2, 1, 1, &loop.GateStarted{}))
			}
			if got := headOf(t, r).Events; got != tt.syncs+1 {
				t.Errorf("%d events are on the disk", got)
			}
			finish(r, loop.State{}, 1)
			r.Append(at(3, 2, 1, &loop.IterationStarted{}))
			tt.settle(r)
			if got := len(d.syncs); got != tt.syncs {
				t.Errorf("%d syncs of an iteration, want %d", got, tt.syncs)
			}
		})
	}
}

// Whoever waits, waits with everything on the disk.
func TestWhoWaitsHasSettled(t *testing.T) {
	for _, next := range []loop.Payload{&loop.RunWaiting{}, &loop.RunPaused{}, &loop.RunAsked{}, &loop.RunFinished{}} {
		t.Run(string(next.Type()), func(t *testing.T) {
			r, d := onSlowDisk(t)
			finish(r, loop.State{}, 1)
			if len(d.begun) > 0 {
				t.Error("an iteration's end is synced at once")
			}
			d.through <- struct{}{}
			r.Append(at(3, 0, 0, next))
			if got := len(d.begun); got != 1 || <-d.syncs != 4 {
				t.Errorf("%d syncs before it goes on, want 1 with both lines", got)
			}
		})
	}
}

// An agent may be gone before the disk has the start of its iteration: a sync that is
// under way does not count for what was written after it began.
func TestASyncUnderWayDoesNotCountForWhatFollows(t *testing.T) {
	r, d := onSlowDisk(t)
	r.Append(at(2, 2, 1, &loop.IterationStarted{}))
	<-d.begun
	r.Append(at(2, 2, 1, &loop.AgentExited{}))
	d.through <- struct{}{}
	d.through <- struct{}{}
	r.Settle()
	if got := len(d.syncs); got != 2 {
		t.Fatalf("%d syncs, want one more after the one that was under way", got)
	}
	if <-d.syncs; <-d.syncs != 4 {
		t.Error("the end of the agent is not on the disk")
	}
}

// A journal that is put back meanwhile is another file, and is synced as such.
func TestASyncOfAFileThatIsNoLongerTheJournalIsMadeAgain(t *testing.T) {
	r, d := onSlowDisk(t)
	r.Append(at(2, 1, 1, &loop.AgentExited{}))
	<-d.begun
	if err := os.Remove(d.Name()); err != nil {
		t.Fatal(err)
	}
	d.File.Close()
	r.mu.Lock()
	r.log.journal.f = nil
	err := os.WriteFile(r.log.journal.path, []byte("{}\n"), 0o600)
	if err == nil {
		err = r.log.journal.open()
	}
	r.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	d.through <- struct{}{}
	r.Settle()
	if list := r.Trouble(); len(list) > 0 {
		t.Errorf("Trouble = %q", list)
	}
	if r.syncs.due {
		t.Error("what is in the new file is not on the disk")
	}
}

// Where the journal was put back and cannot be opened, there is none to sync: that is
// trouble, and no end of the run.
func TestAJournalThatIsNotOpenIsTrouble(t *testing.T) {
	r := create(t, sealedStore(t))
	startOf(r)
	finish(r, loop.State{}, 1)
	r.log.journal.f.Close()
	r.log.journal.f = nil // as restore leaves it, when too many files are open
	r.Settle()
	if list := r.Trouble(); len(list) != 1 || !strings.Contains(list[0], "sync of "+journalName) {
		t.Errorf("Trouble = %q", list)
	}
	r.Append(at(3, 2, 1, &loop.IterationStarted{}))
	r.Settle()
	if got := headOf(t, r).Events; got != 3 {
		t.Errorf("the head knows of %d events, want 3: it is open again", got)
	}
}

// failingDisk is a journal that cannot be synced, which is said once.
type failingDisk struct {
	*os.File
	said atomic.Bool
}

func (d *failingDisk) Sync() error {
	if d.said.Swap(true) {
		return nil // what it could not write it has forgotten
	}
	return syscall.EIO
}

// What the system could not write it takes for written from then on: a second sync of
// the same file says nothing.
func TestASyncThatFailedIsMadeGoodInAnotherFile(t *testing.T) {
	for name, fail := range map[string]func(*Run){
		"beside other work": func(r *Run) {
			r.Append(at(2, 1, 1, &loop.AgentExited{}))
			r.syncs.going.Wait()
			if got := headOf(t, r).Events; got != 2 {
				t.Errorf("the head knows of %d events, want 2", got)
			}
			r.Append(at(3, 1, 1, &loop.AgentExited{})) // begins none that would be believed
			r.Settle()
		},
		"with somebody who waits": func(r *Run) {
			finish(r, loop.State{}, 1)
			r.Append(at(2, 0, 0, &loop.RunWaiting{}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := create(t, sealedStore(t))
			startOf(r)
			r.Append(at(1, 1, 1, &loop.IterationStarted{}))
			d := &failingDisk{File: r.log.journal.f.(*os.File)}
			r.log.journal.f = d
			var heard []string
			r.OnTrouble(func(what string) { heard = append(heard, what) })
			fail(r)
			if len(heard) != 1 || !strings.Contains(heard[0], "sync of "+journalName) {
				t.Errorf("heard %q", heard)
			}
			if list := r.Trouble(); len(list) > 0 {
				t.Errorf("Trouble = %q, though it is on the disk by now", list)
			}
			if r.log.journal.f == file(d) {
				t.Error("the file that could not be synced is taken for durable")
			}
			if got := headOf(t, r).Events; got != 4 {
				t.Errorf("the head knows of %d events, want 4", got)
			}
			if err := r.Verify(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A disk that stays full is tried again by everybody who settles.
func TestAJournalThatCannotBeSyncedIsNeverTakenForDurable(t *testing.T) {
	r := create(t, sealedStore(t))
	startOf(r)
	r.Append(at(1, 1, 1, &loop.IterationStarted{}))
	r.log.journal.f = &failingDisk{File: r.log.journal.f.(*os.File)}
	r.Append(at(2, 1, 1, &loop.AgentExited{}))
	r.Refuse(syscall.ENOSPC)
	for range 3 {
		r.Settle()
		if got := headOf(t, r).Events; got != 2 || !r.syncs.due {
			t.Errorf("the head knows of %d events, want 2; it is due: %v", got, r.syncs.due)
		}
	}
	r.Refuse(nil)
	r.Settle()
	if got := headOf(t, r).Events; got != 3 || r.syncs.due {
		t.Errorf("the head knows of %d events, want 3; it is due: %v", got, r.syncs.due)
	}
}

func TestTheFirstAgentStartsWithItsPlaceInRunJSON(t *testing.T) {
	r := create(t, sealedStore(t))
	startOf(r)
	r.Append(at(1, 1, 1, &loop.IterationStarted{}))
	if got := r.Meta().Head; got == nil || got.Events != 2 {
		t.Errorf("head in run.json = %+v, want 2 events", got)
	}
}

func headOf(t *testing.T, r *Run) seal.Mark {
	t.Helper()
	m, err := records{r.dir, r.Meta(), r.log.chain}.readHead()
	if err != nil {
		t.Fatal(err)
	}
	return m
}
