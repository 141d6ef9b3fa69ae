package control

import (
	"bufio"
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

// Follow gives the events of a run after a number, each once and in order, until
// the run is over: from the run itself while it answers, else from its files.
// When ctx ends, its cause is the last thing that it gives.
func Follow(ctx context.Context, s journal.Store, run string, after int64) iter.Seq2[loop.Event, error] {
	return s.Follow(ctx, run, after, func(ctx context.Context, address string, after int64) iter.Seq2[loop.Event, error] {
		return Dial(address).Events(ctx, after)
	})
}

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
		body, _ := io.ReadAll(io.LimitReader(r.Body, maxAnswer))
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
	case *loop.RunFinished, *loop.RunParked:
		f.over = true
	case *loop.RunResumed:
		f.over = false
	}
	if !f.yield(e, nil) {
		return errEnough
	}
	return nil
}

// maxMessage is more than any event has: an agent's line is cut long before.
const maxMessage = 64 << 20

var errTooLong = fmt.Errorf("the stream has a line of more than %d bytes", maxMessage)

// message is one server-sent event. Its data is only good until the next one.
type message struct {
	id    string
	event string
	data  []byte
}

// messages reads server-sent events. A half one at the end was cut off and is
// left out; so are comments. An error is the last thing it gives, and the end of
// the stream is none.
func messages(r io.Reader) iter.Seq2[message, error] {
	return func(yield func(message, error) bool) {
		lines := bufio.NewReaderSize(r, batchSize)
		var m message
		var data, buffer []byte
		begun := false // has the message a line of data
		for {
			line, err := readLine(lines, &buffer)
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				return
			}
			if err != nil {
				yield(message{}, err)
				return
			}
			if len(line) == 0 {
				if m.data = data; begun && !yield(m, nil) {
					return
				}
				m, data, begun = message{}, data[:0], false
				continue
			}
			field, value, _ := bytes.Cut(line, []byte(":"))
			value = bytes.TrimPrefix(value, []byte(" "))
			switch string(field) {
			case "id":
				m.id = string(value)
			case "event":
				m.event = string(value)
			case "data":
				if begun {
					data = append(data, '\n')
				}
				data, begun = append(data, value...), true
			}
			if len(data) > maxMessage {
				yield(message{}, errTooLong)
				return
			}
		}
	}
}

// readLine reads a line without its end. It is good until the next one; a line
// that does not fit in the reader is put together in a buffer.
func readLine(r *bufio.Reader, buffer *[]byte) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		long := append((*buffer)[:0], line...)
		for errors.Is(err, bufio.ErrBufferFull) && len(long) <= maxMessage {
			line, err = r.ReadSlice('\n')
			long = append(long, line...)
		}
		if len(long) > maxMessage {
			return nil, errTooLong
		}
		*buffer, line = long, long
	}
	if err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")), nil
}
