package app

import (
	"context"
	"time"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/parts"
)

// dropLocks removes the git locks that the runner of a run which is dead has left,
// or its agent: those that came since the last thing that it had begun. It belongs
// after cleanUp, for somebody who lives may hold them.
func (j *Job) dropLocks(ctx context.Context, past journal.Past) []loop.Warning {
	locks, err := j.files.Locks(ctx)
	if err != nil {
		return nil // a broken repository is told of by who needs it
	}
	if w := parts.LocksDropped(locks.Drop(ctx, lastBegun(past))); w != nil {
		return []loop.Warning{*w}
	}
	return nil
}

// lastAtWork is the run that was at work last. Who began after another has taken
// the locks of that away, and what came since is none of its.
func lastAtWork(runs []journal.Entry) (last journal.Entry) {
	for i, run := range runs {
		if i == 0 || lastBegun(run.Past).After(lastBegun(last.Past)) {
			last = run
		}
	}
	return last
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
