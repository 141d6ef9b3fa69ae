package history

import (
	"context"
	"slices"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

// Touched is a file that is not what it was before the run, and who changed it. Its
// JSON names are a promise to scripts.
type Touched struct {
	loop.PathChange
	Iterations []int    `json:"iterations,omitempty"` // that changed it
	Tasks      []string `json:"tasks,omitempty"`      // of the plan, which these ticked off
}

// Touched lists what the run came to, file by file: what is not as it was before,
// however often it was changed in between.
func (h *History) Touched(ctx context.Context) ([]Touched, error) {
	first, err := h.At(ctx, 0)
	if err != nil {
		return nil, err
	}
	here, err := h.Here(ctx)
	if err != nil {
		return nil, err
	}
	net, err := h.Kept.Changes(ctx, first, here)
	if err != nil {
		return nil, err
	}
	list := make([]Touched, len(net.Paths))
	by := map[string]*Touched{}
	for i, p := range net.Paths {
		list[i].PathChange = p
		by[p.Path] = &list[i]
		if p.From != "" {
			by[p.From] = &list[i]
		}
	}
	for e, err := range h.runs.Events(h.entry.Name, 0) {
		if err != nil {
			return nil, err
		}
		if f, ok := e.Payload.(*loop.IterationFinished); ok {
			h.credit(by, e, &f.Outcome)
		}
	}
	return list, nil
}

// credit notes which files an attempt has changed, and for which tasks.
func (h *History) credit(by map[string]*Touched, e loop.Event, o *loop.Outcome) {
	var paths []loop.PathChange
	if made, err := journal.ReadChanges(h.runs.AttemptDir(h.entry.Name, e.Iter, e.Attempt)); err == nil {
		paths = made.Changes.Paths
	} else if o.Changes != nil { // the first of them
		paths = o.Changes.Paths
	}
	for _, p := range paths {
		for _, name := range []string{p.Path, p.From} {
			t := by[name]
			if t == nil {
				continue
			}
			if !slices.Contains(t.Iterations, e.Iter) {
				t.Iterations = append(t.Iterations, e.Iter)
			}
			if o.Plan == nil {
				continue
			}
			for _, task := range o.Plan.Ticked {
				if !slices.Contains(t.Tasks, task) {
					t.Tasks = append(t.Tasks, task)
				}
			}
		}
	}
}

// Drop puts files of a run back as they were before it, and leaves all others as
// they are, if confirm agrees. What was there is kept as a checkpoint, as with
// RollBack, which can bring it back.
func (h *History) Drop(ctx context.Context, files []Touched, confirm func(loop.Changes) bool) (*Undone, error) {
	first, err := h.At(ctx, 0)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, f := range files {
		paths = append(paths, f.Path)
		if f.From != "" {
			paths = append(paths, f.From)
		}
	}
	return h.putBack(ctx, &loop.CheckpointRestored{Why: "a person dropped files of the run"}, confirm, func() (checkpoint.Checkpoint, error) {
		now, err := h.Kept.Checkpoint(ctx)
		if err != nil {
			return now, err
		}
		return h.Kept.With(ctx, now, first, paths)
	})
}
