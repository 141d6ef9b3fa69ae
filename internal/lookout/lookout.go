package lookout

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/carry"
	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

// Lookout is where somebody stands who looks at a fleet.
type Lookout struct {
	service  fleet.Service
	glimpses Glimpses

	mu   sync.Mutex
	runs map[string]*Run // by id
	err  error           // what is wrong with the fleet itself
}

// Glimpses are where the records of runs come from, as carry.Glimpses.
type Glimpses interface {
	See(context.Context, carry.Sight) (*carry.Glimpse, error)
	Files(context.Context, carry.Sight) error
}

// New looks at a fleet, and keeps what is seen with the glimpses.
func New(service fleet.Service, g Glimpses) *Lookout {
	return &Lookout{service: service, glimpses: g, runs: map[string]*Run{}}
}

// Run is a run of the fleet. It stays the same while what is known of it changes.
type Run struct {
	of *Lookout

	mu      sync.Mutex
	row     fleet.Row
	glimpse *carry.Glimpse // nil: it has no records yet, or nobody can see them
	found   string         // what the fleet said that its ref is at, when that was seen
	err     error          // why there are none, or none that are newer
	asked   time.Time      // the remote itself
	blind   int            // so often in a row there was nothing to see of its end
	looking sync.Mutex     // whoever looks at the remote
}

// Find is the run that a person means, with its records as they are now.
func (l *Lookout) Find(ctx context.Context, word string) (*Run, error) {
	row, err := l.service.Find(ctx, word)
	if err != nil {
		return nil, err
	}
	return l.Look(ctx, row), nil
}

// Look is the run of a row, with its records as they are now.
func (l *Lookout) Look(ctx context.Context, row fleet.Row) *Run {
	r := l.know(row)
	r.look(ctx, time.Now())
	return r
}

// know notes what the fleet says of a run.
func (l *Lookout) know(row fleet.Row) *Run {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.runs[row.ID]
	if r == nil {
		r = &Run{of: l}
		l.runs[row.ID] = r
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.row = row
	return r
}

// askAgain is how often the remote itself is asked what a ref is at that somebody is at:
// the fleet may not have heard of it yet.
const askAgain = 10 * time.Second

// look brings the records up to date. A remote that knows nothing newer costs nothing.
func (r *Run) look(ctx context.Context, now time.Time) {
	r.looking.Lock()
	defer r.looking.Unlock()
	r.mu.Lock()
	row, found, asked := r.row, r.found, r.asked
	r.mu.Unlock()
	at := row.At
	switch {
	case at == "" || row.Live && now.Sub(asked) >= askAgain:
		if at == "" && !asked.IsZero() && now.Sub(asked) < askAgain {
			return
		}
		at, asked = "", now
	case found == at:
		return
	}
	next, err := r.of.glimpses.See(ctx, carry.Sight{Remote: row.Remote, ID: row.ID, At: at})
	if ctx.Err() != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if next != nil {
		r.glimpse = next
	}
	if err == nil {
		r.found = row.At
	}
	r.err, r.asked = err, asked
}

// Files brings what the checkpoints of the run hold, so that its changes can be shown.
func (r *Run) Files(ctx context.Context) error {
	row := r.Row()
	return r.of.glimpses.Files(ctx, carry.Sight{Remote: row.Remote, ID: row.ID})
}

// pace is how often the fleet is asked for what is new.
const pace = 2 * time.Second

// Keep has one run looked at again and again until ctx is done or nobody goes on with it.
// What is wrong meanwhile is with the run (Trouble), and may pass.
func (l *Lookout) Keep(ctx context.Context, r *Run) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pace):
		}
		row, err := l.renew(ctx, r)
		if err == nil && Over(row) && (r.whole() || r.givenUp()) {
			return
		}
	}
}

// mostBlind is how often in a row there may be nothing to see of the end of a run: its
// ref may be gone for good, and nobody makes another.
const mostBlind = 5

// givenUp tells whether nobody waits any more for what the run has left.
func (r *Run) givenUp() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.blind >= mostBlind
}

