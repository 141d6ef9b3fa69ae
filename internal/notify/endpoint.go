package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/text"
)

const (
	answerTime = 10 * time.Second // for one request
	retryPause = time.Second
	maxHops    = 3
)

// client is ours alone: the default one has no time limit. Messages are minutes
// apart, so no connection is kept.
var client = &http.Client{
	Timeout:       answerTime,
	CheckRedirect: stayHere,
	Transport: &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DisableKeepAlives:      true,
		ForceAttemptHTTP2:      true,
		MaxResponseHeaderBytes: 64 << 10,
	},
}

// What a header can be made of. Anything else would be a second header.
var (
	headerName  = text.NewPattern("^[a-zA-Z0-9!#$%&'*+.^_`|~-]+$")
	headerValue = text.NewPattern(`^[^\x00-\x08\x0a-\x1f\x7f]*$`)
)

// refusal is a redirect that is not followed.
type refusal string

func (r refusal) Error() string { return string(r) }

// stayHere follows redirects on the same server only, and only those that take
// the message along: it must not end up with strangers, nor get lost.
func stayHere(next *http.Request, via []*http.Request) error {
	first := via[0]
	switch {
	case next.URL.Host != first.URL.Host:
		return refusal("redirects to another host (" + next.URL.Hostname() + ")")
	case next.URL.Scheme != first.URL.Scheme:
		return refusal("redirects from " + first.URL.Scheme + " to " + next.URL.Scheme)
	case next.Method != http.MethodPost:
		return refusal("redirects without taking the message")
	case len(via) > maxHops:
		return refusal("redirects again and again")
	}
	return nil
}

// endpoint is a server that takes messages. Whoever knows its URL can send, so
// errors name the host only.
type endpoint struct {
	url   *url.URL
	pause time.Duration
}

func newEndpoint(key, text string) (endpoint, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return endpoint{}, fmt.Errorf("%s: it is not a URL that begins with https:// or http:// and names a host", key)
	}
	return endpoint{url: u, pause: retryPause}, nil
}

// post sends a body, and once more when the server or the way to it failed.
func (e endpoint) post(ctx context.Context, header http.Header, body []byte) error {
	again, err := e.try(ctx, header, body)
	if err == nil || !again {
		return err
	}
	timer := time.NewTimer(e.pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return err
	case <-timer.C:
	}
	_, err = e.try(ctx, header, body)
	return err
}

// postJSON sends a value as JSON.
func (e endpoint) postJSON(ctx context.Context, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write the message as JSON: %w", err)
	}
	return e.post(ctx, http.Header{"Content-Type": {"application/json"}}, body)
}

// try sends once, and tells whether it is worth another try. The body of an
// answer is not read: servers repeat the URL in it.
func (e endpoint) try(ctx context.Context, header http.Header, body []byte) (again bool, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url.String(), bytes.NewReader(body))
	if err != nil {
		return false, e.trouble(err)
	}
	maps.Copy(req.Header, header)
	req.Header.Set("User-Agent", "refrain")
	resp, err := client.Do(req)
	if err != nil {
		var refused refusal
		return ctx.Err() == nil && !errors.As(err, &refused), e.trouble(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 == 2 {
		return false, nil
	}
	return resp.StatusCode >= 500, fmt.Errorf("%s answered %d %s", e.url.Hostname(), resp.StatusCode, http.StatusText(resp.StatusCode))
}

// trouble says what went wrong without the URL.
func (e endpoint) trouble(err error) error {
	var request *url.Error
	if errors.As(err, &request) {
		if request.Timeout() {
			return fmt.Errorf("%s gave no answer in %s", e.url.Hostname(), answerTime)
		}
		err = request.Err
	}
	var refused refusal
	if errors.As(err, &refused) {
		return fmt.Errorf("%s %w", e.url.Hostname(), refused)
	}
	text := cleanLine(err.Error())
	if e.leaks(text) {
		text = "the request failed"
	}
	return fmt.Errorf("%s: %s", e.url.Hostname(), text)
}

// leaks tells whether a text has a part of the URL in it that may be secret.
// Short parts are left out: a version or a word is in many texts.
func (e endpoint) leaks(text string) bool {
	parts := []string{e.url.RawQuery, e.url.User.Username()}
	for part := range strings.SplitSeq(e.url.EscapedPath(), "/") {
		plain, _ := url.PathUnescape(part) // the URL was parsed, so it can be
		parts = append(parts, part, plain)
	}
	for _, values := range e.url.Query() {
		parts = append(parts, values...)
	}
	if password, ok := e.url.User.Password(); ok {
		parts = append(parts, password)
	}
	for _, part := range parts {
		if len(part) >= 4 && strings.Contains(text, part) {
			return true
		}
	}
	return false
}
