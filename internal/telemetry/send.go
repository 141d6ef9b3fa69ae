package telemetry

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

const (
	queueRoom = 2000 // spans that may wait: minutes of a busy agent
	batchSize = 100
	batchTime = time.Second
	mostTries = 5
	// firstPause doubles from one try to the next.
	firstPause = time.Second
	// longestPause is how long a collector may put us off.
	longestPause = 5 * time.Minute
)

// sender hands spans to a collector in batches, from a goroutine of its own.
type sender struct {
	to     *collector
	encode func([]span) ([]byte, error)
	warn   func(loop.Warning)

	queue   chan span
	closing chan struct{}
	cancel  context.CancelFunc // of what is under way
	wg      sync.WaitGroup

	spilt atomic.Int64 // spans that found the queue full
	told  bool         // a person knows that spans were lost
}

func newSender(to *collector, warn func(loop.Warning), encode func([]span) ([]byte, error)) *sender {
	ctx, cancel := context.WithCancel(context.Background())
	s := &sender{to: to, encode: encode, warn: warn, queue: make(chan span, queueRoom), closing: make(chan struct{}), cancel: cancel}
	s.wg.Go(func() { s.run(ctx) })
	return s
}

// add takes a span to be sent, or drops it when too many wait.
func (s *sender) add(one span) {
	select {
	case s.queue <- one:
	default:
		s.spilt.Add(1)
	}
}

// close sends what is queued until ctx ends. Nothing may be added any more.
func (s *sender) close(ctx context.Context) {
	defer s.to.client.CloseIdleConnections()
	close(s.closing)
	defer context.AfterFunc(ctx, s.cancel)()
	s.wg.Wait()
	s.cancel()
}

func (s *sender) run(ctx context.Context) {
	for closing := false; !closing; {
		var list []span
		list, closing = s.gather()
		for batch := range slices.Chunk(list, batchSize) {
			s.deliver(ctx, batch)
		}
		if n := s.spilt.Swap(0); n > 0 {
			s.tell(int(n), fmt.Errorf("they came faster than %s took them", s.to.host))
		}
	}
}

// gather waits for a batch, or for the end: then it is all that is left.
func (s *sender) gather() (list []span, closing bool) {
	var full <-chan time.Time // set with the first span
	for len(list) < batchSize {
		select {
		case one := <-s.queue:
			if list = append(list, one); full == nil {
				timer := time.NewTimer(batchTime)
				defer timer.Stop()
				full = timer.C
			}
		case <-full:
			return list, false
		case <-s.closing:
			for len(s.queue) > 0 {
				list = append(list, <-s.queue)
			}
			return list, true
		}
	}
	return list, false
}

// deliver sends one batch, again and again when that may help. At the end of a
// run there is one last try.
func (s *sender) deliver(ctx context.Context, batch []span) {
	body, err := s.encode(batch)
	if err != nil {
		s.tell(len(batch), err)
		return
	}
	for try := range mostTries {
		last := try == mostTries-1 || s.isClosing()
		rejected, err := s.to.post(ctx, body)
		if err == nil {
			return
		}
		var later *laterError
		if last || !errors.As(err, &later) {
			if rejected == 0 {
				rejected = len(batch)
			}
			s.tell(rejected, err)
			return
		}
		s.pause(max(later.after, backOff(try)))
	}
}

// pause lets time pass, unless the run ends.
func (s *sender) pause(d time.Duration) {
	timer := time.NewTimer(min(d, longestPause))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.closing:
	}
}

func (s *sender) isClosing() bool {
	select {
	case <-s.closing:
		return true
	default:
		return false
	}
}

// backOff doubles, and is spread so that many runs do not come back at once.
func backOff(try int) time.Duration {
	pause := firstPause << try
	return pause + rand.N(pause/2)
}

// tell says once that spans were lost.
func (s *sender) tell(n int, err error) {
	if s.told || s.warn == nil {
		return
	}
	s.told = true
	what := fmt.Sprintf("%d spans are", n)
	if n == 1 {
		what = "1 span is"
	}
	s.warn(loop.Warning{
		Text: fmt.Sprintf("the trace is not complete: %s lost, for %v", what, err),
		Hint: "check that the collector runs and takes OTLP over HTTP, and trace.endpoint; the run goes on, and later losses are not told",
	})
}