// renew asks the fleet about a run, and then looks at it.
func (l *Lookout) renew(ctx context.Context, r *Run) (fleet.Row, error) {
	row, err := l.service.Find(ctx, r.Row().ID)
	if err != nil {
		if ctx.Err() == nil {
			r.note(err)
		}
		return row, err
	}
	l.know(row)
	r.look(ctx, time.Now())
	r.mu.Lock()
	defer r.mu.Unlock()
	if !Over(row) || r.glimpse != nil && r.found == row.At {
		r.blind = 0
	} else {
		r.blind++
	}
	return row, nil
}

// note says why nothing new is known.
func (r *Run) note(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err = err
}

// whole tells whether all that the fleet knows of is seen.
func (r *Run) whole() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.found == r.row.At
}

// Await waits until a run has records. It is false when ctx is done before, or the run is
// over and has left none.
func (l *Lookout) Await(ctx context.Context, r *Run) bool {
	for {
		if _, ok := r.Store(); ok {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(pace):
		}
		if row, err := l.renew(ctx, r); err == nil && Over(row) && r.givenUp() {
			_, ok := r.Store()
			return ok
		}
	}
}

// most is how many runs are looked at on their remotes at once.
const most = 8

// KeepAll has all runs looked at again and again until ctx is done: those that are under
// way, and the latest of those that are over.
func (l *Lookout) KeepAll(ctx context.Context, over int) {
	for ctx.Err() == nil {
		err := l.lookAll(ctx, over)
		l.mu.Lock()
		l.err = err
		l.mu.Unlock()
		select {
		case <-ctx.Done():
		case <-time.After(pace):
		}
	}
}

func (l *Lookout) lookAll(ctx context.Context, over int) error {
	rows, err := l.service.List(ctx, fleet.Filter{})
	if err != nil {
		return err
	}
	ended, err := l.service.List(ctx, fleet.Filter{Over: true, Most: over})
	if err != nil {
		return err
	}
	for _, row := range ended {
		if !slices.ContainsFunc(rows, func(r fleet.Row) bool { return r.ID == row.ID }) {
			rows = append(rows, row)
		}
	}
	known := map[string]bool{}
	room := make(chan struct{}, most)
	var wg sync.WaitGroup
	for _, row := range rows {
		known[row.ID] = true
		r := l.know(row)
		room <- struct{}{}
		wg.Go(func() {
			defer func() { <-room }()
			r.look(ctx, time.Now())
		})
	}
	wg.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	for id := range l.runs {
		if !known[id] {
			delete(l.runs, id)
		}
	}
	return nil
}

// Runs are all that are known, the newest first.
func (l *Lookout) Runs() []*Run {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := make([]*Run, 0, len(l.runs))
	for _, r := range l.runs {
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b *Run) int { return b.Row().StartedAt.Compare(a.Row().StartedAt) })
	return list
}

// Row is what the fleet said last.
func (r *Run) Row() fleet.Row {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.row
}

// Trouble is why nothing newer is seen than what is; nil: nothing is wrong.
func (r *Run) Trouble() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var unknown *carry.UnknownError
	if errors.As(r.err, &unknown) && r.glimpse == nil {
		return nil // it has not begun
	}
	return r.err
}

// Over tells whether nobody in the fleet goes on with a run. One that waits for a person
// may.
func Over(row fleet.Row) bool {
	waits := row.State == loop.Parked || row.State == fleet.Failed && row.EndedAt.IsZero()
	return row.State == fleet.Carried || row.State.Ended() && !waits
}

// Store is where the records of the run are; false where there are none.
func (r *Run) Store() (journal.Store, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.glimpse == nil {
		return journal.Store{}, false
	}
	return journal.HeldBy(r.glimpse.Store, r.holder), true
}

// Name is what the run is called in its records.
func (r *Run) Name() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.glimpse == nil {
		return ""
	}
	return r.glimpse.Name
}

// holder is who has the run: the fleet, until it is over and its end has come to be seen.
// Orders go there.
func (r *Run) holder() (journal.Holder, bool) {
	row := r.Row()
	return journal.Holder{Run: r.Name(), Host: row.Worker}, !Over(row) || !r.whole() && !r.givenUp()
}
