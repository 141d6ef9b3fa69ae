package app

import (
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/view"
)

// Look folds a run into what is shown of it. Its first event, the last finished
// iteration and what follows it are enough.
func Look(e journal.Entry) *view.Run {
	run := view.New()
	if e.Last != nil {
		run.Apply(e.First)
		run.Apply(*e.Last)
	}
	for _, event := range e.Tail {
		run.Apply(event)
	}
	run.Dir, run.Tampered, run.Unchecked = e.Dir, e.Tampered, e.Unchecked
	return run
}
