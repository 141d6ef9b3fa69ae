package app

import (
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/view"
)

// Look folds the journal of a run into what is shown of it. The first event,
// the last finished iteration and what follows it are enough.
func Look(store journal.Store, meta journal.Meta, past journal.Past) (*view.Run, error) {
	run := view.New()
	for e, err := range store.Events(meta.Name, 0) {
		if err != nil {
			return nil, err
		}
		run.Apply(e)
		break
	}
	tail := past.Tail
	if past.Last != nil {
		run.Apply(*past.Last)
	} else if len(tail) > 0 {
		tail = tail[1:] // the first event, which is in the view already
	}
	for _, e := range tail {
		run.Apply(e)
	}
	return run, nil
}
