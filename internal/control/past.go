package control

import (
	"iter"
	"math"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

// Past reads the events of a run after a number: those of its journal and, each
// in its place, those that its agents' attempts keep for themselves.
func Past(s journal.Store, run string) func(after int64) iter.Seq2[loop.Event, error] {
	return func(after int64) iter.Seq2[loop.Event, error] {
		return func(yield func(loop.Event, error) bool) {
			a := attempts{store: s, run: run, after: after, yield: yield}
			defer a.close()
			// All of them: an earlier one says which attempt is under way.
			for e, err := range s.Events(run, 0) {
				if err != nil {
					yield(loop.Event{}, err)
					return
				}
				if e.Seq > after && (!a.until(e.Seq) || !yield(e, nil)) {
					return
				}
				a.enter(e.Iter, e.Attempt)
			}
			a.until(math.MaxInt64)
		}
	}
}

// attempts gives what agents said between two events of the journal. An attempt
// that is over before anything is wanted of it costs nothing.
type attempts struct {
	store journal.Store
	run   string
	after int64
	yield func(loop.Event, error) bool

	iter, n int  // the attempt that we are in, 0 before the first
	opened  bool // its events are being read
	next    func() (loop.Event, error, bool)
	stop    func()
	held    *loop.Event // read, and not given yet
}

// enter goes on to an attempt. Events between two attempts belong to none.
func (a *attempts) enter(iter, n int) {
	if iter == 0 || iter == a.iter && n == a.n {
		return
	}
	a.close()
	a.iter, a.n = iter, n
}

// until gives the events before a number. It is false when no more are wanted.
func (a *attempts) until(seq int64) bool {
	if a.iter == 0 {
		return true
	}
	if !a.opened {
		a.opened = true
		a.next, a.stop = iter.Pull2(journal.AttemptEvents(a.store.AttemptDir(a.run, a.iter, a.n)))
	}
	for {
		if a.held == nil {
			e, err, ok := a.next()
			if !ok {
				return true
			}
			if err != nil {
				a.yield(loop.Event{}, err)
				return false
			}
			a.held = &e
		}
		if a.held.Seq >= seq {
			return true
		}
		e := *a.held
		a.held = nil
		if e.Seq > a.after && !a.yield(e, nil) {
			return false
		}
	}
}

func (a *attempts) close() {
	if a.opened {
		a.stop()
	}
	a.opened, a.held = false, nil
}
