package engine

import (
	"context"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/redact"
	"github.com/refrain-loop/refrain/internal/steer"
	"github.com/refrain-loop/refrain/internal/stop"
)

// Exec runs one process to its end.
type Exec = func(context.Context, proc.Spec) (loop.Exit, error)

// Terms are what a run is held to.
type Terms struct {
	Rules  []loop.Rule
	Limits loop.Limits         // what a live attempt must not exceed
	Holds  stop.ProviderPolicy // by which it is found who works
}

// Kit is what all parts of a run work with: its memory, its clock, the wishes of
// people, and what it is held to.
type Kit struct {
	*Recorder

	Journal *journal.Run
	Desk    *steer.Desk
	Clock   Clock
	Shared  Shared // nil: limits are not shared
	Hide    *redact.Redactor
	Dir     string   // where the agent works
	Env     []string // of the agent, complete
	Bare    []string // of what runs what an agent may have written: without what only agents need

	exec    Exec
	workers []Worker
	relay   *relay
	leavers []func(context.Context)

	termsMu sync.Mutex
	terms   Terms
}

// NewKit makes what the parts of a run are made with.
func NewKit(o Options) *Kit {
	if o.Exec == nil {
		o.Exec = proc.Run
	}
	if o.Control == nil {
		o.Control = steer.NewControl()
	}
	if o.Clock == nil {
		o.Clock = wall{}
	}
	if o.Bare == nil {
		o.Bare = o.Env
	}
	k := &Kit{
		Recorder: newRecorder(o), Journal: o.Journal, Clock: o.Clock, Shared: o.Shared, Hide: o.Hide,
		Dir: o.Dir, Env: o.Env, Bare: o.Bare, exec: o.Exec, workers: o.Workers, terms: o.Terms,
	}
	k.relay = &relay{memory: k.Recorder, settle: o.Journal.Settle}
	if o.Relay != nil {
		k.relay.Relay = &leaving{Relay: o.Relay, kit: k}
	}
	raise := k.raise(o.Raise)
	k.Desk = steer.NewDesk(o.Control, k.Recorder, raise, o.Hurry)
	k.heard = k.Desk.Heard
	return k
}

// BeforeLeaving has something done once before the run is left to another runner.
func (k *Kit) BeforeLeaving(do func(context.Context)) { k.leavers = append(k.leavers, do) }

// leaving is a relay that has done what comes before the run is left.
type leaving struct {
	Relay
	kit  *Kit
	done bool
}

func (l *leaving) Leave(next loop.Verdict, paused bool) (why string, yes bool) {
	if why, yes = l.Relay.Leave(next, paused); yes && !l.done {
		l.done = true // it stays so
		l.kit.leave()
		for _, do := range l.kit.leavers {
			do(context.Background())
		}
	}
	return why, yes
}

// raise takes over the terms after a limit was changed.
func (k *Kit) raise(change func(key, value string) (Terms, error)) func(key, value string) (loop.Limits, error) {
	if change == nil {
		return nil
	}
	return func(key, value string) (loop.Limits, error) {
		terms, err := change(key, value)
		if err == nil {
			k.termsMu.Lock()
			k.terms = terms
			k.termsMu.Unlock()
		}
		return terms.Limits, err
	}
}

// Terms are what the run is held to now: a person may have changed them.
func (k *Kit) Terms() Terms {
	k.termsMu.Lock()
	defer k.termsMu.Unlock()
	return k.terms
}

// Limits are what a live attempt must not exceed.
func (k *Kit) Limits() loop.Limits { return k.Terms().Limits }

// Facts are what is decided by: the state, and the outcome of an attempt if there
// is one.
func (k *Kit) Facts(o *loop.Outcome) loop.Facts {
	return loop.Facts{State: k.State(), Outcome: o, Now: k.Now(), Asked: k.Desk.Asked(), Noted: k.noted(), Hurry: k.Desk.Hurried()}
}

// Decide asks the rules about an outcome; with none, whether to go on.
func (k *Kit) Decide(o *loop.Outcome) loop.Verdict { return k.decideBy(k.Facts(o)) }

func (k *Kit) decideBy(f loop.Facts) loop.Verdict {
	return loop.Decide(f, k.Terms().Rules)
}

