package app

import (
	"context"
	"sync"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/sandbox"
)

// watch sees that agents leave alone what they would act on in a later session.
type watch struct {
	guard *sandbox.Guard // nil: there is nothing to see to

	mu sync.Mutex
	n  int // agents at work
}

// begin notes what is there before an agent works. What it gives is called when the
// agent is gone.
func (w *watch) begin(ctx context.Context, warn func(loop.Warning)) (end func()) {
	if w.guard == nil {
		return func() {}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.n++; w.n == 1 {
		tellAll(warn, w.guard.Note(ctx))
	}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.n--; w.n == 0 {
			tellAll(warn, w.guard.PutBack(context.WithoutCancel(ctx)))
		}
	}
}

// end puts back what an agent changed whose runner was killed.
func (w *watch) end(ctx context.Context, warn func(loop.Warning)) {
	if w.guard != nil {
		tellAll(warn, w.guard.PutBack(ctx))
	}
}

func tellAll(warn func(loop.Warning), list []loop.Warning) {
	for _, w := range list {
		if warn != nil {
			warn(w)
		}
	}
}
