package control

import (
	"context"
	"iter"
	"sort"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// maxWeight is how large the events at hand may be together: little beside what
// an agent needs.
const maxWeight = 4 << 20

// Feed is a live run for who follows it in the process of its runner: the latest
// events at hand, for any number of readers, each of which goes through them at
// its own pace, and those before them on the disk. Nobody can hold up who adds one.
type Feed struct {
	past      func(after int64) iter.Seq2[loop.Event, error]
	maxWeight int

	mu      sync.Mutex
	entries []*entry // the i-th event ever is at i modulo the length
	first   int      // i of the oldest one
	end     int      // after the newest one
	weight  int
	newest  int64         // the number of the newest
	news    chan struct{} // closed to wake the readers
	closed  time.Time     // zero while there is more to come
}

// entry is an event at hand, and later what a client gets of it. That is made once,
// by the first who needs it: with no clients there is nothing to do.
type entry struct {
	event  loop.Event
	weight int

	once  sync.Once
	frame []byte
}

// NewFeed makes a feed that has so many events at hand at most. The others are read
// from the past, which has all of them: an event is written before it is observed.
func NewFeed(most int, past func(after int64) iter.Seq2[loop.Event, error]) *Feed {
	return &Feed{past: past, maxWeight: maxWeight, entries: make([]*entry, most), news: make(chan struct{})}
}

// place is where the i-th event is.
func (f *Feed) place(i int) **entry { return &f.entries[i%len(f.entries)] }

// Add puts an event in, which must not change afterwards, and the oldest ones out
// that there is no more room for. Its readers hear of it with the next Wake.
func (f *Feed) Add(e loop.Event) {
	added := &entry{event: e, weight: weight(e.Payload)}
	f.mu.Lock()
	defer f.mu.Unlock()
	if e.Seq <= f.newest || !f.closed.IsZero() {
		return
	}
	for f.first < f.end && (f.end-f.first == len(f.entries) || f.weight+added.weight > f.maxWeight) {
		oldest := f.place(f.first)
		f.weight -= (*oldest).weight
		*oldest = nil
		f.first++
	}
	*f.place(f.end) = added
	f.end++
	f.weight += added.weight
	f.newest = e.Seq
}

// weight is about how much memory an event takes. Only some have long texts; the
// lists in the others are short, and an exact answer is not worth its price on
// the way of every event.
func weight(p loop.Payload) int {
	const small, large = 512, 4 << 10
	switch p := p.(type) {
	case *loop.AgentText:
		return small + len(p.Text)
	case *loop.AgentTool:
		return small + len(p.Input)
	case *loop.AgentToolResult:
		return small + len(p.Output)
	case *loop.AgentResult:
		return small + len(p.Text)
	case *loop.IterationFinished:
		return large
	}
	return small
}

// Wake tells the readers that there is something new.
func (f *Feed) Wake() {
	f.mu.Lock()
	if !f.closed.IsZero() {
		f.mu.Unlock()
		return
	}
	news := f.news
	f.news = make(chan struct{})
	f.mu.Unlock()
	close(news) // outside the lock: there may be many readers to wake
}

// Close says that nothing will be added any more.
func (f *Feed) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed.IsZero() {
		f.closed = time.Now()
		close(f.news) // nobody changes it any more
	}
}

// wait gives a channel that is closed when something happens after this call,
// and the time at which the feed was closed, zero while it is not.
func (f *Feed) wait() (news <-chan struct{}, closed time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.news, f.closed
}

// span gives the numbers of the oldest and the newest event at hand, 0 when there
// is none.
func (f *Feed) span() (oldest, newest int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.oldest(), f.newest
}

func (f *Feed) oldest() int64 {
	if f.first == f.end {
		return 0
	}
	return (*f.place(f.first)).event.Seq
}

// after appends some of the events after a number to a list, in their order. It
// appends none when the feed no longer has, or never had, the first of them.
func (f *Feed) after(seq int64, list []*entry) []*entry {
	f.mu.Lock()
	defer f.mu.Unlock()
	if seq < f.oldest()-1 {
		return list
	}
	i := f.first + sort.Search(f.end-f.first, func(i int) bool { return (*f.place(f.first + i)).event.Seq > seq })
	for weight := 0; i < f.end && weight < batchSize; i++ {
		e := *f.place(i)
		list = append(list, e)
		weight += e.weight
	}
	return list
}

// between gives the events after a number and before another, from the disk.
func (f *Feed) between(after, before int64) iter.Seq2[loop.Event, error] {
	return func(yield func(loop.Event, error) bool) {
		for e, err := range f.past(after) {
			if err == nil && e.Seq >= before || !yield(e, err) {
				return
			}
		}
	}
}

// bytes is what clients get of the event.
func (e *entry) bytes() []byte {
	e.once.Do(func() { e.frame = appendEvent(nil, e.event) })
	return e.frame
}

// Follow gives every event after a number, each once and in order, first those of
// the past and then those to come, until the feed is closed. The run waits for
// nobody, and who is slow misses nothing. When it cannot go on, an error is the
// last thing it gives: the cause of a ctx that is done, or why the past cannot be
// read.
func (f *Feed) Follow(ctx context.Context, after int64) iter.Seq2[loop.Event, error] {
	return func(yield func(loop.Event, error) bool) {
		give := func(e loop.Event, err error) bool {
			if err == nil && ctx.Err() != nil {
				e, err = loop.Event{}, context.Cause(ctx)
			}
			after = max(after, e.Seq)
			return yield(e, err) && err == nil
		}
		for {
			news, closed := f.wait()
			if !f.giveAll(&after, give) || !closed.IsZero() {
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

// giveAll gives everything that there is after a number, which it moves on. It is
// false when no more is wanted.
func (f *Feed) giveAll(after *int64, give func(loop.Event, error) bool) bool {
	for {
		oldest, newest := f.span()
		if *after >= newest {
			return true
		}
		if *after < oldest-1 {
			for e, err := range f.between(*after, oldest) {
				if !give(e, err) {
					return false
				}
			}
			*after = oldest - 1
		}
		for _, e := range f.after(*after, nil) {
			if !give(e.event, nil) {
				return false
			}
		}
	}
}
