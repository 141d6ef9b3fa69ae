package journal

import (
	"context"
	"errors"
	"iter"
	"math"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Live gives the events of a run after a number as it tells them itself, at the
// address in its lock, until it is over.
type Live func(ctx context.Context, address string, after int64) iter.Seq2[loop.Event, error]

// Follow gives the events of a run after a number, each once and in order, until
// the run is over: from the run itself while it answers, else from its files.
// When ctx ends, its cause is the last thing that it gives.
func (s Store) Follow(ctx context.Context, run string, after int64, live Live) iter.Seq2[loop.Event, error] {
	return func(yield func(loop.Event, error) bool) {
		t := trail{store: s, run: run, live: live, at: after, hole: -1, yield: yield}
		if err := t.walk(ctx); err != nil && !errors.Is(err, errEnough) {
			yield(loop.Event{}, err)
		}
	}
}

// followEvery is how often the files of a live run are looked at that does not
// answer.
const followEvery = 200 * time.Millisecond

// errEnough says that the caller wants no more.
var errEnough = errors.New("enough")

// trail is how far a run has been followed.
type trail struct {
	store Store
	run   string
	live  Live
	at    int64 // the last event that was given
	hole  int64 // the event after which numbers were missing when we last looked
	yield func(loop.Event, error) bool
}

func (t *trail) walk(ctx context.Context) error {
	for {
		entry, err := t.store.Load(t.run)
		if err != nil {
			return err
		}
		h, held := t.store.At(entry.Tree).Holder()
		held = held && h.Run == t.run
		over := t.store.Status(entry).Ended() // asked first: what is read after it is complete
		if entry.Parked != nil && held {
			over = false // who has it goes on with it
		}
		if !over && held && h.Socket != "" {
			err := t.give(t.live(ctx, h.Socket, t.at))
			if err == nil || errors.Is(err, errEnough) {
				return err
			}
			// It does not answer, or not any more: the files have the rest.
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := t.give(t.read(over)); err != nil || over {
			return err
		}
		select {
		case <-time.After(followEvery):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// read is what the files of the run have by now. Two of them are read one after
// the other, so that of a live run an event can be missing that was written in
// between: where a number is missing, it is looked for once more.
func (t *trail) read(over bool) iter.Seq2[loop.Event, error] {
	return func(yield func(loop.Event, error) bool) {
		for e, err := range t.store.AllEvents(t.run, t.at) {
			if err == nil && !over && e.Seq != t.at+1 && t.hole != t.at {
				t.hole = t.at
				return
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

func (t *trail) give(events iter.Seq2[loop.Event, error]) error {
	for e, err := range events {
		if err != nil {
			return err
		}
		t.at = e.Seq
		if !t.yield(e, nil) {
			return errEnough
		}
	}
	return nil
}

// AllEvents reads the events of a run after a number: those of its journal and,
// each in its place, those that its agents' attempts keep for themselves.
func (s Store) AllEvents(run string, after int64) iter.Seq2[loop.Event, error] {
	return allEvents(s, run, after, nil)
}

// AllToEncode is AllEvents for who only wants to know the types, and to encode them:
// where a line would come out as it is, nobody reads it.
func AllToEncode(s Store, run string, after int64) iter.Seq2[loop.Event, error] {
	return allEvents(s, run, after, new(asIs))
}

func allEvents(s Store, run string, after int64, told *asIs) iter.Seq2[loop.Event, error] {
	return func(yield func(loop.Event, error) bool) {
		a := attempts{store: s, run: run, after: after, yield: yield, told: told}
		defer a.close()
		// All of them: an earlier one says which attempt is under way.
		for e, err := range s.Read(run, Reading{told: told}) {
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

// attempts gives what agents said between two events of the journal. An attempt
// that is over before anything is wanted of it costs nothing.
type attempts struct {
	store Store
	run   string
	after int64
	yield func(loop.Event, error) bool
	told  *asIs

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
		a.next, a.stop = iter.Pull2(attemptEvents(a.store.AttemptDir(a.run, a.iter, a.n), Reading{After: math.MinInt64, told: a.told}))
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
