package desk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/refrain-loop/refrain/internal/carry"
	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/loop"
)

// relay keeps the run of a leg on its remote, and says when to leave it.
type relay struct{ *leg }

// lastTry is how long a run that is left at once, or that could not be kept before, may
// still take to be kept.
const lastTry = 20 * time.Second

// mostAttempts is how many a leg makes whatever else is said: the server notes each, and
// has room for no more than some thousands between two legs.
const mostAttempts = 1000

// Keep moves the ref of the run. A remote that cannot be reached is waited for, with
// longer and longer pauses.
func (r relay) Keep(ctx context.Context, at engine.Moment, checkpoint string) error {
	left := at == engine.Left
	if left {
		r.deafen() // the run has taken its last order, and who gave that has an answer
	}
	state := loop.Running
	if left {
		state = r.seen.status(r.held.Card().State)
	}
	m := carry.Moment{Checkpoint: checkpoint, State: state, Branch: left || at == engine.Finished, Free: left, Told: r.seen.told(left)}
	if !left && checkpoint == "" {
		err := &carry.UnwillingError{What: r.Name + " has no checkpoints that could travel", Do: "runs have them, unless git.checkpoint is false"}
		r.seen.cannot(err)
		return err
	}
	if r.isOvertaken() {
		return &engine.LostError{Err: errOvertaken}
	}
	err := r.keep(ctx, m)
	kept := err
	if left && trouble(err) {
		// Nobody takes the branch. What was done is safe with the records, and waits for a
		// person.
		m.Branch = false
		if kept = r.keep(ctx, m); kept != nil {
			err = kept
		}
	}
	if (left || at == engine.Finished) && (kept == nil || is[*carry.UnsureError](kept)) { // else it may never count
		r.spend()
	}
	r.seen.could(err)
	var taken *carry.TakenError
	switch {
	case errors.As(err, &taken):
		return &engine.LostError{Err: err}
	case err != nil && r.isOvertaken():
		return &engine.LostError{Err: errOvertaken}
	case err != nil:
		return err
	}
	r.setAt(r.held.At())
	r.tellProgress(state)
	return nil
}

// keep is one way of keeping it, within its time.
func (r relay) keep(ctx context.Context, m carry.Moment) error {
	ctx, cancel := context.WithTimeout(ctx, r.patience(m.Free))
	defer cancel()
	r.mu.Lock()
	r.hurry = func() { time.AfterFunc(lastTry, cancel) }
	if r.overtaken {
		cancel()
	}
	r.mu.Unlock()
	return overtime(ctx, r.held.Keep(ctx, m))
}

// patience is how long the remote is waited for.
func (r relay) patience(left bool) time.Duration {
	if left && r.seen.stuck() || r.control.Leaving() {
		return lastTry
	}
	return r.desk.Cut
}

// Leave says whether the run is left to others.
func (r relay) Leave(next loop.Verdict, paused bool) (string, bool) {
	select { // orders come before anything begins
	case <-r.ordered:
	case <-r.done:
	}
	select { // and the answer that came along before the one that is taken without any
	case <-r.asked:
		select {
		case <-r.replied:
		case <-r.done:
		}
	default:
	}
	why := r.leaves()
	if why == "" {
		if why = r.turn(next, paused); why != "" {
			r.leave(why, false)
		}
	}
	return why, why != ""
}

// turn says why others have a turn now.
func (r relay) turn(next loop.Verdict, paused bool) string {
	now := time.Now()
	patience := max(0, cmp.Or(r.Quantum.Patience, usualPatience)) // below 0, every wait is the fleet's
	iterations, attempts, broke := r.seen.made()
	waits, first := r.seen.pausedFor(paused, now)
	if first {
		time.AfterFunc(patience+time.Millisecond, r.control.Wake) // so that it is asked again in time
	}
	switch {
	case r.gone():
		return "the fleet has given it to another worker"
	case broke:
		return "its account has nothing left to spend"
	case waits > patience:
		r.seen.forPerson()
		return "it waits for a person"
	case paused:
		return ""
	case next.Action == loop.Wait && next.Until.Sub(now) > patience:
		return next.Why
	case attempts >= mostAttempts, r.Quantum.Iterations > 0 && iterations >= r.Quantum.Iterations, r.Quantum.Time > 0 && attempts > 0 && now.Sub(r.began) >= r.Quantum.Time:
		return "others have a turn"
	}
	return ""
}

// gone tells whether the fleet has given the leg up.
func (r relay) gone() bool { return r.hooks.Heard != nil && r.hooks.Heard().Gone }

// Watch looks at the ref when the fleet is silent, or has given the leg up: somebody else
// may have the run then. As long as the ref is where we left it, nobody has. Where
// neither the fleet nor the remote has said for longer than the lease that the run is
// ours, it counts as lost, for another agent may be at work on it.
func (r relay) Watch(ctx context.Context) error {
	lease := r.Lease
	if lease <= 0 {
		lease = usualLease
	}
	every := min(max(lease/8, 100*time.Millisecond), 5*time.Second)
	for {
		if r.isOvertaken() {
			return &engine.LostError{Err: errOvertaken}
		}
		heard, doubtful := r.doubtful(lease / 2)
		sure := r.isSure(heard)
		if doubtful {
			look, cancel := context.WithTimeout(ctx, max(lease-wall().Sub(sure), every))
			now, err := r.held.Look(look)
			cancel()
			switch {
			case err == nil && now != r.whereAt():
				return &engine.LostError{Err: &carry.TakenError{Run: r.Name, Remote: shown(r.Remote), Now: now}}
			case err == nil:
				r.isSure(wall())
			case ctx.Err() != nil:
				return nil
			case wall().Sub(sure) > lease:
				return &engine.LostError{Err: fmt.Errorf("for longer than its lease nobody has said that it is ours: %w", err)}
			}
		}
		select {
		case <-time.After(every):
		case <-ctx.Done():
			return nil
		}
	}
}

// doubtful tells whether the fleet has given the leg up, or was silent for so long, and
// when it was last heard that the run is ours.
func (r relay) doubtful(silence time.Duration) (heard time.Time, yes bool) {
	if r.hooks.Heard == nil {
		return wall(), false
	}
	b := r.hooks.Heard()
	if b.Gone {
		return time.Time{}, true
	}
	return b.At.Round(0), wall().Sub(b.At.Round(0)) > silence
}

// wall is the time of the wall: no other goes on while a machine sleeps.
func wall() time.Time { return time.Now().Round(0) }

var errOvertaken = errors.New("a later leg of it is on this worker")
