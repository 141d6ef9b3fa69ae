package app

import (
	"context"
	"time"

	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

// dropLocks removes the git locks that runners which are dead have left, or their
// agents: those that came since the last thing that each had begun. It belongs
// after cleanUp, for somebody who lives may hold them.
func (j *Job) dropLocks(ctx context.Context, pasts ...journal.Past) []loop.Warning {
	var since time.Time
	for _, past := range pasts {
		if begun := lastBegun(past); since.IsZero() || begun.Before(since) {
			since = begun
		}
	}
	if since.IsZero() {
		return nil
	}
	locks, err := j.files.Locks(ctx)
	if err != nil {
		return nil // a broken repository is told of by who needs it
	}
	if w := engine.LocksDropped(locks.Drop(ctx, since)); w != nil {
		return []loop.Warning{*w}
	}
	return nil
}

// lastBegun is when the last attempt of a run began, or the run itself.
func lastBegun(past journal.Past) time.Time {
	at := past.First.Time
	if last := past.Last; last != nil {
		at = last.Time.Add(-last.Payload.(*loop.IterationFinished).Outcome.Duration.Duration())
	}
	for _, e := range past.Tail {
		switch e.Payload.(type) {
		case *loop.RunStarted, *loop.RunResumed, *loop.IterationStarted:
			at = e.Time
		}
	}
	return at
}
