package control

import (
	"context"
	"sync"
	"time"
)

const (
	heartbeat = 15 * time.Second
	// batchSize is about how much a client gets at a time.
	batchSize = 32 << 10
)

// stream brings one client up to date, from the past or from what the feed has at
// hand, and keeps it there. It remembers nothing but a number.
type stream struct {
	feed *Feed
	send func([]byte) error
	// drain is how long the client has, when the run is over, to take what it has
	// not got yet. Then it gets the last event only.
	drain time.Duration

	at    int64    // the last event that the client got, or will never get
	live  bool     // it has got one that was at hand
	batch []*entry // used again and again
}

// run goes on until the client is gone, or has got the last event of the run.
func (s *stream) run(ctx context.Context) error {
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		news, closed := s.feed.wait()
		if err := s.catchUp(); err != nil {
			return err
		}
		if !closed.IsZero() {
			return nil
		}
		select {
		case <-news:
		case <-beat.C:
			if err := s.send([]byte(heartbeatFrame)); err != nil {
				return err
			}
		case <-ctx.Done():
			// Also when the server is closing, which closes the feed first.
			if _, closed := s.feed.wait(); closed.IsZero() {
				return ctx.Err()
			}
		}
	}
}

// catchUp sends everything that there is.
func (s *stream) catchUp() error {
	for {
		var err error
		oldest, newest := s.feed.span()
		missing := s.at < oldest-1
		switch {
		case s.at >= newest:
			return nil
		case s.at < newest-1 && s.late():
			err = s.skipTo(newest - 1)
		case missing && s.live:
			err = s.skipTo(newest)
		case missing:
			err = s.replay(oldest)
		default:
			err = s.sendSome()
		}
		if err != nil {
			return err
		}
	}
}

// late tells whether the run has been over for so long that only its end counts.
func (s *stream) late() bool {
	_, closed := s.feed.wait()
	return !closed.IsZero() && time.Since(closed) > s.drain
}

// skipTo leaves out the events up to a number, and says so.
func (s *stream) skipTo(seq int64) error {
	frame := appendOwn(nil, resyncEvent, resync{After: s.at, Next: seq + 1})
	s.at = seq
	return s.send(frame)
}

// replay sends what was before an event that is, or was, at hand. Nothing of that
// can be on its way to the disk any more: an event is written before it is
// observed.
func (s *stream) replay(before int64) error {
	var frames []byte
	for e, err := range s.feed.between(s.at, before) {
		if err != nil {
			frames = appendOwn(frames, errorEvent, streamError{Why: "read the past of the run: " + err.Error()})
			_ = s.send(frames) // the stream ends here in any case
			return err
		}
		frames = appendEvent(frames, e)
		s.at = e.Seq
		if len(frames) < batchSize {
			continue
		}
		if err := s.send(frames); err != nil {
			return err
		}
		frames = frames[:0]
		if s.late() {
			return nil
		}
	}
	s.at = before - 1
	if len(frames) == 0 {
		return nil
	}
	return s.send(frames)
}

// sendSome sends one batch of what is at hand, if that still has what comes next.
func (s *stream) sendSome() error {
	s.batch = s.feed.after(s.at, s.batch[:0])
	defer clear(s.batch) // a client that waits keeps no events alive
	if len(s.batch) == 0 {
		return nil
	}
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	frames := (*buffer)[:0]
	for _, e := range s.batch {
		frames = append(frames, e.bytes()...)
		s.at = e.event.Seq
	}
	*buffer = frames
	s.live = true
	return s.send(frames)
}

// buffers hold batches while they are sent.
var buffers = sync.Pool{New: func() any { return new([]byte) }}
