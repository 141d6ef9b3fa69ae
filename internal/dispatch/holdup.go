package dispatch

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/lookout"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// holdup is why a run does not go on, and what to do about it. The zero value: nothing
// keeps it that is known here.
type holdup struct{ what, hint string }

// holdupOf finds out what keeps a run: a person whom it needs, or its queue.
func holdupOf(ctx context.Context, service fleet.Service, row fleet.Row, now time.Time) holdup {
	if row.Live || lookout.Over(row) || !row.EndedAt.IsZero() {
		return holdup{}
	}
	if h := needs(row); h != (holdup{}) {
		return h
	}
	if row.WaitUntil.After(now) {
		return holdup{}
	}
	return cmp.Or(queueHoldup(ctx, service, row.Queue, now), stumbles(row))
}

// needs is what a run needs a person for.
func needs(row fleet.Row) holdup {
	run := text.Line(row.Run)
	switch {
	case row.State == fleet.Failed:
		return holdup{"its legs come to nothing, and none is tried any more" + because(row.Wrong), "look after that, then: refrain fleet resume " + run + "; or end it: refrain fleet stop " + run}
	case row.State == loop.Paused:
		return holdup{"it is paused", "to have it go on: refrain fleet resume " + run}
	case row.State == loop.Waiting && row.WaitUntil.IsZero():
		return holdup{"it waits for you" + because(row.Why), "\"refrain fleet show " + run + "\" has what it asks; answer it: refrain fleet approve " + run + "; or have it go on: refrain fleet resume " + run}
	}
	return holdup{}
}

// stumbles is what the last leg came to, where that was nothing and the next one is on
// its way.
func stumbles(row fleet.Row) holdup {
	if row.Wrong == "" {
		return holdup{}
	}
	return holdup{"its last leg came to nothing" + because(row.Wrong), "it is tried again by itself, less and less often; at once: refrain fleet resume " + text.Line(row.Run)}
}

func because(why string) string {
	if why == "" {
		return ""
	}
	return ": " + text.Line(why)
}

// askQueue is how long a queue is asked: what it says is only told.
const askQueue = 5 * time.Second

// queueHoldup is why no run of a queue begins.
func queueHoldup(ctx context.Context, service fleet.Service, queue string, now time.Time) holdup {
	ctx, over := context.WithTimeout(ctx, askQueue)
	defer over()
	q := text.Line(queue)
	workers, err := service.Workers(ctx, queue)
	var silent *fleet.SilentError
	switch {
	case errors.As(err, &silent):
		return holdup{silent.Error(), silent.Hint()}
	case err != nil:
		return holdup{}
	case len(workers) == 0:
		return holdup{"no worker of the queue " + q + " has asked for work lately", "start one: refrain-worker work --queue " + q + "; or name another queue with --queue"}
	}
	a, err := service.Account(ctx, queue, nil)
	switch {
	case err != nil:
		return holdup{}
	case a.Broke():
		return holdup{"the account of the queue " + q + " has nothing left to spend", "raise it: refrain fleet account " + q + " --cost DOLLARS, or --tokens"}
	case a.Until.After(now):
		return holdup{"no agent of the queue " + q + " is started before " + view.Clock(a.Until, now), "to have one begin all the same: refrain fleet resume RUN; or all of them: refrain fleet account " + q + " --until now"}
	}
	return holdup{}
}

// warn tells of what keeps a run.
func warn(p post, run string, h holdup) {
	if h != (holdup{}) {
		p.Warn(text.Line(run)+": "+h.what, h.hint)
	}
}
