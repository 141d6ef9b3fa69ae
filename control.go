package refrain

import (
	"cmp"
	"context"
	"iter"
	"sync/atomic"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/steer"
)

// Control steers one run, from any goroutine. It is made before the run and put
// into its Options.
//
// Pause, Resume, Stop, StopNow, Skip, Reboot, Note, Approve and Raise return when
// the wish has taken effect; before the run has begun they wait for that, too. The
// error is a *RefusedError when the wish makes no sense, such as pausing a run that is
// paused. When ctx is done first, they stop waiting, and the wish stands.
//
// Do not call these from an Observer, a Gate, a Rule or an Agent: the run waits
// for those, and they would wait for the run. Start a goroutine for it, or follow
// the run with Subscribe.
type Control struct {
	engine *steer.Control
	live   *app.Live
	taken  atomic.Bool
}

// NewControl makes a control for one run.
func NewControl() *Control {
	return &Control{engine: steer.NewControl(), live: app.NewLive()}
}

// Snapshot is a run at one moment, as "refrain status --json" shows it. Stats is
// what it has come to so far.
type (
	Snapshot = app.Status
	Stats    = app.Stats
)

// Pause holds the run before its next iteration, and returns when it is held.
func (c *Control) Pause(ctx context.Context) error { return c.do(ctx, steer.Command{Name: "pause"}) }

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
	answer, err := c.engine.Do(ctx, cmd)
	switch {
	case err != nil:
		return err
	case answer.OK:
		return nil
	}
	return &RefusedError{Command: cmd.Name, State: cmp.Or(answer.State, c.State()), Why: answer.Effect}
}

// State is what the run is now; empty before it has begun.
func (c *Control) State() Status { return c.Snapshot().State }

// Snapshot is where the run stands now; zero before it has begun.
func (c *Control) Snapshot() Snapshot {
	s, _ := c.live.Status()
	return s
}

// Stats is what the run has come to so far; zero before it has begun.
func (c *Control) Stats() Stats {
	s, _ := c.live.Stats()
	return s
}

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
	return c.live.Events(ctx, after)
}
