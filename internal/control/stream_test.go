package control

import (
	"context"
	"errors"
	"iter"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// reader is a client that takes what it gets, unless it is held.
type reader struct {
	held chan struct{} // full while the client does not read; a mutex would stop the fake clock

	mu  sync.Mutex
	got strings.Builder
}

func (r *reader) send(b []byte) error {
	r.held <- struct{}{}
	defer func() { <-r.held }()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got.Write(b)
	return nil
}

// took gives what the client got since it was asked last, each event in a word.
func (r *reader) took() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var words []string
	for m := range messages(strings.NewReader(r.got.String())) {
		word := m.id
		if m.id == "" {
			word = m.event + string(m.data)
		}
		words = append(words, word)
	}
	r.got.Reset()
	return strings.Join(words, " ")
}

// drainTime is what the clients of these tests have to take the rest.
const drainTime = time.Second

// streaming runs a stream to a client in a bubble, until the test ends.
func streaming(t *testing.T, feed *Feed, after int64) *reader {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	c := &reader{held: make(chan struct{}, 1)}
	s := stream{feed: feed, send: c.send, at: after, drain: drainTime}
	var wg sync.WaitGroup
	wg.Go(func() { _ = s.run(ctx) })
	t.Cleanup(func() { cancel(); wg.Wait() })
	return c
}

// settle lets everything happen that is due.
func settle() {
	time.Sleep(50 * time.Millisecond)
	synctest.Wait()
}

// written is a past of some events.
func written(events ...loop.Event) func(int64) iter.Seq2[loop.Event, error] {
	return func(after int64) iter.Seq2[loop.Event, error] {
		return func(yield func(loop.Event, error) bool) {
			for _, e := range events {
				if e.Seq > after && !yield(e, nil) {
					return
				}
			}
		}
	}
}

func check(t *testing.T, what string, c *reader, want string) {
	t.Helper()
	settle()
	if got := c.took(); got != want {
		t.Errorf("%s: the client got %q, want %q", what, got, want)
	}
}

func TestStream(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(t *testing.T)
	}{
		{"the past comes first, then what comes", func(t *testing.T) {
			f := NewFeed(8, written(started(1), text(2, "b"), text(3, "c")))
			f.Add(text(3, "c"))
			c := streaming(t, f, 0)
			check(t, "at first", c, "1 2 3")
			f.Add(text(4, "d"))
			f.Wake()
			check(t, "then", c, "4")
		}},
		{"a client that comes before the first event misses nothing of the past", func(t *testing.T) {
			f := NewFeed(8, written(started(1), text(2, "b")))
			c := streaming(t, f, 0)
			check(t, "at first", c, "")
			f.Add(text(3, "c"))
			f.Wake()
			check(t, "then", c, "1 2 3")
		}},
		{"a past that grows longer than what is at hand while it is read is read again", func(t *testing.T) {
			var f *Feed
			once := sync.OnceFunc(func() {
				for seq := int64(3); seq < 6; seq++ {
					f.Add(text(seq, "x"))
				}
			})
			all := written(started(1), text(2, "b"), text(3, "c"), text(4, "d"), text(5, "e"))
			f = NewFeed(2, func(after int64) iter.Seq2[loop.Event, error] { once(); return all(after) })
			f.Add(text(2, "b"))
			c := streaming(t, f, 0)
			check(t, "in the end", c, "1 2 3 4 5")
		}},
		{"a client that already has something gets the rest", func(t *testing.T) {
			f := NewFeed(8, noPast)
			f.Add(text(1, "a"))
			f.Add(text(2, "b"))
			check(t, "from the middle", streaming(t, f, 1), "2")
			check(t, "from the end", streaming(t, f, 2), "")
			check(t, "from the future", streaming(t, f, 9), "")
		}},
		{"a heartbeat comes when nothing else does", func(t *testing.T) {
			c := streaming(t, NewFeed(8, noPast), 0)
			time.Sleep(2*heartbeat + time.Second)
			synctest.Wait()
			if got := c.got.String(); got != heartbeatFrame+heartbeatFrame {
				t.Errorf("in two heartbeats the client got %q", got)
			}
		}},
		{"a past that cannot be read ends the stream and says why", func(t *testing.T) {
			f := NewFeed(8, func(int64) iter.Seq2[loop.Event, error] {
				return func(yield func(loop.Event, error) bool) { yield(loop.Event{}, errors.New("the disk is gone")) }
			})
			f.Add(text(2, "b"))
			c := streaming(t, f, 0)
			check(t, "at once", c, `error{"why":"read the past of the run: the disk is gone"}`)
		}},
		{"a slow client is told what it missed and goes on with what is new", func(t *testing.T) {
			f := NewFeed(4, written())
			f.Add(started(1))
			c := streaming(t, f, 0)
			check(t, "at first", c, "1")
			c.held <- struct{}{}
			for seq := int64(2); seq < 12; seq++ {
				f.Add(text(seq, "x"))
				f.Wake()
				time.Sleep(batchTime)
			}
			<-c.held
			check(t, "after a while", c, `2 resync{"after":2,"next":12}`)
			f.Add(text(12, "x"))
			f.Wake()
			check(t, "then", c, "12")
		}},
		{"at the end everything comes that there is", func(t *testing.T) {
			f := NewFeed(8, written(started(1), text(2, "b")))
			f.Add(text(3, "c"))
			f.Add(finished(4))
			f.Close()
			check(t, "the end", streaming(t, f, 0), "1 2 3 4")
		}},
		{"long after the end only the last event counts", func(t *testing.T) {
			f := NewFeed(8, noPast)
			f.Add(started(1))
			f.Add(text(2, "b"))
			f.Add(text(3, "c"))
			f.Add(finished(4))
			f.Close()
			time.Sleep(drainTime + time.Second)
			check(t, "the end", streaming(t, f, 0), `resync{"after":0,"next":4} 4`)
			check(t, "who has all but the last", streaming(t, f, 3), "4")
			check(t, "who has all", streaming(t, f, 4), "")
		}},
	} {
		t.Run(tt.name, func(t *testing.T) { synctest.Test(t, tt.do) })
	}
}
