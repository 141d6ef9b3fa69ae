package refrain

import (
	"cmp"
	"context"
	"iter"
	"sync"
	"sync/atomic"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/steer"
)

// Control steers one run, from any goroutine. It is made before the run and put
// into its Options; one for a run that is live already, in whichever process,
// comes from Record.Control.
//
// Pause, Resume, Stop, StopNow, Skip, Reboot, Note, Approve and Raise return when
// the wish has taken effect; before the run has begun they wait for that, too. The
// error is a *RefusedError when the wish makes no sense, such as pausing a run that is
// paused. When ctx is done first, they stop waiting, and the wish stands.
//
// The run waits for an Observer, a Gate, a Rule, a hook, a Completion check, an Agent
// and its Decoder while it calls them, so none of them can wait for the run: called
// there, a method that would is refused. Start a goroutine for it, or follow the run
// with Subscribe. Note and Raise wait for nothing, and are refused only in an
// Observer, and in the hook Finished.
type Control struct {
	wheel wheel
	taken atomic.Bool
}

// wheel is how a control reaches its run.
type wheel interface {
	do(context.Context, steer.Command) (steer.Answer, error)
	status() Snapshot // zero: the run has not begun
	stats() Stats     // likewise
	events(ctx context.Context, after int64) iter.Seq2[Event, error]
	// id is that of the run; empty: it has not begun.
	id() string
}

// NewControl makes a control for one run.
func NewControl() *Control {
	return &Control{wheel: &here{engine: steer.NewControl(), live: app.NewLive(), fresh: journal.NewID()}}
}

// here is a run of this process that was given the control.
type here struct {
	engine *steer.Control
	live   *app.Live
	fresh  string // the id that a new run gets

	mu     sync.Mutex
	broken error // why the run has to end with an error
}

func (h *here) do(ctx context.Context, cmd steer.Command) (steer.Answer, error) {
	return h.engine.Do(ctx, cmd)
}

func (h *here) status() Snapshot {
	s, _ := h.live.Status()
	return s
}

func (h *here) stats() Stats {
	s, _ := h.live.Stats()
	return s
}

func (h *here) events(ctx context.Context, after int64) iter.Seq2[Event, error] {
	return publicEvents(h.live.Events(ctx, after))
}

func (h *here) id() string { return h.status().ID }

// Snapshot is a run at one moment, as "refrain status --json" shows it. Stats is
// what it has come to so far.
type (
	Snapshot = app.Status
	Stats    = app.Stats
)

// Pause holds the run before its next iteration, and returns when it is held.
func (c *Control) Pause(ctx context.Context) error { return c.do(ctx, steer.Command{Name: "pause"}) }

// Park has this runner leave the run after this iteration, or at once where it waits,
// and returns when it has. The run has no end then: Resume goes on with it.
func (c *Control) Park(ctx context.Context) error { return c.do(ctx, steer.Command{Name: "park"}) }

// Resume goes on with a paused run, or cuts a wait short.
func (c *Control) Resume(ctx context.Context) error { return c.do(ctx, steer.Command{Name: "resume"}) }

// Stop ends the run after this iteration, and returns when it has ended.
func (c *Control) Stop(ctx context.Context) error { return c.do(ctx, steer.Command{Name: "stop"}) }

// StopNow ends the run and its agent, whose attempt does not count, and returns
// when it has ended.
func (c *Control) StopNow(ctx context.Context) error {
	return c.do(ctx, steer.Command{Name: "stop_now"})
}

// Skip ends the agent that works, and returns when its iteration is finished.
func (c *Control) Skip(ctx context.Context) error { return c.do(ctx, steer.Command{Name: "skip"}) }

// Reboot gives up the agent's session, after this iteration if one is under way. It
// is refused where every iteration has a fresh one.
func (c *Control) Reboot(ctx context.Context) error { return c.do(ctx, steer.Command{Name: "reboot"}) }

// Note tells the next agent something.
func (c *Control) Note(ctx context.Context, text string) error {
	return c.do(ctx, steer.Command{Name: "note", Text: text})
}

// Approve answers what an attended run asks, which is in its RunAsked event, with
// one of the choices; empty is the first of them: go on.
func (c *Control) Approve(ctx context.Context, answer string) error {
	return c.do(ctx, steer.Command{Name: "approve", Text: answer})
}

// Raise changes a limit, such as "loop.max_iterations". The value is the new
// total, and 0 is no limit.
func (c *Control) Raise(ctx context.Context, key, value string) error {
	return c.do(ctx, steer.Command{Name: "raise", Key: key, Value: value})
}

func (c *Control) do(ctx context.Context, cmd steer.Command) error {
	if why := c.calledInside(cmd.Name); why != "" {
		return &RefusedError{Command: cmd.Name, State: c.State(), Why: why}
	}
	answer, err := c.wheel.do(ctx, cmd)
	switch {
	case err != nil:
		return err
	case answer.OK:
		return nil
	}
	return &RefusedError{Command: cmd.Name, State: cmp.Or(answer.State, c.State()), Why: answer.Effect}
}

// ID is the id of the run, which no other run anywhere has. A run that Run begins with
// this control has it from the beginning on, so that a program can note it before;
// of one that Resume goes on with it is here once that has begun.
func (c *Control) ID() string {
	if at, ours := c.wheel.(*here); ours {
		return cmp.Or(at.id(), at.fresh)
	}
	return c.wheel.id()
}

// State is what the run is now; empty before it has begun.
func (c *Control) State() Status { return c.Snapshot().State }

// Snapshot is where the run stands now; zero before it has begun.
func (c *Control) Snapshot() Snapshot { return c.wheel.status() }

// Stats is what the run has come to so far; zero before it has begun.
func (c *Control) Stats() Stats { return c.wheel.stats() }

// Subscribe follows the run: every event after a number, 0 for all of them, each
// once and in order, first those of the past, also from before a resume, and then
// those to come. It waits for a run that has not begun, and ends when the run
// does.
//
// The run waits for nobody who subscribes, and who is slow misses nothing. When
// it cannot go on, an error is the last thing that it gives: the cause of a ctx
// that is done, or why the past cannot be read. Long texts of the past may be
// cut; see docs/journal.md.
func (c *Control) Subscribe(ctx context.Context, after int64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		if why := c.calledInside("subscribe"); why != "" {
			yield(Event{}, &RefusedError{Command: "subscribe", State: c.State(), Why: why})
			return
		}
		c.wheel.events(ctx, after)(yield)
	}
}
