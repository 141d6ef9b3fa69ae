package app

import (
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/view"
)

// Look folds the journal of a run into what is shown of it. The first event,
// the last finished iteration and what follows it are enough.
func Look(store journal.Store, meta journal.Meta, past journal.Past) (*view.Run, error) {
	run := view.New()
	if past.Last != nil {
		first, err := store.First(meta.Name)
		if err != nil {
			return nil, err
		}
		run.Apply(first)
		run.Apply(*past.Last)
	}
	for _, e := range past.Tail {
		run.Apply(e)
	}
	return run, nil
}
