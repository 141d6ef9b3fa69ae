package engine

import (
	"context"
	"errors"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
)

// Relay is how a run goes from runner to runner: somewhere that both can reach it is
// kept, and there it is decided whose it is. A run that stays with one has none.
type Relay interface {
	// Keep makes safe what the journal says by now, and the checkpoint that the work
	// tree is at. A *LostError says that the run is another runner's. With any other
	// error it is still ours and nothing is safe, so it is not gone on with here.
	Keep(ctx context.Context, at Moment, checkpoint string) error
	// Leave is asked between two steps, with what comes next, whether this runner
	// should leave the run to another one, and why. Paused says that it waits for a
	// person. Once the answer was yes it stays so.
	Leave(next loop.Verdict, paused bool) (why string, yes bool)
	// Watch looks after the run while an agent works, a gate or a hook, until ctx is done.
	// It comes back before that only with a *LostError.
	Watch(ctx context.Context) error
}

// Moment is when a run is kept.
type Moment string

// The moments. What was kept at each says what the next runner has to do.
const (
	Began    Moment = "began"    // no agent is started before: the attempt may have to be made again
	Worked   Moment = "worked"   // the agent is gone: the attempt is judged, and not made again
	Finished Moment = "finished" // the iteration counts
	Left     Moment = "left"     // the run is parked, or has ended
)

// LostError says that the run is another runner's by now. Whoever hears it ends its
// agent and writes nothing more: what it would write never happened.
type LostError struct{ Err error }

func (e *LostError) Error() string { return "another runner has the run: " + e.Err.Error() }

func (e *LostError) Unwrap() error { return e.Err }

// relay is the relay of a run, if it has one, and what came of it.
type relay struct {
	Relay
	memory *Recorder
	settle func() // returns when what the journal says is on the disk
	stuck  error  // it could not be kept, and is still ours
}

// keep keeps the run. Where that fails nothing may go on that relies on it. Others never
// know more of it than the disk here: else a machine that loses its power would go on
// from before what they have.
func (r *relay) keep(ctx context.Context, at Moment) bool {
	switch {
	case r.Relay == nil:
		return true
	case r.memory.Lost() != nil:
		return false
	}
	r.settle()
	err := r.Keep(ctx, at, r.memory.State().LastCheckpoint)
	var lost *LostError
	switch {
	case err == nil:
		r.stuck = nil
		return true
	case errors.As(err, &lost):
		r.memory.fallSilent(lost)
	default:
		r.stuck = err
	}
	return false
}

// guard sees that nothing goes on working on a run that was lost: no agent, and no gate,
// which may be one. The function it returns ends the guarding.
func (r *relay) guard(ctx context.Context, end context.CancelCauseFunc) func() {
	if r.Relay == nil {
		return func() {}
	}
	ctx, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if lost := (*LostError)(nil); errors.As(r.Watch(ctx), &lost) {
			r.memory.fallSilent(lost)
			end(proc.End(loop.OnRequest))
		}
	}()
	return func() {
		stop()
		<-done
	}
}

// leave tells why this runner should leave the run, if it should.
func (r *relay) leave(next loop.Verdict, paused bool) (why string, yes bool) {
	switch {
	case r.stuck != nil:
		return "it cannot be kept: " + r.stuck.Error(), true
	case r.Relay == nil:
		return "", false
	}
	return r.Leave(next, paused)
}

// fallSilent has the recorder take in nothing any more.
func (r *Recorder) fallSilent(lost *LostError) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lost = lost
}

// Lost is why the run is no longer ours, a *LostError; nil while it is.
func (r *Recorder) Lost() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lost == nil {
		return nil
	}
	return r.lost
}
