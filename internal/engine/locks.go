package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// dropLocks removes the git locks that came since a time, when all who could have
// made them are dead: with them there, neither agents nor the runner would commit
// any more.
func (e *Engine) dropLocks(ctx context.Context, since time.Time) {
	ctx, over := e.hurrying(ctx)
	defer over()
	dropped, err := e.gitLocks(ctx).Drop(ctx, since)
	if w := LocksDropped(dropped, err); w != nil {
		e.warn(fmt.Sprint("locks ", e.iter, " ", w.Text), *w)
	}
}

// gitLocks is where they are; nil when nobody can tell.
func (e *Engine) gitLocks(ctx context.Context) *git.Locks {
	if e.locks == nil && e.Tree != nil {
		e.locks, _ = e.Tree.Locks(ctx) // a broken repository is told of by who needs it
	}
	return e.locks
}

// LocksDropped tells people of locks that were removed, or could not be; nil when
// there is nothing to tell.
func LocksDropped(dropped []string, err error) *loop.Warning {
	var unjudged *git.UnjudgedError
	switch {
	case len(dropped) > 0:
		return &loop.Warning{Text: fmt.Sprintf("removed %s, which a git that was ended left", text.FirstFew(dropped))}
	case errors.As(err, &unjudged):
		return &loop.Warning{Text: err.Error(), Hint: unjudged.Hint()}
	case err != nil:
		return &loop.Warning{Text: "a git that was ended left a lock, which cannot be removed: " + err.Error()}
	}
	return nil
}

// afterFailedCommit says what to do about a commit that was not made.
func (e *Engine) afterFailedCommit(ctx context.Context, err error) string {
	const takesAlong = "the work is in the work tree, and the next iteration's commit takes it along"
	if left := e.gitLocks(ctx).Left(); len(left) > 0 {
		return fmt.Sprintf("if no other git works here, one died: remove %s; %s", text.FirstFew(left), takesAlong)
	}
	var refused *git.RefusedError
	if errors.As(err, &refused) {
		return refused.Hint() + "; " + takesAlong
	}
	return takesAlong
}
