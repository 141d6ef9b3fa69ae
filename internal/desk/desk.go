package desk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/git"
)

// Options say whose desk it is, and what may lie on it.
type Options struct {
	Root   string   // a folder of its own; it is made
	Worker string   // the worker's name in the fleet
	Host   string   // the queue that only this worker listens to; empty: host/WORKER
	Trust  []string // patterns of the remotes whose runs are done; none: no run is

	Version  string
	MostLost int           // how often runners may die on one iteration; 0: 20
	Cut      time.Duration // how long a remote that cannot be reached is waited for; 0: ten minutes
	Keep     time.Duration // how long the work tree of a run that waits is kept; 0: a week
}

// Desk has a worker's legs.
type Desk struct {
	Options
	lock *flock.Flock

	mirrors sync.Map // a lock for each
	mu      sync.Mutex
	live    map[string]*leg // by the id of the run
	leaving bool

	due  chan struct{} // has one when it is time to look for what nobody needs
	stop func()        // ends that, and waits for it
}

var _ fleet.Legs = (*Desk)(nil)

// The usual.
const (
	usualLost = 20
	usualCut  = 10 * time.Minute
	usualKeep = 7 * 24 * time.Hour
	// usualPatience is how long a leg waits for a time to come, or for a person.
	usualPatience = 2 * time.Minute
	usualLease    = time.Minute
)

// New makes the desk of a worker, and has its folder for itself. It is a *BusyError
// where another worker has that.
func New(o Options) (*Desk, error) {
	o.Host, o.MostLost = cmp.Or(o.Host, "host/"+o.Worker), cmp.Or(o.MostLost, usualLost)
	o.Cut, o.Keep = cmp.Or(o.Cut, usualCut), cmp.Or(o.Keep, usualKeep)
	root, err := filepath.Abs(o.Root)
	if err != nil {
		return nil, err
	}
	for _, dir := range []string{"mirrors", "runs"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o700); err != nil {
			return nil, fmt.Errorf("make a place for the runs of a worker: %w", err)
		}
	}
	if o.Root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, err
	}
	d := &Desk{Options: o, lock: flock.New(filepath.Join(o.Root, "lock")), live: map[string]*leg{}, due: make(chan struct{}, 1)}
	ours, err := d.lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock the folder of a worker: %w", err)
	}
	if !ours {
		return nil, &BusyError{Root: o.Root}
	}
	if err := identified(o.Root); err != nil {
		return nil, errors.Join(err, d.lock.Close())
	}
	d.sweepMeanwhile()
	return d, nil
}

// sweepMeanwhile begins to look for what nobody needs any more, until Close.
func (d *Desk) sweepMeanwhile() {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { d.sweeping(ctx) })
	d.stop = func() { cancel(); wg.Wait() }
}

// identified is an *UnnamedError where git does not know whose the commits of a worker
// would be: each run would come as far as its first one.
func identified(root string) error {
	_, err := git.At(root).Run(context.Background(), "var", "GIT_COMMITTER_IDENT")
	var failed *git.Error
	if errors.As(err, &failed) && !git.Killed(err) {
		return &UnnamedError{}
	}
	return err
}

// Close gives the folder back. No leg may be live.
func (d *Desk) Close() error {
	d.stop()
	return d.lock.Close()
}

// Run does one leg.
func (d *Desk) Run(ctx context.Context, t fleet.Turn, h fleet.Hooks) (fleet.Standing, error) {
	if err := d.allows(t.Spec.Remote); err != nil {
		return fleet.Standing{}, err
	}
	if !isRun(t.Spec.ID) {
		return fleet.Standing{}, &fleet.UnknownError{What: fmt.Sprintf("%q is not the id of a run", t.Spec.ID), Do: "submit it again"}
	}
	l := newLeg(d, t, h)
	if ok, err := d.enter(ctx, l); !ok {
		return l.stands(fleet.Standing{Taken: true, Leg: t.Leg, Why: "a later leg of it is here"}), err
	}
	defer d.exit(l)
	defer context.AfterFunc(ctx, func() { l.leave("it is to be left", true) })()
	out, err := l.run(ctx)
	d.sweepNow(context.WithoutCancel(ctx), l, out, err)
	return out, err
}

// enter makes a leg the live one of its run. An earlier one that is still live here has
// lost it, and is waited for.
func (d *Desk) enter(ctx context.Context, l *leg) (bool, error) {
	for {
		d.mu.Lock()
		before := d.live[l.ID]
		switch {
		case before == nil:
			d.live[l.ID] = l
			leaving := d.leaving
			d.mu.Unlock()
			if leaving {
				l.leave(workerLeaves, false)
			}
			return true, nil
		case before.Leg >= l.Leg && before.Leg > 0:
			d.mu.Unlock()
			return false, nil
		}
		d.mu.Unlock()
		before.overtake()
		select {
		case <-before.done:
		case <-ctx.Done():
			return false, context.Cause(ctx)
		}
	}
}

func (d *Desk) exit(l *leg) {
	d.mu.Lock()
	delete(d.live, l.ID)
	d.mu.Unlock()
	l.deafen()
	l.control.End()
	close(l.done)
}

// Live is how many legs there are.
func (d *Desk) Live() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := 0
	for _, l := range d.live {
		if l.Leg > 0 { // else it is only cleared
			n++
		}
	}
	return n
}

// workerLeaves is why a leg is left when its worker is.
const workerLeaves = "the worker leaves"

// Leave has every leg left to others, also those that come.
func (d *Desk) Leave(now bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.leaving = true
	for _, l := range d.live {
		l.leave(workerLeaves, now)
	}
}

// Tell hands an order to a live leg.
func (d *Desk) Tell(ctx context.Context, run string, leg int, o fleet.Order) (fleet.Answer, error) {
	d.mu.Lock()
	l := d.live[run]
	d.mu.Unlock()
	if l == nil || l.Leg != leg {
		return fleet.Answer{}, notLive(run, leg, d.Worker)
	}
	return l.tell(ctx, o)
}

func notLive(run string, leg int, worker string) error {
	return &fleet.UnknownError{What: fmt.Sprintf("leg %d of %s is not live on %s", leg, run, worker), Do: "say it again: the run may be between two legs"}
}

// command is an order as a live run takes it. What takes effect only after an iteration,
// or when an agent has ended and its work was kept, is answered when it is taken: the
// fleet does not wait for so long.
func command(o fleet.Order) app.Command {
	late := slices.Contains([]string{"pause", "stop", "stop_now", "skip", "park", "reboot"}, o.Command)
	return app.Command{Name: o.Command, Text: o.Text, Key: o.Key, Value: o.Value, Question: o.Question, NoWait: late}
}

// UnnamedError says that git does not know whose commits those of a worker would be.
type UnnamedError struct{}

func (*UnnamedError) Error() string {
	return "git does not know whose commits those of this worker would be"
}

// Hint says what to do.
func (*UnnamedError) Hint() string {
	return `tell it with "git config --global user.name NAME" and "git config --global user.email ADDRESS"`
}

// BusyError says that another worker has a folder.
type BusyError struct{ Root string }

func (e *BusyError) Error() string { return "another worker is at work in " + e.Root }

// Hint says what to do.
func (e *BusyError) Hint() string { return "give each worker a folder of its own: --root" }

// hint is what an error says about what to do.
func hint(err error) string {
	var h interface{ Hint() string }
	if errors.As(err, &h) {
		return h.Hint()
	}
	return ""
}
