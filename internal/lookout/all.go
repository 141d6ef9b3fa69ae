package lookout

import (
	"context"

	"github.com/refrain-loop/refrain/internal/control"
	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/view"
)

// What follows is all runs together, as a face has them that shows every run of somewhere.

// Stores are the records of all runs, each in a store of its own. The error says why nobody
// knows which runs there are.
func (l *Lookout) Stores() ([]journal.Store, error) {
	var list []journal.Store
	for _, r := range l.Runs() {
		if s, ok := r.Store(); ok {
			list = append(list, s)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.runs) > 0 {
		return list, nil // as they were
	}
	return list, l.err
}

// Coming are the runs that have no records yet.
func (l *Lookout) Coming() []*view.Run {
	var list []*view.Run
	for _, r := range l.Runs() {
		if _, ok := r.Store(); !ok {
			list = append(list, r.Blank())
		}
	}
	return list
}

// View is what is shown of a run that is in a store.
func (l *Lookout) View(store journal.Store, entry journal.Entry) *view.Run {
	if r := l.of(entry.ID); r != nil {
		return r.View(store, entry)
	}
	return history.LookNow(store, entry) // the fleet has just forgotten it
}

// Do hands an order to a run that is in a store.
func (l *Lookout) Do(ctx context.Context, store journal.Store, run string, c control.Command) (control.Answer, error) {
	entry, err := store.Load(run)
	if err != nil {
		return control.Answer{}, err
	}
	r := l.of(entry.ID)
	if r == nil {
		return control.Answer{}, control.ErrNobody
	}
	return r.Do(ctx, c)
}

// Files brings what the checkpoints of a run hold that is in a store.
func (l *Lookout) Files(ctx context.Context, entry journal.Entry) error {
	if r := l.of(entry.ID); r != nil {
		return r.Files(ctx)
	}
	return control.ErrNobody
}

// of is a run by its id; nil where it is none of the fleet's.
func (l *Lookout) of(id string) *Run {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.runs[id]
}
