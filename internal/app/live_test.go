package app

import (
	"context"
	"errors"
	"iter"
	"sync"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

// disk is the events that were written, for any number of readers.
type disk struct {
	mu     sync.Mutex
	events []loop.Event
	reads  int
}

func (d *disk) write(e loop.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.events = append(d.events, e)
}

func (d *disk) past(after int64) iter.Seq2[loop.Event, error] {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reads++
	list := d.events[min(after, int64(len(d.events))):]
	return func(yield func(loop.Event, error) bool) {
		for _, e := range list {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// liveOn is a Live whose run writes to the disk, and what makes the next event.
func liveOn(d *disk) (l *Live, happen func(loop.Payload)) {
	l = NewLive()
	l.past = d.past
	seq := int64(len(d.events))
	return l, func(p loop.Payload) {
		seq++
		e := loop.Event{Seq: seq, Payload: p}
		d.write(e)
		l.Observe(e)
	}
}

// follows sees that the events come without a gap.
func follows(t *testing.T, l *Live, after int64, each func(loop.Event) bool) (last int64) {
	t.Helper()
	last = after
	for e, err := range l.Events(t.Context(), after) {
		if err != nil || e.Seq != last+1 {
			t.Errorf("after event %d comes %d, %v", last, e.Seq, err)
			return last
		}
		last = e.Seq
		if !each(e) {
			return last
		}
	}
	return last
}

func all(loop.Event) bool { return true }

func TestFollowersMissNothing(t *testing.T) {
	const before, n = 10, 3 * maxRecent // of an earlier runner, and of this one
	d := &disk{}
	for i := range before {
		d.write(loop.Event{Seq: int64(i + 1), Payload: &loop.NoteAdded{}})
	}
	l, happen := liveOn(d)
	var wg sync.WaitGroup
	for after := range int64(4) {
		wg.Go(func() {
			if last := follows(t, l, after*3, all); last != before+n {
				t.Errorf("who follows from %d gets up to %d, want %d", after*3, last, before+n)
			}
		})
	}
	for range n {
		happen(&loop.NoteAdded{})
	}
	l.End()
	wg.Wait()
	if last := follows(t, l, 0, all); last != before+n {
		t.Errorf("who comes late gets up to %d, want %d", last, before+n)
	}
	if last := follows(t, l, 0, func(e loop.Event) bool { return e.Seq < 5 }); last != 5 {
		t.Errorf("who leaves early gets up to %d, want 5", last)
	}
}

func TestWhoKeepsUpReadsNothingFromTheDisk(t *testing.T) {
	d := &disk{}
	l, happen := liveOn(d)
	happen(&loop.RunStarted{})
	follows(t, l, 0, func(e loop.Event) bool {
		if e.Seq < 100 {
			happen(&loop.NoteAdded{})
		}
		return e.Seq < 100
	})
	if d.reads > 0 {
		t.Errorf("the disk was read %d times", d.reads)
	}
}

func TestFollowingEndsWithItsContext(t *testing.T) {
	l, happen := liveOn(&disk{})
	happen(&loop.RunStarted{})
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	var last error
	for e, err := range l.Events(ctx, 0) {
		if e.Seq == 1 {
			cancel(why)
		}
		last = err
	}
	if !errors.Is(last, why) {
		t.Errorf("the last error is %v, want %v", last, why)
	}
}

func TestAPastThatCannotBeReadIsTold(t *testing.T) {
	torn := errors.New("torn")
	l := NewLive()
	l.past = func(int64) iter.Seq2[loop.Event, error] {
		return func(yield func(loop.Event, error) bool) { yield(loop.Event{}, torn) }
	}
	l.Observe(loop.Event{Seq: 9, Payload: &loop.NoteAdded{}})
	for _, err := range l.Events(t.Context(), 0) {
		if !errors.Is(err, torn) {
			t.Errorf("error = %v, want %v", err, torn)
		}
	}
}
