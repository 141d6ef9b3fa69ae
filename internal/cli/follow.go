package cli

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/refrain-loop/refrain/internal/control"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

// follow gives the events of a run after a number, each once and in order, until
// the run is over: from the run itself while it answers, else from its files.
// When ctx ends, its cause is the last thing that it gives.
func follow(ctx context.Context, store journal.Store, run string, after int64) iter.Seq2[loop.Event, error] {
	return func(yield func(loop.Event, error) bool) {
		t := trail{store: store, run: run, at: after, hole: -1, yield: yield}
		if err := t.walk(ctx); err != nil && !errors.Is(err, errEnough) {
			yield(loop.Event{}, err)
		}
	}
}

// errEnough says that the caller wants no more.
var errEnough = errors.New("enough")

// trail is how far a run has been followed.
type trail struct {
	store journal.Store
	run   string
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
		over := t.store.Status(entry).Ended() // asked first: what is read after it is complete
		if h, held := t.store.At(entry.Tree).Holder(); !over && held && h.Run == t.run && h.Socket != "" {
			err := t.listen(ctx, h.Socket)
			if err == nil || errors.Is(err, errEnough) {
				return err
			}
			// It does not answer, or not any more: the files have the rest.
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := t.read(over); err != nil || over {
			return err
		}
		select {
		case <-time.After(followEvery):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// listen follows a run that answers, to its end.
func (t *trail) listen(ctx context.Context, socket string) error {
	for e, err := range control.Dial(socket).Events(ctx, t.at) {
		if err != nil {
			return err
		}
		if err := t.give(e); err != nil {
			return err
		}
	}
	return nil
}

// read gives what the files of the run have by now. Two of them are read one
// after the other, so that of a live run an event can be missing that was
// written in between: where a number is missing, it is looked for once more.
func (t *trail) read(over bool) error {
	for e, err := range control.Past(t.store, t.run)(t.at) {
		if err != nil {
			return err
		}
		if !over && e.Seq != t.at+1 && t.hole != t.at {
			t.hole = t.at
			return nil
		}
		if err := t.give(e); err != nil {
			return err
		}
	}
	return nil
}

func (t *trail) give(e loop.Event) error {
	t.at = e.Seq
	if !t.yield(e, nil) {
		return errEnough
	}
	return nil
}
