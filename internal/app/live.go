package app

import (
	"context"
	"iter"
	"sync"

	"github.com/refrain-loop/refrain/internal/control"
	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/loop"
)

// maxRecent is how many events a Live has at hand at most. Who is further behind
// reads from the disk.
const maxRecent = 2048

// Live is a run as the program that started it sees it: where it stands, and its
// events from any number on. Before the run has begun there is nothing to see;
// when it has ended, what there was stays.
type Live struct {
	feed *control.Feed

	mu    sync.Mutex
	state *stateFile                                     // nil: the run has not begun
	past  func(after int64) iter.Seq2[loop.Event, error] // likewise
}

// NewLive makes one for a run that has not begun.
func NewLive() *Live {
	l := &Live{}
	l.feed = control.NewFeed(maxRecent, func(after int64) iter.Seq2[loop.Event, error] {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.past(after)
	})
	return l
}

// open connects it with its run, and gives who has to observe that. A nil Live
// sees nothing.
func (l *Live) open(o openRun, state *stateFile) []engine.Observer {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state = state
	name := o.run.Meta().Name
	l.past = func(after int64) iter.Seq2[loop.Event, error] { return o.store.AllEvents(name, after) }
	return []engine.Observer{l}
}

// Observe takes note of an event, which must not change afterwards.
func (l *Live) Observe(e loop.Event) {
	l.feed.Add(e)
	l.feed.Wake()
}

// End says that nothing more will come.
func (l *Live) End() { l.feed.Close() }

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
	return l.feed.Follow(ctx, after)
}
