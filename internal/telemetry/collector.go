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
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/refrain-loop/refrain/internal/text"
)

const (
	postTime = 10 * time.Second
	// gzipFrom is the size from which packing is worth it.
	gzipFrom = 1 << 10
	// mostAnswer is how much of an answer is read.
	mostAnswer = 64 << 10
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
	said, _ := io.ReadAll(io.LimitReader(answer.Body, mostAnswer)) // the status decides; the rest explains
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
