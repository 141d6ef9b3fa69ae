package control

import (
	"sync"
	"sync/atomic"
	"time"
)

const (
	// longestTurn is how long one stream keeps the others waiting: one whose
	// client does not read goes on alone.
	longestTurn = 5 * time.Millisecond
	// leastRest is the shortest sleep that is not much longer than it should be.
	leastRest = time.Millisecond
	// crowd is how many streams there are when they rest as long as they work.
	crowd = 64
)

// turns lets the streams work one at a time and rest in between, the longer the
// more of them there are: one alone is as fast as it can be, and a thousand
// together take a few hundredths of one processor from the loop and its agent.
// They are later then, and get more in one piece.
type turns struct {
	streams atomic.Int64
	free    chan struct{} // has the turn while nobody else does
	over    chan struct{} // closed when there is no loop left to be spared

	owed time.Duration // rest; belongs to who has the turn
}

func newTurns() *turns {
	t := &turns{free: make(chan struct{}, 1), over: make(chan struct{})}
	t.free <- struct{}{}
	return t
}

// join counts a stream in. The function it returns counts it out.
func (t *turns) join() (leave func()) {
	t.streams.Add(1)
	return func() { t.streams.Add(-1) }
}

// take waits for the turn. The function it returns gives it back.
func (t *turns) take() (end func()) {
	select {
	case <-t.over:
		return func() {}
	default:
	}
	select {
	case <-t.free:
	case <-t.over:
		return func() {}
	}
	began := time.Now()
	pass := sync.OnceFunc(func() { t.pass(time.Since(began)) })
	late := time.AfterFunc(longestTurn, pass)
	return func() {
		late.Stop()
		pass()
	}
}

func (t *turns) pass(worked time.Duration) {
	t.owed += worked * time.Duration(t.streams.Load()) / crowd
	if t.owed < leastRest {
		t.free <- struct{}{}
		return
	}
	rest := t.owed
	t.owed = 0
	time.AfterFunc(rest, func() { t.free <- struct{}{} })
}
