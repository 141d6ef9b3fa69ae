package flow

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/loop"
)

// hands are what a worker does for the server: its legs, and the orders for those.
type hands struct {
	client client.Client
	worker string
	legs   fleet.Legs
	valve  *valve
}

// far does a leg of the queue.
func (h *hands) far(ctx context.Context, t fleet.Turn) (fleet.Standing, error) {
	return h.leg(ctx, t, false)
}

// near does one that was asked of this worker alone, or that a person hurries.
func (h *hands) near(ctx context.Context, t fleet.Turn) (fleet.Standing, error) {
	return h.leg(ctx, t, true)
}

// tell hands an order to a live leg.
func (h *hands) tell(ctx context.Context, run string, leg int, o fleet.Order) (fleet.Answer, error) {
	a, err := h.legs.Tell(ctx, run, leg, o)
	if err != nil {
		return a, temporal.NewNonRetryableApplicationError(err.Error(), notHere, nil)
	}
	return a, nil
}

func (h *hands) leg(ctx context.Context, t fleet.Turn, near bool) (fleet.Standing, error) {
	if !h.valve.enter(near, t.Hurry) {
		return fleet.Standing{}, temporal.NewNonRetryableApplicationError("there is no room at "+h.worker, noRoom, nil)
	}
	defer h.valve.leave(near)
	info := activity.GetInfo(ctx)
	lease := info.HeartbeatTimeout
	// When the worker leaves the leg is asked to; only the fleet takes it back at once.
	doing, back := context.WithCancel(context.WithoutCancel(ctx))
	defer back()
	p := &pulse{
		client: h.client, token: info.TaskToken, run: info.WorkflowExecution, every: beatEvery(lease), back: back,
		beat: fleet.Beat{At: time.Now()},
		now:  fleet.Progress{Leg: t.Leg, Worker: h.worker, Host: hostQueue(h.worker), State: loop.Running},
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	beating, over := context.WithCancel(context.WithoutCancel(ctx))
	defer over()
	wg.Go(func() { p.serve(beating) })
	out, err := h.legs.Run(doing, t, fleet.Hooks{Tell: p.tell, Heard: p.heard, Spent: h.valve.spend})
	if err != nil {
		return out, temporal.NewNonRetryableApplicationError(said(err), broken, nil)
	}
	if !out.Stuck && h.valve.closed() {
		out.Host = "" // it would be asked while it goes, and take what it cannot do
	}
	if out.Rule == loop.RuleLimit && out.Until.After(time.Now()) {
		h.valve.hold(out.Until)
	}
	return out, nil
}

// said is an error with what to do, in one line.
func said(err error) string {
	var h interface{ Hint() string }
	if errors.As(err, &h) && h.Hint() != "" {
		return err.Error() + "; " + h.Hint()
	}
	return err.Error()
}

// beatEvery is how often a worker is heard: so often that losing some in a row is no
// reason to think that it is gone.
func beatEvery(lease time.Duration) time.Duration {
	return max(min(lease/4, 10*time.Second), 50*time.Millisecond)
}

// pulse keeps the lease of a leg. It calls the server itself, since only so it is known
// whether the server has heard.
type pulse struct {
	client client.Client
	token  []byte
	run    workflow.Execution
	every  time.Duration
	back   context.CancelFunc // takes the leg back

	mu   sync.Mutex
	beat fleet.Beat
	deaf bool // the server does not hear us, and that was said
	now  fleet.Progress
	said fleet.Progress // to the workflow
}

// tell hears how far the leg is.
func (p *pulse) tell(now fleet.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now.Leg, now.Worker, now.Host = p.now.Leg, p.now.Worker, p.now.Host
	p.now = now
}

// heard tells what the fleet last said.
func (p *pulse) heard() fleet.Beat {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.beat
}

// serve beats until ctx is done, or the leg is nobody's any more.
func (p *pulse) serve(ctx context.Context) {
	for !p.once(ctx) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(p.every):
		}
	}
}

// once beats once, and tells whether there is no more to hear.
func (p *pulse) once(ctx context.Context) (gone bool) {
	p.mu.Lock()
	now, news := p.now, p.now != p.said
	p.mu.Unlock()
	at := time.Now()
	try, cancel := context.WithTimeout(ctx, max(p.every, time.Second))
	defer cancel()
	err := p.client.RecordActivityHeartbeat(try, p.token, now)
	var none *serviceerror.NotFound
	switch {
	case err == nil:
		p.hear(fleet.Beat{At: at})
	case temporal.IsCanceledError(err) && ctx.Err() == nil && try.Err() == nil:
		p.hear(fleet.Beat{At: at})
		p.back()
	case errors.As(err, &none):
		p.hear(fleet.Beat{At: at, Gone: true})
		return true
	case ctx.Err() == nil && !p.deaf:
		p.deaf = true
		slog.Warn("the fleet does not hear that a leg goes on", "run", p.run.ID, "leg", now.Leg, "error", err)
	}
	if err == nil && news {
		if p.client.SignalWorkflow(try, p.run.ID, p.run.RunID, progressSignal, now) == nil {
			p.mu.Lock()
			p.said = now
			p.mu.Unlock()
		}
	}
	return false
}

func (p *pulse) hear(b fleet.Beat) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.beat, p.deaf = b, false
}
