package telemetry

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

const (
	queueRoom = 2000 // spans that may wait: minutes of a busy agent
	batchSize = 100
	batchTime = time.Second
	maxTries  = 5
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
	for try := range maxTries {
		last := try == maxTries-1 || s.isClosing()
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

const (
	postTime = 10 * time.Second
	// gzipFrom is the size from which packing is worth it.
	gzipFrom = 1 << 10
	// maxAnswer is how much of an answer is read.
	maxAnswer = 64 << 10
)

// collector takes spans over HTTP.
type collector struct {
	target
	client *http.Client
}

func newCollector(to *target, transport http.RoundTripper) *collector {
	return &collector{*to, &http.Client{
		Transport: transport,
		// Spans and headers go where a person said, and nowhere else.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// laterError says that the same may succeed later.
type laterError struct {
	after time.Duration // the collector asked for; 0 is nothing
	why   error
}

func (e *laterError) Error() string { return e.why.Error() }
func (e *laterError) Unwrap() error { return e.why }

// post sends one body. With an error, rejected is how many spans were refused
// when the others were taken; else none were taken.
func (c *collector) post(ctx context.Context, body []byte) (rejected int, err error) {
	limited, cancel := context.WithTimeout(ctx, postTime)
	defer cancel()
	request, err := c.request(limited, body)
	if err != nil {
		return 0, err
	}
	answer, err := c.client.Do(request)
	switch {
	case err != nil && ctx.Err() != nil:
		return 0, fmt.Errorf("the run ended before %s took them", c.host)
	case errors.Is(err, context.DeadlineExceeded):
		return 0, &laterError{why: fmt.Errorf("%s did not answer within %v", c.host, postTime)}
	case err != nil:
		return 0, &laterError{why: fmt.Errorf("%s cannot be reached: %w", c.host, withoutURL(err))}
	}
	defer answer.Body.Close()
	said, _ := io.ReadAll(io.LimitReader(answer.Body, maxAnswer)) // the status decides; the rest explains
	switch answer.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return 0, &laterError{after: retryAfter(answer.Header.Get("Retry-After"), time.Now()), why: c.refusal(answer, said)}
	}
	if answer.StatusCode/100 != 2 {
		return 0, c.refusal(answer, said)
	}
	return c.partly(said)
}

func (c *collector) request(ctx context.Context, body []byte) (*http.Request, error) {
	packed := len(body) > gzipFrom
	if packed {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, err := w.Write(body)
		if err := cmp.Or(err, w.Close()); err != nil {
			return nil, fmt.Errorf("pack spans: %w", err)
		}
		body = b.Bytes()
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return nil, withoutURL(err)
	}
	for name, value := range c.headers {
		r.Header.Set(name, value)
	}
	r.Header.Set("Content-Type", "application/json")
	if packed {
		r.Header.Set("Content-Encoding", "gzip")
	}
	return r, nil
}

// refusal says how the collector answered, in its own words if it has any.
func (c *collector) refusal(answer *http.Response, said []byte) error {
	var problem struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(said, &problem) == nil && problem.Message != "" {
		return fmt.Errorf("%s answered %s: %s", c.host, answer.Status, text.Cut(problem.Message, 200))
	}
	return fmt.Errorf("%s answered %s", c.host, answer.Status)
}

// partly finds spans that were refused while the others were taken. Not every
// collector answers in JSON; one that does not has taken all.
func (c *collector) partly(said []byte) (rejected int, err error) {
	var answer struct {
		PartialSuccess struct {
			RejectedSpans json.Number `json:"rejectedSpans"`
			ErrorMessage  string      `json:"errorMessage"`
		} `json:"partialSuccess"`
	}
	if json.Unmarshal(said, &answer) != nil {
		return 0, nil
	}
	n, err := answer.PartialSuccess.RejectedSpans.Int64()
	if err != nil || n <= 0 {
		return 0, nil
	}
	return int(n), fmt.Errorf("%s refused them: %s", c.host, cmp.Or(text.Cut(answer.PartialSuccess.ErrorMessage, 200), "it does not say why"))
}

// retryAfter reads how long a server wants to be left alone: in seconds, or
// until a date.
func retryAfter(text string, now time.Time) time.Duration {
	if seconds, err := strconv.Atoi(text); err == nil {
		return max(0, min(time.Duration(seconds), longestPause/time.Second)*time.Second)
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// withoutURL keeps the address, which may hold a password, out of an error.
func withoutURL(err error) error {
	var full *url.Error
	if errors.As(err, &full) {
		return full.Err
	}
	return err
}
