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
//	agent.exited       ── one sync ─ beside the checkpoint ──────────► Settle: gates, hooks, commits
//	run.…, gate.…      ── at once: somebody waits, or something runs

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
	due   bool           // something is to be there, and no sync is under way that brings it
	under chan struct{}  // closed when the sync under way is over; nil: there is none
	noted int            // how many events the head has
	going sync.WaitGroup // who syncs
}

// Settle returns when everything is on the disk that must be there before anything
// follows it.
func (r *Run) Settle() {
	defer r.trouble.tell()
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.syncs.under != nil {
		over := r.syncs.under
		r.mu.Unlock()
		<-over
		r.mu.Lock()
	}
	if r.syncs.due {
		r.sync()
	}
}

// startSync begins to put on the disk what the journal has by now. While another sync
// is under way, it is left to who settles.
func (r *Run) startSync() {
	if r.syncs.due = r.syncs.under != nil; r.syncs.due {
		return
	}
	f, at, over := r.log.journal.f, r.log.safe, make(chan struct{})
	r.syncs.under = over
	r.syncs.going.Go(func() {
		err := f.Sync()
		defer r.trouble.tell()
		r.mu.Lock()
		defer r.mu.Unlock()
		r.syncs.under = nil
		close(over)
		if errors.Is(err, fs.ErrClosed) { // another file is in its place
			r.syncs.due = true
			return
		}
		r.synced(at, err)
	})
}

// sync puts the journal on the disk, and tells whether that went well.
func (r *Run) sync() bool {
	f := r.log.journal.f
	if r.syncs.due = f == nil; r.syncs.due { // it was put back, and could not be opened
		r.trouble.note("sync of "+journalName, fs.ErrClosed)
		return false
	}
	err := f.Sync()
	r.synced(r.log.safe, err)
	return err == nil
}

// synced takes note of how a sync of all up to a place went.
func (r *Run) synced(at seal.Mark, err error) {
	r.trouble.note("sync of "+journalName, err)
	if err == nil && at.Events > r.syncs.noted {
		r.syncs.noted = at.Events
		r.log.noteHead(at)
	}
}
