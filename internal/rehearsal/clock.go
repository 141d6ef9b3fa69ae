package rehearsal

import (
	"slices"
	"sync"
	"time"
)

// Time is what a stage goes by.
type Time interface {
	Now() time.Time
	// Sleep returns when d has passed, or when there is something in wake.
	Sleep(d time.Duration, wake <-chan struct{})
}

// Clock is a time of its own, on which hours pass at once: whoever sleeps moves
// it on, and on the way everything happens that was to happen meanwhile, in its
// order. Nothing else moves it, so that one night is like the other.
type Clock struct {
	mu     sync.Mutex
	now    time.Time
	timers []*timer // the next one first
}

type timer struct {
	at time.Time
	f  func()
}

// NewClock makes a clock that stands at start.
func NewClock(start time.Time) *Clock { return &Clock{now: start.Round(0)} }

// Now is the time that it has come to be.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// AfterFunc has f called by whoever sleeps when d has passed, unless it is
// stopped before.
func (c *Clock) AfterFunc(d time.Duration, f func()) (stop func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &timer{at: c.now.Add(d), f: f}
	i, _ := slices.BinarySearchFunc(c.timers, t, func(one, other *timer) int {
		if one.at.After(other.at) {
			return 1
		}
		return -1 // behind those of the same time
	})
	c.timers = slices.Insert(c.timers, i, t)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.timers = slices.DeleteFunc(c.timers, func(one *timer) bool { return one == t })
	}
}

// Sleep moves the time on by d, or up to what puts something into wake.
func (c *Clock) Sleep(d time.Duration, wake <-chan struct{}) {
	until := c.Now().Add(d)
	for {
		select {
		case <-wake:
			return
		default:
		}
		f := c.next(until)
		if f == nil {
			return
		}
		f()
	}
}

// next moves the time on to what happens next, or, where nothing does, to until.
func (c *Clock) next(until time.Time) (f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	to := until
	if len(c.timers) > 0 && !c.timers[0].at.After(until) {
		to, f = c.timers[0].at, c.timers[0].f
		c.timers = c.timers[1:]
	}
	if to.After(c.now) {
		c.now = to
	}
	return f
}
