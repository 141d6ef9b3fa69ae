package flow

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/refrain-loop/refrain/internal/fleet"
)

const (
	flowPollers = 10               // with the usual two, hundreds of runs that are submitted at once wait for a minute
	mostTold    = 1000             // orders and legs of a worker's own queue, at once
	afterGrace  = time.Minute      // that agents have to end and their work to be kept
	stopTime    = 10 * time.Second // that the rest may take
)

// Work does what a shift offers, until ctx is done. Then it takes no more legs, has those
// that are live left to others, and comes back.
func Work(ctx context.Context, server fleet.Server, shift fleet.Shift, legs fleet.Legs) error {
	l, err := reach(ctx, server)
	if err != nil {
		return err
	}
	defer l.Close()
	outer := ctx
	ctx, fail := context.WithCancelCause(ctx) // a server may turn a worker away in the middle of its shift
	if shift.Served != nil {
		var wg sync.WaitGroup
		defer wg.Wait()
		wg.Go(func() { l.watch(ctx, shift.Served) })
	}
	defer fail(nil)
	if shift.Flows {
		if err := l.prepare(ctx); err != nil {
			return err
		}
		w := worker.New(l.client, flowQueue, worker.Options{
			DisableRegistrationAliasing: true, LocalActivityWorkerOnly: true, WorkerStopTimeout: stopTime, Identity: shift.Name,
			MaxConcurrentWorkflowTaskPollers: flowPollers,
			OnFatalError:                     fail,
		})
		register(w)
		if err := w.Start(); err != nil {
			return l.wrong(err)
		}
		defer w.Stop()
	}
	if shift.Legs {
		err = l.doLegs(ctx, shift, legs, fail)
	} else {
		<-ctx.Done()
	}
	if why := context.Cause(ctx); outer.Err() == nil && err == nil {
		err = l.wrong(why)
	}
	return err
}

// register names the workflows.
func register(w worker.WorkflowRegistry) {
	w.RegisterWorkflowWithOptions(Run, workflow.RegisterOptions{Name: runType})
	w.RegisterWorkflowWithOptions(Account, workflow.RegisterOptions{Name: accountType})
	w.RegisterWorkflowWithOptions(Firing, workflow.RegisterOptions{Name: firingType})
}

// doLegs does legs until ctx is done and all of them are left.
func (l *line) doLegs(ctx context.Context, shift fleet.Shift, legs fleet.Legs, fail func(error)) error {
	v := newValve(shift.Name, shift.Slots, func(ctx context.Context, d drawn) (p fleet.Portion, err error) {
		return p, l.ask(ctx, shift.Queue, drawUpdate, d, &p)
	})
	h := &hands{client: l.client, worker: shift.Name, legs: legs, valve: v}
	usual, err := tuner(v)
	if err != nil {
		return err
	}
	atOnce, err := tuner(hurried{v})
	if err != nil {
		return err
	}
	common := worker.Options{
		DisableWorkflowWorker: true, DisableEagerActivities: true, DisableRegistrationAliasing: true,
		WorkerStopTimeout: stopTime, Identity: shift.Name,
		OnFatalError: fail,
	}
	far, hurry, near := common, common, common
	far.Tuner, far.MaxConcurrentActivityTaskPollers = usual, 1
	hurry.Tuner, hurry.MaxConcurrentActivityTaskPollers = atOnce, 1
	near.MaxConcurrentActivityExecutionSize, near.MaxConcurrentActivityTaskPollers = mostTold, 1
	farWorker := worker.New(l.client, shift.Queue, far)
	farWorker.RegisterActivityWithOptions(h.far, activity.RegisterOptions{Name: legType})
	hurryWorker := worker.New(l.client, hurryQueue(shift.Queue), hurry)
	hurryWorker.RegisterActivityWithOptions(h.near, activity.RegisterOptions{Name: legType})
	nearWorker := worker.New(l.client, hostQueue(shift.Name), near)
	nearWorker.RegisterActivityWithOptions(h.near, activity.RegisterOptions{Name: legType})
	nearWorker.RegisterActivityWithOptions(h.tell, activity.RegisterOptions{Name: tellType})

	drawing, enough := context.WithCancel(context.WithoutCancel(ctx))
	var wg sync.WaitGroup
	defer wg.Wait()
	defer enough()
	wg.Go(func() { v.serve(drawing) })
	for _, w := range []worker.Worker{nearWorker, hurryWorker, farWorker} {
		if err := w.Start(); err != nil {
			return l.wrong(err)
		}
		defer w.Stop()
	}
	<-ctx.Done()
	leave(shift, legs, v)
	enough()
	wg.Wait()
	v.end(context.WithoutCancel(ctx))
	return nil
}

// leave has all legs left to others: between two steps while the grace lasts, and then at
// once.
func leave(shift fleet.Shift, legs fleet.Legs, v *valve) {
	v.close()
	legs.Leave(false)
	if v.empty(shift.Grace) {
		return
	}
	legs.Leave(true)
	if !v.empty(afterGrace) {
		slog.Error("legs do not end: others go on with their runs when their leases have ended", "worker", shift.Name, "legs", legs.Live())
	}
}

// tuner has the valve decide about legs; the rest has room enough.
func tuner(v worker.SlotSupplier) (worker.WorkerTuner, error) {
	rest, err := worker.NewFixedSizeSlotSupplier(mostTold)
	if err != nil {
		return nil, err
	}
	return worker.NewCompositeTuner(worker.CompositeTunerOptions{
		WorkflowSlotSupplier: rest, ActivitySlotSupplier: v, LocalActivitySlotSupplier: rest, NexusSlotSupplier: rest, SessionActivitySlotSupplier: rest,
	})
}
