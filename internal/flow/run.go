package flow

import (
	"encoding/json"
	"reflect"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/loop"
)

// legsInHistory is how many legs a history holds before it begins anew.
const legsInHistory = 50

// run is a run while its workflow is in memory. It changes between two awaits only, so
// nothing here needs a lock.
type run struct {
	spec fleet.Spec
	state
	now    loop.Status    // what people see
	asked  bool           // a leg was asked for and is not over
	live   fleet.Progress // what the leg last said; no host: none is live
	legs   int            // in this history
	ears                  // of the leg that is asked for
	take   workflow.CancelFunc
	showed card
}

// Run is the workflow of one run. It asks for legs, and says when and where.
func Run(ctx workflow.Context, spec fleet.Spec, s state) (fleet.Row, error) {
	r := &run{spec: spec, state: s, now: fleet.Queued}
	r.Leg = max(r.Leg, spec.Leg)
	r.Begun = r.Begun || spec.Carried
	if workflow.GetInfo(ctx).ContinuedExecutionRunID == "" {
		r.showed = card{Row: r.row(), Submitted: spec.Submitted} // whoever submitted it has said so
	}
	if err := workflow.SetQueryHandler(ctx, standingQuery, func() (fleet.Row, error) { return r.row(), nil }); err != nil {
		return fleet.Row{}, err
	}
	workflow.Go(ctx, r.hear)
	workflow.Go(ctx, r.catchUp)
	err := workflow.SetUpdateHandlerWithOptions(ctx, orderUpdate, r.order, workflow.UpdateHandlerOptions{
		Validator: func(_ workflow.Context, o fleet.Order) error { return check(o) },
	})
	if err != nil {
		return fleet.Row{}, err
	}
	err = r.drive(ctx)
	if workflow.IsContinueAsNewError(err) {
		return fleet.Row{}, err
	}
	r.Ended = workflow.Now(ctx)
	if err != nil { // somebody ended the workflow, and did not ask the run
		r.Last.State, r.Last.Why = loop.Stopped, "it was ended on the fleet's server"
		ctx, _ = workflow.NewDisconnectedContext(ctx)
	}
	r.show(ctx, r.Last.State)
	if err := r.quiet(ctx); err != nil {
		return r.row(), err
	}
	return r.row(), nil
}

// drive goes from leg to leg until the run is over.
func (r *run) drive(ctx workflow.Context) error {
	for {
		if err := r.told(ctx); err != nil {
			return err
		}
		if err := r.rest(ctx); err != nil || r.over() {
			return err
		}
		if r.legs >= legsInHistory || workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
			if err := r.quiet(ctx); err != nil {
				return err
			}
			return workflow.NewContinueAsNewError(ctx, runType, r.spec, r.state)
		}
		if err := r.leg(ctx); err != nil || r.over() {
			return err
		}
	}
}

// rest waits until the next leg may be asked for. Nobody works meanwhile: no worker, no
// process.
func (r *run) rest(ctx workflow.Context) error {
	for {
		now := workflow.Now(ctx)
		wakes, stopping, paused, person := r.wakes(), r.Stopping, r.Paused, r.Last.Person
		wait := wakes.Sub(now)
		changed := func() bool {
			return r.Stopping != stopping || r.Paused != paused || r.Last.Person != person || r.Hurry || !r.wakes().Equal(wakes)
		}
		var err error
		switch {
		case r.ended():
			r.end()
			return nil
		case r.Failed:
			r.show(ctx, fleet.Failed)
			err = workflow.Await(ctx, func() bool { return !r.Failed || r.Stopping != "" })
		case r.Paused && r.Stopping == "":
			r.Hurry = false
			r.show(ctx, loop.Paused)
			err = workflow.Await(ctx, changed)
		case r.Last.Person && r.Stopping == "":
			r.Hurry = false
			r.show(ctx, loop.Waiting)
			err = workflow.Await(ctx, changed)
		case wait <= 0 || r.Hurry:
			return nil
		default:
			r.show(ctx, loop.Waiting)
			_, err = workflow.AwaitWithTimeout(ctx, wait, changed)
		}
		if err != nil {
			return err
		}
	}
}

// quiet waits until every order has its answer.
func (r *run) quiet(ctx workflow.Context) error {
	return workflow.Await(ctx, func() bool { return workflow.AllHandlersFinished(ctx) && !r.telling })
}

// hear takes in what live legs say.
func (r *run) hear(ctx workflow.Context) {
	for ch := workflow.GetSignalChannel(ctx, progressSignal); ; {
		var p fleet.Progress
		if ch.Receive(ctx, &p); !r.asked || p.Leg != r.Leg {
			continue // of a leg that is over
		}
		r.began(workflow.Now(ctx))
		r.live = p
		r.show(ctx, loop.Running)
	}
}

