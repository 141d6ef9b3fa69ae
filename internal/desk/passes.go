package desk

import (
	"context"
	"errors"

	"github.com/refrain-loop/refrain/internal/carry"
	"github.com/refrain-loop/refrain/internal/project"
)

// passes tells whether what went wrong may pass by itself: then it is tried again, here or
// elsewhere. All else comes to the same each time, and an agent would be paid for it each
// time, so a person is to look after it.
func passes(err error) bool {
	return is[*carry.UnreachableError](err) || is[*carry.UnsureError](err) || is[*carry.BusyError](err) || is[*project.LockedError](err) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// trouble tells whether it is the branch that is not taken, or may be.
func trouble(err error) bool {
	return is[*carry.BranchError](err) || is[*carry.RefusedError](err)
}

// is tells whether there is an error of a kind in err.
func is[E error](err error) bool {
	var found E
	return errors.As(err, &found)
}

// overtime is err where it may have come of ctx being done: that passes.
func overtime(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	return errors.Join(err, context.Cause(ctx))
}
