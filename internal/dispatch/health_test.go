package dispatch

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"

	"github.com/refrain-loop/refrain/internal/fleet"
)

// A worker is well while its server answers: not before it was reached, and not while it
// is away, be it in the middle of a shift.
func TestAWorkerIsWellWhileItsServerAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shifts := make(chan fleet.Shift)
		end := make(chan error)
		w := &worker{log: newLog(io.Discard), post: post{backend: Backend{
			Work: func(ctx context.Context, _ fleet.Server, shift fleet.Shift, _ fleet.Legs) error {
				shifts <- shift
				select {
				case err := <-end:
					return err
				case <-ctx.Done():
					return nil
				}
			},
		}}}
		h := &health{live: func() int { return 0 }, state: starting}
		look := func(when string, want int) {
			t.Helper()
			r := httptest.NewRecorder()
			h.ServeHTTP(r, httptest.NewRequest(http.MethodGet, "/healthz", nil))
			if r.Code != want {
				t.Errorf("%s it answers %d %s, want %d", when, r.Code, r.Body, want)
			}
		}
		ctx, leave := context.WithCancel(t.Context())
		over := make(chan error)
		go func() { over <- w.keepAt(ctx, nil, h) }()
		<-shifts
		look("while it tries for the first time", http.StatusServiceUnavailable)
		end <- &fleet.UnreachableError{Address: "fleet:7233", Err: errors.New("connection refused")}
		synctest.Wait()
		look("between two tries", http.StatusServiceUnavailable)
		shift := <-shifts
		look("while it tries again", http.StatusServiceUnavailable)
		shift.Served(true)
		look("when the server has answered", http.StatusOK)
		shift.Served(false)
		look("when it answers no more", http.StatusServiceUnavailable)
		shift.Served(true)
		look("when it is back", http.StatusOK)
		leave()
		if err := <-over; err != nil {
			t.Error(err)
		}
	})
}
