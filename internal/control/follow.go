package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strconv"
	"time"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

// How long to wait before connecting again when the last connection brought nothing.
const (
	shortestPause = 50 * time.Millisecond
	longestPause  = time.Second
)

// Events follows the run: every event after a number, each once and in order,
// first those of the past and then those to come. It ends after the run's last
// event. When it cannot go on, an error is the last thing it gives; after
// ErrNobody the rest, if there is any, is in the journal.
func (c *Client) Events(ctx context.Context, after int64) iter.Seq2[loop.Event, error] {
	return func(yield func(loop.Event, error) bool) {
		f := follower{client: c, at: after, yield: yield}
		if err := f.follow(ctx); err != nil && !errors.Is(err, errEnough) {
			yield(loop.Event{}, fmt.Errorf("follow the run: %w", err))
		}
	}
}

type follower struct {
	client *Client
	at     int64 // the last event that was given
	over   bool  // it, or one before it, ended the run
	yield  func(loop.Event, error) bool
}

// errEnough says that the caller wants no more.
var errEnough = errors.New("enough")

func (f *follower) follow(ctx context.Context) error {
	pause := shortestPause
	for {
		before := f.at
		if err := f.connect(ctx); err != nil {
			return err
		}
		if f.over {
			return nil
		}
		if f.at > before {
			pause = shortestPause
			continue
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		pause = min(2*pause, longestPause)
	}
}

// connect follows the run until the connection ends or events were left out. An
// error means that there is no use in connecting again.
func (f *follower) connect(ctx context.Context) error {
	r, err := f.client.request(ctx, http.MethodGet, "/v1/events?after="+strconv.FormatInt(f.at, 10), nil)
	if err != nil {
		return gone(ctx, err)
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(io.LimitReader(r.Body, mostAnswer))
		return refusal(r.StatusCode, body)
	}
	for m, err := range messages(r.Body) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if errors.Is(err, errTooLong) {
			return err
		}
		if err != nil || m.event == resyncEvent && m.id == "" {
			return nil // what is missing, the next connection brings
		}
		if err := f.take(m); err != nil {
			return err
		}
	}
	return nil
}

func (f *follower) take(m message) error {
	if m.event == errorEvent && m.id == "" {
		var e streamError
		if err := json.Unmarshal(m.data, &e); err != nil {
			return fmt.Errorf("read why the stream ended: %w", err)
		}
		return errors.New(e.Why)
	}
	if len(bytes.TrimSpace(m.data)) == 0 {
		return nil
	}
	e, err := journal.Decode(m.data)
	if err != nil {
		return err
	}
	if e.Seq <= f.at {
		return nil
	}
	f.at = e.Seq
	switch e.Payload.(type) {
	case *loop.RunFinished:
		f.over = true
	case *loop.RunResumed:
		f.over = false
	}
	if !f.yield(e, nil) {
		return errEnough
	}
	return nil
}
