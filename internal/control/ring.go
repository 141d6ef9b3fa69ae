package control

import (
	"sort"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// How many of the latest events are kept for clients, and how large they may be
// together: some hundred iterations, and little beside what an agent needs.
const (
	mostEvents = 4096
	mostWeight = 4 << 20
)

// ring holds the latest events for any number of readers, each of which goes
// through them at its own pace. Nobody can hold up who adds one.
type ring struct {
	mostWeight int

	mu      sync.Mutex
	entries []*entry // the i-th event ever is at i modulo the length
	first   int      // i of the oldest one
	end     int      // after the newest one
	weight  int
	newest  int64         // the number of the newest
	news    chan struct{} // closed to wake the readers
	closed  time.Time     // zero while there is more to come
}

// entry is an event, and later what a client gets of it. It is made once, by the
// first who needs it: with no clients there is nothing to do.
type entry struct {
	seq    int64
	weight int

	once  sync.Once
	event loop.Event
	frame []byte
}

func newRing(mostEvents, mostWeight int) *ring {
	return &ring{mostWeight: mostWeight, entries: make([]*entry, mostEvents), news: make(chan struct{})}
}

// place is where the i-th event is.
func (r *ring) place(i int) **entry { return &r.entries[i%len(r.entries)] }

// add puts an event in, and the oldest ones out that there is no more room for.
func (r *ring) add(e loop.Event) {
	added := &entry{seq: e.Seq, weight: Weight(e.Payload), event: e}
	r.mu.Lock()
	defer r.mu.Unlock()
	if e.Seq <= r.newest || !r.closed.IsZero() {
		return
	}
	for r.first < r.end && (r.end-r.first == len(r.entries) || r.weight+added.weight > r.mostWeight) {
		oldest := r.place(r.first)
		r.weight -= (*oldest).weight
		*oldest = nil
		r.first++
	}
	*r.place(r.end) = added
	r.end++
	r.weight += added.weight
	r.newest = e.Seq
}

// wake tells the readers that there is something new.
func (r *ring) wake() {
	r.mu.Lock()
	if !r.closed.IsZero() {
		r.mu.Unlock()
		return
	}
	news := r.news
	r.news = make(chan struct{})
	r.mu.Unlock()
	close(news) // outside the lock: there may be many readers to wake
}

// close says that nothing will be added any more.
func (r *ring) close() {
	r.mu.Lock()
	r.closed = time.Now()
	r.mu.Unlock()
	close(r.news) // nobody changes it any more
}

// wait gives a channel that is closed when something happens after this call,
// and the time at which the ring was closed, zero while it is not.
func (r *ring) wait() (news <-chan struct{}, closed time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.news, r.closed
}

// span gives the numbers of the oldest and the newest event, 0 when there is none.
func (r *ring) span() (oldest, newest int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.oldest(), r.newest
}

func (r *ring) oldest() int64 {
	if r.first == r.end {
		return 0
	}
	return (*r.place(r.first)).seq
}

// after appends some of the events after a number to a list, in their order. It
// appends none when the ring no longer has, or never had, the first of them.
func (r *ring) after(seq int64, list []*entry) []*entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	if seq < r.oldest()-1 {
		return list
	}
	i := r.first + sort.Search(r.end-r.first, func(i int) bool { return (*r.place(r.first + i)).seq > seq })
	for weight := 0; i < r.end && weight < batchSize; i++ {
		e := *r.place(i)
		list = append(list, e)
		weight += e.weight
	}
	return list
}

// bytes is what a client gets of the event.
func (e *entry) bytes() []byte {
	e.once.Do(func() {
		e.frame = appendEvent(nil, e.event)
		e.event = loop.Event{} // it need not be kept twice
	})
	return e.frame
}

// Weight is about how much memory an event takes. Only some have long texts;
// the lists in the others are short, and an exact answer is not worth its price
// on the way of every event.
func Weight(p loop.Payload) int {
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