// TimeLeft is how long the run may still last; for long when it has no limit.
func (k *Kit) TimeLeft() time.Duration {
	most := k.Limits().Time.Duration()
	if most <= 0 {
		return slice
	}
	return max(0, most-k.Facts(nil).Live())
}

// Exec runs a process, and warns of what is wrong with the running. What a resume goes by
// is on the disk by then.
func (k *Kit) Exec(ctx context.Context, s proc.Spec) (loop.Exit, error) {
	k.Journal.SettleAll()
	return k.run(ctx, s)
}

func (k *Kit) run(ctx context.Context, s proc.Spec) (loop.Exit, error) {
	s.Warn = func(w loop.Warning) { k.Warn("process "+w.Text, w) }
	return k.exec(ctx, s)
}

// UntilStopped is a context for what runs in an attempt: it ends when a person
// wants the run stopped at once, or when its time is over. The function that comes
// with it says that the work is done.
func (k *Kit) UntilStopped(ctx context.Context) (context.Context, func()) {
	return k.until(ctx, k.Desk.AtOnce())
}

// UntilAsked is the same for what comes before the first iteration: there is none
// to finish, so any wish to stop ends it.
func (k *Kit) UntilAsked(ctx context.Context) (context.Context, func()) {
	return k.until(ctx, k.Desk.Stopping())
}

func (k *Kit) until(ctx context.Context, wish <-chan struct{}) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := k.watch(wish, cancel)
	unguard := k.relay.guard(ctx, cancel)
	return ctx, func() {
		unguard()
		stop()
		cancel(nil)
	}
}

// watch cancels at a wish, or when the run's time is over. The function it returns
// ends the watching.
func (k *Kit) watch(wish <-chan struct{}, cancel context.CancelCauseFunc) func() {
	stopClock := k.WatchTime(cancel)
	stopWish := onWish(wish, cancel)
	return func() {
		stopClock()
		stopWish()
	}
}

// onWish cancels at a wish. The function it returns ends the watching.
func onWish(wish <-chan struct{}, cancel context.CancelCauseFunc) func() {
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		select {
		case <-wish:
			cancel(proc.End(loop.OnRequest))
		case <-done:
		}
	})
	return func() {
		close(done)
		wg.Wait()
	}
}

// UntilPushed is a context for what comes after the end of a run: it ends when a
// person wants from now on that it stops at once. The run's time, and what was
// wished before, do not count.
func (k *Kit) UntilPushed(ctx context.Context) (context.Context, func()) {
	select {
	case <-k.Desk.Pushed():
	default:
	}
	ctx, cancel := context.WithCancelCause(ctx)
	stop := onWish(k.Desk.Pushed(), cancel)
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

// lastLook is how long git may go on when the run is to stop at once. What an agent
// did is worth a moment; but git may wait for a pipe that the agent put in the
// place of a file, for ever.
const lastLook = 3 * time.Second

// ForGit is a context for git at the work tree. The function that comes with it
// says that git is done.
func (k *Kit) ForGit(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	over := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		select {
		case <-over:
			return
		case <-k.Desk.AtOnce():
		}
		timer := time.NewTimer(lastLook)
		defer timer.Stop()
		select {
		case <-over:
		case <-timer.C:
			cancel(proc.End(loop.OnRequest))
		}
	})
	return ctx, func() {
		close(over)
		wg.Wait()
		cancel(nil)
	}
}

// WatchTime ends what runs when the run's time is over. It looks again and again,
// for a person may change the limit meanwhile.
func (k *Kit) WatchTime(cancel context.CancelCauseFunc) (stop func()) {
	var mu sync.Mutex
	over, stopTimer := false, func() {}
	var arm func()
	arm = func() {
		mu.Lock()
		defer mu.Unlock()
		if over {
			return
		}
		left := slice
		if most := k.Limits().Time.Duration(); most > 0 {
			left = min(left, most-k.Facts(nil).Live())
		}
		if left <= 0 {
			cancel(proc.End(loop.OnMaxTime))
			return
		}
		stopTimer = k.Clock.AfterFunc(left, arm)
	}
	arm()
	return func() {
		mu.Lock()
		defer mu.Unlock()
		over = true
		stopTimer()
	}
}
