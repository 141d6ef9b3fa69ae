package app

import (
	"context"
	"iter"
	"slices"
	"sort"
	"sync"

	"github.com/refrain-loop/refrain/internal/control"
	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/loop"
)

// How many events a Live has at hand at most, and how large they may be
// together. Who is further behind reads from the disk.
const (
	mostRecent = 2048
	mostWeight = 4 << 20
)

// Live is a run as the program that started it sees it: where it stands, and its
// events from any number on. Before the run has begun there is nothing to see;
// when it has ended, what there was stays.
type Live struct {
	mu     sync.Mutex
	state  *stateFile                                     // nil: the run has not begun
	past   func(after int64) iter.Seq2[loop.Event, error] // likewise
	recent []loop.Event                                   // the latest ones, without a gap
	weight int
	over   bool
	news   chan struct{} // closed by the next change; nil: nobody waits for it
}

// NewLive makes one for a run that has not begun.
func NewLive() *Live { return &Live{} }

// open connects it with its run, and gives who has to observe that. A nil Live
// sees nothing.
func (l *Live) open(o opened, state *stateFile) []engine.Observer {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state = state
	l.past = control.Past(o.store, o.run.Meta().Name)
	return []engine.Observer{l}
}

// Observe takes note of an event, which must not change afterwards.
func (l *Live) Observe(e loop.Event) {
	l.change(func() {
		l.recent = append(l.recent, e)
		l.weight += control.Weight(e.Payload)
		for len(l.recent) > 1 && (len(l.recent) > mostRecent || l.weight > mostWeight) {
			l.forget(len(l.recent) / 2)
		}
	})
}

// forget drops the oldest events. Those that are left move to a new list, for
// somebody may be reading the old one.
func (l *Live) forget(n int) {
	for _, e := range l.recent[:n] {
		l.weight -= control.Weight(e.Payload)
	}
	l.recent = slices.Clone(l.recent[n:])
}

// End says that nothing more will come.
func (l *Live) End() { l.change(func() { l.over = true }) }

// change does something, and wakes those who wait for it.
func (l *Live) change(do func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	do()
	if l.news != nil {
		close(l.news)
		l.news = nil
	}
}

// Status is where the run stands now; false when it has not begun.
func (l *Live) Status() (Status, bool) {
	if state := l.file(); state != nil {
		return state.Status(), true
	}
	return Status{}, false
}

// Stats is what the run has come to so far; false when it has not begun.
func (l *Live) Stats() (Stats, bool) {
	if state := l.file(); state != nil {
		return state.Stats(), true
	}
	return Stats{}, false
}

func (l *Live) file() *stateFile {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state
}

// Events follows the run: every event after a number, each once and in order,
// first those of the past and then those to come, until the run is over. The run
// waits for nobody, and who is slow misses nothing. When it cannot go on, an
// error is the last thing it gives: the cause of a ctx that is done, or why the
// past cannot be read.
func (l *Live) Events(ctx context.Context, after int64) iter.Seq2[loop.Event, error] {
	return func(yield func(loop.Event, error) bool) {
		for {
			events, upTo, news := l.stretch(after)
			for e, err := range events {
				if ctx.Err() != nil {
					yield(loop.Event{}, context.Cause(ctx))
					return
				}
				if !yield(e, err) || err != nil {
					return
				}
			}
			after = max(after, upTo)
			if news == nil {
				return
			}
			select {
			case <-news:
			case <-ctx.Done():
				yield(loop.Event{}, context.Cause(ctx))
				return
			}
		}
	}
}

// stretch is the events after a number that can be had now, the number up to
// which they go, and what says that there are more; nil when there will be none.
func (l *Live) stretch(after int64) (events iter.Seq2[loop.Event, error], upTo int64, news <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.recent) > 0 && after < l.recent[0].Seq-1 {
		first := l.recent[0].Seq
		return before(first, l.past(after)), first - 1, already
	}
	i := sort.Search(len(l.recent), func(i int) bool { return l.recent[i].Seq > after })
	if n := len(l.recent); n > 0 {
		upTo = l.recent[n-1].Seq
	}
	if !l.over && l.news == nil {
		l.news = make(chan struct{})
	}
	return wellRead(l.recent[i:]), upTo, l.news
}

// already is news that has come.
var already = func() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// before is the events before a number. All of them are on the disk: an event is
// written before it is observed.
func before(seq int64, events iter.Seq2[loop.Event, error]) iter.Seq2[loop.Event, error] {
	return func(yield func(loop.Event, error) bool) {
		for e, err := range events {
			if err == nil && e.Seq >= seq || !yield(e, err) {
				return
			}
		}
	}
}

// wellRead is events about which there is nothing to complain.
func wellRead(list []loop.Event) iter.Seq2[loop.Event, error] {
	return func(yield func(loop.Event, error) bool) {
		for _, e := range list {
			if !yield(e, nil) {
				return
			}
		}
	}
}
