package checkpoint

import (
	"context"
	"slices"

	"github.com/refrain-loop/refrain/internal/glob"
)

// Pin names files that are to be as they were at a first checkpoint: tests,
// say, that an agent must not bend. The patterns are those of glob.Parse,
// from the work tree on.
type Pin struct {
	Patterns []string
	First    Checkpoint
}

// Pinned lists the pinned files that are not as they were at first: changed,
// deleted or new. They are sorted.
func (s *Store) Pinned(ctx context.Context, now Checkpoint, pin Pin) ([]string, error) {
	if err := s.needGit("compare pinned files"); err != nil {
		return nil, err
	}
	edits, err := s.unpinned(ctx, now, pin)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, e := range edits {
		paths = append(paths, e.path)
	}
	slices.Sort(paths)
	return paths, nil
}

// unpinned is what has to happen to pinned files so that they are as at first.
func (s *Store) unpinned(ctx context.Context, now Checkpoint, pin Pin) ([]edit, error) {
	patterns, err := glob.Parse(pin.Patterns)
	if err != nil || len(patterns) == 0 {
		return nil, err
	}
	edits, err := s.edits(ctx, now.Tree, pin.First.Tree, "--no-renames")
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(edits, func(e edit) bool { return !patterns.Match(e.path) }), nil
}

// PinnedTree is the tree of a checkpoint with the pinned files as at first.
func (s *Store) PinnedTree(ctx context.Context, to Checkpoint, pin Pin) (string, error) {
	edits, err := s.unpinned(ctx, to, pin)
	if err != nil {
		return "", err
	}
	var patches []Patch
	for _, e := range edits {
		p := Patch{Path: s.tree.Prefix() + e.path}
		if e.change != deleted {
			p.File = File{e.mode, e.object}
		}
		patches = append(patches, p)
	}
	return s.Trees().With(ctx, to.Tree, patches)
}
