package proc

import (
	"context"
	"errors"

	"github.com/refrain-loop/refrain/internal/loop"
)

// End makes the error to cancel a context with, so that the exit of a process
// under it says why it was ended.
func End(c loop.Cause) error { return ending(c) }

type ending loop.Cause

func (e ending) Error() string { return "the process is to end: " + string(e) }

// causeOf reads what End has put into the context.
func causeOf(ctx context.Context) loop.Cause {
	var e ending
	if errors.As(context.Cause(ctx), &e) {
		return loop.Cause(e)
	}
	return loop.OnRequest
}
