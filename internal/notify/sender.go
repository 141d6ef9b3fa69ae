package notify

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

const (
	// closeTime is how long a run that is over waits for its messages to go out.
	closeTime = 5 * time.Second

	// lastTime is how long what was given up may take to end: a program that
	// does not listen is killed after 5 s. Only a terminal that was stopped can
	// take longer, and nothing ends that.
	lastTime = 6 * time.Second
)

// Sender observes a run and sends messages about it. The zero value has no
// channels.
type Sender struct {
	lanes []*lane
	work  sync.WaitGroup // of the lanes

	mu     sync.Mutex
	on     []string
	story  story
	rate   rate
	closed bool
}

// Observe hears of an event, and never waits.
func (s *Sender) Observe(e loop.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m, ok := s.story.add(e)
	if !ok || s.closed || !s.wanted(m) || !s.rate.pass(&m, time.Now()) {
		return
	}
	for _, l := range s.lanes {
		l.add(m)
	}
}

// wanted tells whether the user asked for a message like this. An end that needs
// a person is both.
func (s *Sender) wanted(m Message) bool {
	return slices.Contains(s.on, string(m.Kind)) || m.Urgent && slices.Contains(s.on, string(Person))
}

// Close sends what waits, the newest first, and ends what takes too long.
func (s *Sender) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()

	done := make(chan struct{})
	go func() {
		s.work.Wait()
		close(done)
	}()
	for _, l := range s.lanes {
		defer l.hurry()()
	}
	if within(closeTime, done) {
		return
	}
	for _, l := range s.lanes {
		l.giveUp()
	}
	within(lastTime, done)
}

func within(d time.Duration, done <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// Result is what came of a test message.
type Result struct {
	Channel string
	Err     error
}

// Test sends a message to every channel at once, whatever the rates and the
// hour, and says what came of each.
func (s *Sender) Test(ctx context.Context) []Result {
	s.mu.Lock()
	m := testMessage(s.story, time.Now())
	s.mu.Unlock()

	results := make([]Result, len(s.lanes))
	var wg sync.WaitGroup
	for i, l := range s.lanes {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, sendTime)
			defer cancel()
			results[i] = Result{l.name, l.to.Notify(ctx, m)}
		})
	}
	wg.Wait()
	return results
}
