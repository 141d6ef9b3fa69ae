package control

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// ErrSilent says that a run is there and does not answer: its process is stopped,
// or hangs. It may still take a command when it goes on.
var ErrSilent = errors.New("the run does not answer")

// A command may take an hour to have its effect, so it is not the answer that is
// waited for with a clock in hand: meanwhile the run is asked again and again
// whether it is there.
var (
	askAgain  = 2 * time.Second
	mostQuiet = 5 * time.Second // what a machine that is busy may take for that
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
	ctx, cancel := context.WithTimeoutCause(ctx, mostQuiet, ErrSilent)
	defer cancel()
	_, _, err := c.ask(ctx, http.MethodGet, "/v1/run", nil)
	return !errors.Is(err, ErrSilent)
}