// show says how the run stands to whoever lists runs.
func (r *run) show(ctx workflow.Context, now loop.Status) {
	r.now = now
	c := card{Row: r.row(), Submitted: r.spec.Submitted}
	if reflect.DeepEqual(c, r.showed) {
		return
	}
	before := r.showed
	r.showed = c
	// An error here would be one of putting values into JSON, which these always go into.
	if !c.found(before) {
		_ = workflow.UpsertTypedSearchAttributes(ctx, c.changing()...)
	}
	_ = workflow.UpsertMemo(ctx, c.memo())
}

// row is the run as people see it.
func (r *run) row() fleet.Row {
	row := begin(r.spec)
	last := r.Last
	row.State, row.Reason, row.Why = r.now, last.Reason, last.Why
	row.Iterations, row.CostUSD, row.Tokens = last.Iterations, last.CostUSD, last.Tokens
	row.At, row.Head = last.At, last.Head
	row.StartedAt, row.EndedAt = r.Started, r.Ended
	row.Leg, row.Worker = r.Leg, last.Worker
	row.Paused, row.Orders, row.Lost, row.Wrong = r.Paused, r.Orders, r.Lost, r.Wrong
	if r.now == loop.Waiting {
		row.WaitUntil = r.wakes()
	}
	if r.over() {
		row.Proven = &last.Proven
	}
	if r.live.Host != "" {
		row.Reason, row.Why = "", "" // that was why the leg before was left
		row = heard(row, r.live)
	}
	return row
}

// heard is a row with what its live leg says.
func heard(row fleet.Row, p fleet.Progress) fleet.Row {
	row.Live, row.Worker, row.Iterations = true, p.Worker, max(row.Iterations, p.Iterations)
	row.CostUSD, row.Tokens = max(row.CostUSD, p.CostUSD), max(row.Tokens, p.Tokens)
	if p.State != "" {
		row.State = p.State
	}
	if p.At != "" {
		row.At = p.At
	}
	return row
}

// begin is a run of which nothing is known yet.
func begin(s fleet.Spec) fleet.Row {
	return fleet.Row{
		Run: s.Name, ID: s.ID, State: fleet.Queued, Place: fleet.Place{Remote: s.Remote, Branch: s.Branch},
		Queue: s.Queue, Leg: s.Leg, By: s.By, Procedure: procedure(s),
	}
}

// procedure is what the request of a run names, if it does.
func procedure(s fleet.Spec) string {
	var named struct {
		Procedure string `json:"procedure"`
	}
	_ = json.Unmarshal(s.Request, &named) // a request that cannot be read is the worker's to refuse
	return named.Procedure
}

// order is what comes of a person's wish. A leg that is live hears it, and else the next
// one does.
func (r *run) order(ctx workflow.Context, o fleet.Order) (fleet.Answer, error) {
	a, heard, leg := fleet.Answer{}, false, r.Leg
	if r.live.Host != "" {
		a, heard = r.tell(ctx, o)
		if !heard { // it may just be ending
			_, err := workflow.AwaitWithTimeout(ctx, ending, func() bool { return !r.asked || r.Leg != leg })
			if err != nil {
				return a, err
			}
		}
	}
	switch {
	case heard && !a.OK:
	case heard:
		r.mind(o)
		if r.Leg == leg {
			r.handed = r.Stopping
		}
	case !r.Ended.IsZero() || !r.asked && r.over():
		return fleet.Answer{Why: "it is over", State: r.Last.State}, nil
	default:
		a = r.keep(o)
	}
	if r.asked && r.live.Host == "" && (r.Paused || r.Hurry || r.ended()) {
		r.take() // nobody has begun the leg, and nobody shall, or the next one goes first
	}
	r.show(ctx, r.now)
	return a, nil
}

// How long things of a live leg may take.
const (
	hears  = 10 * time.Second // a worker that is there comes for an order at once
	obeys  = time.Minute
	ending = 10 * time.Second
)

// tell hands an order to the live leg. Where that fails, nobody may have heard it.
func (r *run) tell(ctx workflow.Context, o fleet.Order) (a fleet.Answer, heard bool) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: r.live.Host, ScheduleToStartTimeout: hears, StartToCloseTimeout: obeys, DisableEagerExecution: true,
		RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 1},
	})
	err := workflow.ExecuteActivity(ctx, tellType, r.spec.ID, r.Leg, o).Get(ctx, &a)
	return a, err == nil
}
