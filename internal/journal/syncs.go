package journal

import (
	"errors"
	"io/fs"
	"sync"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/seal"
)

// Every event is in the file when it is told. That it is on the disk too, so that a
// crash of the machine does not lose it, takes a sync, and a sync takes longer than
// all else that we do in an iteration. So those of an iteration are made beside other
// work, or together: whoever is about to do what must not be done twice, or to wait,
// calls Settle.
//
//	iteration.finished ┐
//	iteration.started  ┴─ one sync ─ beside the prompt and the fork ─► Settle: the agent reads its prompt
//	agent.exited       ── one sync ─ beside the checkpoint ──────────► Settle: it is judged
//	checkpoint.made    ── Owe: with the next of them ────────────────► SettleAll: a gate or a hook runs, files are put back
//	run.…              ── at once: somebody waits, or it is over
//
// All else is on the disk with the next of these. A commit of ours is found again by its
// message, and gates run from the beginning.

// durability is when an event must be on the disk, with all before it.
type durability int

const (
	whenever  durability = iota
	withNext             // together with the next one, or when somebody settles
	meanwhile            // a sync begins, and nobody waits for it who does not settle
	atOnce
)

// durable says when an event must be on the disk.
func durable(e loop.Event) durability {
	switch e.Payload.(type) {
	case *loop.IterationFinished:
		return withNext
	case *loop.IterationStarted, *loop.AgentExited:
		return meanwhile
	case *loop.RunStarted, *loop.RunResumed, *loop.RunParked, *loop.RunFinished, *loop.RunWaiting, *loop.RunPaused, *loop.RunAsked:
		return atOnce
	}
	return whenever
}

// syncs is what is on its way to the disk. The run's lock guards it.
type syncs struct {
	due    bool           // something is to be there, and no sync is under way that brings it
	owed   int            // so many events are to be there before others write to the tree
	begun  int            // and of so many a sync has been begun
	failed bool           // one has failed: no other one of this file says anything
	under  *syncing       // nil: there is none
	noted  int            // how many events the head has
	going  sync.WaitGroup // who syncs
}

// syncing is a sync under way.
type syncing struct {
	done chan struct{} // closed when the system has answered, which is err
	err  error
	over chan struct{} // closed when that was taken note of
}

// Settle returns when everything is on the disk that must be there before anything
// follows it. What cannot be brought there is trouble, and tried again by the next one.
func (r *Run) Settle() {
	defer r.trouble.tell()
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.syncs.under != nil {
		over := r.syncs.under.over
		r.mu.Unlock()
		<-over
		r.mu.Lock()
	}
	if r.syncs.due {
		r.sync()
	}
}

// Owe says that what was written so far tells of the work tree as it is: nobody may
// write to that before a SettleAll.
func (r *Run) Owe() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.syncs.owed = r.log.safe.Events
}

// SettleAll is Settle before others write to the work tree: with what is owed.
func (r *Run) SettleAll() {
	r.mu.Lock()
	r.syncs.due = r.syncs.due || r.syncs.owed > r.syncs.begun
	r.mu.Unlock()
	r.Settle()
}

// startSync begins to put on the disk what the journal has by now. While another sync
// is under way, or has failed, it is left to who settles.
func (r *Run) startSync() {
	if r.syncs.due = r.syncs.under != nil || r.syncs.failed; r.syncs.due {
		return
	}
	f, at := r.log.journal.f, r.log.safe
	r.syncs.begun = at.Events
	s := &syncing{done: make(chan struct{}), over: make(chan struct{})}
	r.syncs.under = s
	r.syncs.going.Go(func() {
		s.err = f.Sync()
		close(s.done)
		defer r.trouble.tell()
		r.mu.Lock()
		defer r.mu.Unlock()
		r.syncs.under = nil
		close(s.over)
		if errors.Is(s.err, fs.ErrClosed) { // another file is in its place
			r.syncs.due = true
			return
		}
		r.synced(at, s.err)
	})
}

// sync puts the journal on the disk, and tells whether that went well. The system tells
// only once that it could not write something, and of two who ask at the same time
// perhaps only one.
func (r *Run) sync() bool {
	f := r.log.journal.f
	if r.syncs.due = f == nil; r.syncs.due { // it was put back, and could not be opened
		r.trouble.note(syncOfJournal, fs.ErrClosed)
		return false
	}
	r.syncs.begun = r.log.safe.Events
	if !r.syncs.failed {
		err := f.Sync()
		if s := r.syncs.under; s != nil {
			<-s.done
			if !errors.Is(s.err, fs.ErrClosed) {
				err = errors.Join(err, s.err)
			}
		}
		if r.synced(r.log.safe, err); err == nil {
			return true
		}
	}
	err := r.log.renew()
	if r.syncs.failed, r.syncs.due = err != nil, err != nil; err == nil {
		r.trouble.settle(syncOfJournal)
	}
	r.synced(r.log.safe, err)
	return err == nil
}

const syncOfJournal = "sync of " + journalName

// synced takes note of how a sync of all up to a place went. One that failed is not
// made good by the next: the system has given up what it could not write.
func (r *Run) synced(at seal.Mark, err error) {
	if err != nil {
		r.trouble.note(syncOfJournal, err)
		r.syncs.failed, r.syncs.due = true, true
		return
	}
	if at.Events > r.syncs.noted && !r.syncs.failed {
		r.syncs.noted = at.Events
		r.log.noteHead(at)
	}
}

// renew puts another file in the place of the journal, with what that holds, and on the
// disk.
func (l *sealedLog) renew() error {
	return l.full.unless(func() error {
		if err := l.journal.ready(); err != nil { // it sees whether somebody else was there
			return err
		}
		was := l.journal.restored
		err := l.journal.restore(false)
		l.journal.restored = was
		if err != nil {
			return err
		}
		return l.journal.open()
	})
}
