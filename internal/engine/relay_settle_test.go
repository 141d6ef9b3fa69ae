package engine

import (
	"context"
	"errors"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

// told is a relay that says what it is asked.
type told func(what string) error

func (r told) Keep(context.Context, Moment, string) error { return r("keep") }
func (r told) Leave(loop.Verdict, bool) (string, bool)    { return "", false }
func (r told) Watch(context.Context) error                { return nil }

func TestWhatIsKeptIsOnTheDiskHere(t *testing.T) {
	var done []string
	r := relay{memory: newRecorder(Options{}), settle: func() { done = append(done, "settle") }, Relay: told(func(what string) error {
		done = append(done, what)
		return errors.New("no way there")
	})}
	if r.keep(t.Context(), Finished) || len(done) != 2 || done[0] != "settle" {
		t.Errorf("what was done: %q, want that the journal settles before it is kept", done)
	}
}
