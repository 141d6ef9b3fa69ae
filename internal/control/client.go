package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/refrain-loop/refrain/internal/view"
)

// ErrNobody says that no run answers at an address, or none any more.
var ErrNobody = errors.New("no run answers")

// maxAnswer is more than any answer has.
const maxAnswer = 1 << 20

// Client talks to a live run. It is safe for concurrent use, and holds nothing
// open between two calls.
type Client struct {
	token string
	http  http.Client
}

// Dial gives a client for the run at an address. Whether it answers is seen when
// it is asked something.
func Dial(address string) *Client {
	network, place, token := split(address)
	return &Client{token: token, http: http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dial(ctx, network, place)
		},
		DisableKeepAlives: true, DisableCompression: true,
	}}}
}

func dial(ctx context.Context, network, place string) (net.Conn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, network, place)
	switch {
	case err == nil:
	case ctx.Err() != nil, errors.Is(err, fs.ErrPermission):
		return nil, err
	default:
		return nil, fmt.Errorf("%w: %w", ErrNobody, err)
	}
	if os.Geteuid() == 0 {
		return c, nil // the administrator may talk to anybody
	}
	if err := trusted(c); err != nil {
		_ = c.Close()
		return nil, err
	}
	return c, nil
}

// Run asks where the run stands.
func (c *Client) Run(ctx context.Context) (view.Status, error) {
	var s view.Status
	ctx, cancel := context.WithTimeoutCause(ctx, maxQuiet, ErrSilent)
	defer cancel()
	status, body, err := c.ask(ctx, http.MethodGet, "/v1/run", nil)
	if err != nil {
		return s, fmt.Errorf("ask the run how it stands: %w", err)
	}
	if status != http.StatusOK {
		return s, fmt.Errorf("ask the run how it stands: %w", refusal(status, body))
	}
	if err := json.Unmarshal(body, &s); err != nil {
		return s, fmt.Errorf("read how the run stands: %w", err)
	}
	return s, nil
}

// Do gives the run a command and waits until it has taken effect. The error is a
// *Refused when the run did not take it, and an ErrSilent when the run does not
// answer. When ctx ends, only the waiting does.
func (c *Client) Do(ctx context.Context, cmd Command) (Answer, error) {
	content, err := json.Marshal(cmd)
	if err != nil {
		return Answer{}, fmt.Errorf("send %s: %w", cmd.Command, err)
	}
	ctx, hangUp := c.listening(ctx)
	defer hangUp()
	status, body, err := c.ask(ctx, http.MethodPost, "/v1/commands", content)
	if err != nil {
		return Answer{}, fmt.Errorf("send %s: %w", cmd.Command, err)
	}
	var a Answer
	if json.Unmarshal(body, &a) != nil {
		return Answer{}, fmt.Errorf("send %s: %w", cmd.Command, refusal(status, body))
	}
	if !a.OK {
		return a, &Refused{Command: cmd.Command, State: a.State, Why: a.Why}
	}
	return a, nil
}

// ask makes a request and reads all of what comes back.
func (c *Client) ask(ctx context.Context, method, path string, content []byte) (status int, body []byte, err error) {
	r, err := c.request(ctx, method, path, bytes.NewReader(content))
	if err != nil {
		return 0, nil, gone(ctx, err)
	}
	defer r.Body.Close()
	body, err = io.ReadAll(io.LimitReader(r.Body, maxAnswer))
	return r.StatusCode, body, gone(ctx, err)
}

func (c *Client) request(ctx context.Context, method, path string, content io.Reader) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, "http://refrain"+path, content)
	if err != nil {
		return nil, err
	}
	if c.token != "" {
		r.Header.Set("Authorization", bearer(c.token))
	}
	answer, err := c.http.Do(r)
	if u := (*url.Error)(nil); errors.As(err, &u) {
		err = u.Err // the rest is a made-up address
	}
	return answer, err
}

// gone makes ErrNobody of an error that says that the run died while we talked,
// and what the caller said of one that only says that it wants no more.
func gone(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	broken := (*net.OpError)(nil)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &broken) && broken.Op != "dial" {
		return fmt.Errorf("%w any more: it went away before it answered", ErrNobody)
	}
	return err
}

// refusal is the error for an answer that is not what was asked for.
func refusal(status int, body []byte) error {
	var a Answer
	if json.Unmarshal(body, &a) == nil && a.Why != "" {
		return errors.New(a.Why)
	}
	return fmt.Errorf("the run answers %d %s", status, http.StatusText(status))
}

// ErrSilent says that a run is there and does not answer: its process is stopped,
// or hangs. It may still take a command when it goes on.
var ErrSilent = errors.New("the run does not answer")

// A command may take an hour to have its effect, so it is not the answer that is
// waited for with a clock in hand: meanwhile the run is asked again and again
// whether it is there.
var (
	askAgain = 2 * time.Second
	maxQuiet = 5 * time.Second // what a machine that is busy may take for that
)

// listening is a context that ends with ErrSilent when the run no longer answers.
func (c *Client) listening(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(askAgain):
			}
			if !c.answers(ctx) {
				cancel(ErrSilent)
				return
			}
		}
	}()
	return ctx, func() {
		cancel(nil)
		<-done
	}
}

// answers tells whether the run says anything at all. One that is gone is not
// silent.
func (c *Client) answers(ctx context.Context) bool {
	ctx, cancel := context.WithTimeoutCause(ctx, maxQuiet, ErrSilent)
	defer cancel()
	_, _, err := c.ask(ctx, http.MethodGet, "/v1/run", nil)
	return !errors.Is(err, ErrSilent)
}
