package flow

import (
	"errors"
	"fmt"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/text"
)

const (
	// deadline is far enough away for any leg: its lease is what it is held to.
	deadline = 30 * 24 * time.Hour
	// plainLease is for a run that says none.
	plainLease = time.Minute
	// fullAgain is how long a worker is left alone that had no room after all.
	fullAgain = 5 * time.Second
)

// The kinds of errors that an activity says.
const (
	noRoom  = "no room"  // the worker takes no leg now; nobody has begun it
	notHere = "not here" // no such leg is live
	broken  = "broken"   // the leg came to nothing
)

// leg has one leg done, and takes in what came of it.
func (r *run) leg(ctx workflow.Context) error {
	r.Leg++
	r.legs++
	turn := fleet.Turn{Spec: r.spec, Leg: r.Leg, Orders: r.hand(), At: r.Last.At, Hurry: r.Hurry}
	r.Hurry = false
	r.asked, r.ears = true, ears{handed: r.Stopping}
	r.show(ctx, fleet.Queued)
	asking, take := workflow.WithCancel(ctx)
	r.take = take
	out, err := r.ask(asking, turn)
	take()
	begun := r.live.Host != ""
	if r.live.At != "" {
		r.Last.At = r.live.At // its worker may say no more
	}
	r.asked, r.live = false, fleet.Progress{}
	now := workflow.Now(ctx)
	switch {
	case err == nil:
		r.came(out, turn.Orders, now)
	case temporal.IsCanceledError(err):
		r.back(turn.Orders)
		if begun {
			r.lost("it was taken back, and its worker said no more", nil, now)
		}
	default:
		r.lost(why(err), turn.Orders, now)
	}
	return ctx.Err()
}

// ask has a leg done by the worker that has the files of the run, if that one comes soon,
// and else by any.
func (r *run) ask(ctx workflow.Context, t fleet.Turn) (fleet.Standing, error) {
	began := workflow.Now(ctx)
	for near := r.near(t.Spec.Sticky, began); near > 0; {
		o := legOptions(r.Last.Host, t.Spec)
		o.ScheduleToStartTimeout = near
		out, err := do(ctx, o, t)
		if !unbegun(err) {
			return out, err
		}
		if near = near - workflow.Now(ctx).Sub(began) - fullAgain; near <= 0 {
			break
		}
		if err := workflow.Sleep(ctx, fullAgain); err != nil {
			return out, err
		}
		began = workflow.Now(ctx)
	}
	queue, again := t.Spec.Queue, firstAgain
	if t.Hurry {
		queue, again = hurryQueue(queue), fullAgain
	}
	for {
		out, err := do(ctx, legOptions(queue, t.Spec), t)
		if !unbegun(err) {
			return out, err
		}
		if err := workflow.Sleep(ctx, again); err != nil {
			return out, err
		}
	}
}

func do(ctx workflow.Context, o workflow.ActivityOptions, t fleet.Turn) (out fleet.Standing, err error) {
	err = workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, o), legType, t).Get(ctx, &out)
	return out, err
}

// legOptions has no leg tried again by the server: that would be the same leg, and only a
// higher one may have the run after it.
func legOptions(queue string, s fleet.Spec) workflow.ActivityOptions {
	lease := s.Lease
	if lease <= 0 {
		lease = plainLease
	}
	return workflow.ActivityOptions{
		TaskQueue: queue, StartToCloseTimeout: deadline, HeartbeatTimeout: lease, WaitForCancellation: true,
		DisableEagerExecution: true, RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 1}, Priority: priority(s),
	}
}

// priority is whose turn it is on a queue: those first who are to go first, and the
// repositories in turn.
func priority(s fleet.Spec) temporal.Priority {
	return temporal.Priority{PriorityKey: max(0, min(s.Priority, 5)), FairnessKey: fair(s)}
}

// unbegun tells whether no worker has begun a leg.
func unbegun(err error) bool {
	var timeout *temporal.TimeoutError
	if errors.As(err, &timeout) {
		return timeout.TimeoutType() == enums.TIMEOUT_TYPE_SCHEDULE_TO_START
	}
	return is(err, noRoom)
}

// is tells whether an activity said a kind of error.
func is(err error, kind string) bool {
	var app *temporal.ApplicationError
	return errors.As(err, &app) && app.Type() == kind
}

// why is what a leg came to that ended without a word of its own, for people.
func why(err error) string {
	var (
		app     *temporal.ApplicationError
		timeout *temporal.TimeoutError
		act     *temporal.ActivityError
	)
	switch {
	case errors.As(err, &timeout) && timeout.TimeoutType() == enums.TIMEOUT_TYPE_HEARTBEAT:
		who := "its worker"
		if errors.As(err, &act) && act.Identity() != "" {
			who = act.Identity()
		}
		return who + " was not heard of for longer than the lease"
	case errors.As(err, &app):
		return text.Cut(text.Line(app.Message()), mostWrong)
	}
	return text.Cut(text.Line(fmt.Sprint(err)), mostWrong)
}

const mostWrong = 400 // bytes of a reason that a history holds
