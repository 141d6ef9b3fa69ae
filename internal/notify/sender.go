package notify

import (
	"context"
	"errors"
	"fmt"
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

// testMessage shows that a channel works.
func testMessage(s story, now time.Time) Message {
	return Message{
		Kind: Test, Title: "refrain can reach you", Text: "This is a test: messages about your runs arrive here.",
		Run: s.run, Procedure: s.procedure, Dir: s.dir, At: now.UTC().Truncate(time.Millisecond),
	}
}

const (
	// sendTime is how long one message may take on one channel.
	sendTime = 30 * time.Second

	// queueLength is how many messages wait for a slow channel. There are few
	// messages, and old ones are worth little.
	queueLength = 16
)

var errTooLong = errors.New("it took too long")

// lane is a channel with what waits for it. Each has its own, so that a server
// that hangs does not keep the desktop from hearing of the end.
type lane struct {
	name string
	to   Notifier
	warn func(loop.Warning)
	work *sync.WaitGroup

	mu      sync.Mutex
	queue   []Message
	busy    bool               // a goroutine sends what waits
	turn    int                // counts what was taken in hand
	cancel  context.CancelFunc // ends what is in hand; nil before the first turn
	closing bool

	dropped            int
	failTold, slowTold bool
}

// add puts a message at the end of the queue. A full queue loses its oldest.
func (l *lane) add(m Message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) == queueLength {
		l.queue = slices.Delete(l.queue, 0, 1)
		l.dropped++
	}
	l.queue = append(l.queue, m)
	if !l.busy {
		l.busy = true
		l.work.Go(l.run)
	}
}

// run sends until nothing waits.
func (l *lane) run() {
	for {
		ctx, m, ok := l.next()
		if !ok {
			return
		}
		err := l.to.Notify(ctx, m)
		if err != nil && ctx.Err() != nil {
			err = errTooLong // what the channel makes of being ended says nothing
		}
		for _, w := range l.done(err) {
			l.warn(w)
		}
	}
}

// next takes a message in hand: the oldest, but when the run is over the newest,
// which is its end.
func (l *lane) next() (context.Context, Message, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) == 0 {
		l.busy = false
		return nil, Message{}, false
	}
	i := 0
	if l.closing {
		i = len(l.queue) - 1
	}
	m := l.queue[i]
	l.queue = slices.Delete(l.queue, i, i+1)
	ctx, cancel := context.WithTimeout(context.Background(), sendTime)
	l.turn, l.cancel = l.turn+1, cancel
	return ctx, m, true
}

// done lets go of a message, and gives what people have not yet been told of
// this channel.
func (l *lane) done(err error) []loop.Warning {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cancel()
	var list []loop.Warning
	if err != nil && !l.failTold {
		l.failTold = true
		list = append(list, loop.Warning{
			Text: fmt.Sprintf("a message to people was not sent (%s): %s", l.name, cleanLine(err.Error())),
			Hint: "this is told once; later messages are tried all the same",
		})
	}
	if l.dropped > 0 && !l.slowTold {
		l.slowTold = true
		list = append(list, loop.Warning{Text: fmt.Sprintf("messages to people were dropped, since sending them is too slow (%s): %d so far", l.name, l.dropped)})
	}
	return list
}

// hurry turns to the newest message. When something older is in hand, it gets
// half of the time that is left. What is returned undoes the rest of it.
func (l *lane) hurry() (stop func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closing = true
	if len(l.queue) == 0 {
		return func() {}
	}
	old := l.turn
	timer := time.AfterFunc(closeTime/2, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.turn == old && old > 0 {
			l.cancel()
		}
	})
	return func() { timer.Stop() }
}

// giveUp ends what is in hand and forgets the rest.
func (l *lane) giveUp() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dropped += len(l.queue)
	l.queue = nil
	if l.turn > 0 {
		l.cancel()
	}
}
