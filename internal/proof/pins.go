package proof

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/glob"
)

// changedPins is every pinned file that differs from when the run began.
func (j *Judge) changedPins(ctx context.Context, at checkpoint.Checkpoint) ([]string, error) {
	var list []string
	for _, g := range j.Gates {
		pins, err := j.pinned(ctx, at, g)
		if err != nil {
			return nil, err
		}
		list = append(list, pins...)
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// pinned is the pinned files of a gate that differ: by the checkpoint, or where
// there are none, by what agents have done to them.
func (j *Judge) pinned(ctx context.Context, at checkpoint.Checkpoint, g Gate) ([]string, error) {
	switch {
	case len(g.Pin) == 0:
		return nil, nil
	case j.Store == nil || !j.Store.CanRestore():
		patterns, err := glob.Parse(g.Pin)
		if err != nil {
			return nil, err
		}
		return slices.DeleteFunc(j.spoiled(), func(name string) bool { return !patterns.Match(name) }), nil
	case j.First == nil:
		return nil, fmt.Errorf("the pinned files of gate %s cannot be compared: the first checkpoint is not known", g.Name())
	}
	list, err := j.Store.Trees().Pinned(ctx, at, checkpoint.Pin{Patterns: g.Pin, First: *j.First})
	if err != nil {
		return nil, fmt.Errorf("compare the pinned files of gate %s: %w", g.Name(), err)
	}
	return list, nil
}

// beyond is pinned files that agents have changed and that no checkpoint has:
// git ignores them, so nothing can put them back for a proof.
func (j *Judge) beyond(kept []string) []string {
	return slices.DeleteFunc(j.spoiled(), func(name string) bool { return slices.Contains(kept, name) })
}

// spoiled names the pinned files that agents have changed.
func (j *Judge) spoiled() []string { return slices.Sorted(maps.Keys(j.Spoiled)) }

// Pins is every pattern that a gate pins.
func (j *Judge) Pins() []string {
	var list []string
	for _, g := range j.Gates {
		list = append(list, g.Pin...)
	}
	return list
}
