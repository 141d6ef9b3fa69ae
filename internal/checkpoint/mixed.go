package checkpoint

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// With is a checkpoint like now in which some files are what they were at another
// one, and others hold what the patches say; paths are from the work tree on. The
// work tree has not been like that, so it is not the store's last one: it is there
// to be restored.
func (s *Store) With(ctx context.Context, now, other Checkpoint, paths []string, also ...Patch) (Checkpoint, error) {
	if err := s.needGit("put single files back"); err != nil {
		return Checkpoint{}, err
	}
	there, err := s.trees.Paths(ctx, other.Tree)
	if err != nil {
		return Checkpoint{}, err
	}
	var patches []Patch
	meant := map[string]bool{}
	for _, rel := range paths {
		name := s.tree.Prefix() + rel
		patches = append(patches, Patch{Path: name, File: there[name]})
		meant[name] = true
	}
	for _, p := range also {
		p.Path = s.tree.Prefix() + p.Path
		patches = append(patches, p)
	}
	tree, err := s.trees.With(ctx, now.Tree, patches)
	if err != nil {
		return Checkpoint{}, err
	}
	f := now.facts
	f.Modes = slices.DeleteFunc(slices.Clone(f.Modes), func(m oddMode) bool { return meant[string(m.Path)] })
	for _, m := range other.facts.Modes {
		if meant[string(m.Path)] {
			f.Modes = append(f.Modes, m)
		}
	}
	f = f.sorted()
	message, err := json.Marshal(f)
	if err != nil {
		return Checkpoint{}, fmt.Errorf("write a checkpoint: %w", err)
	}
	id, err := s.repo.put("commit", commitText(tree, now.ID, message, time.Now()))
	if err != nil {
		return Checkpoint{}, fmt.Errorf("write a checkpoint: %w", err)
	}
	return s.describe(id, tree, f), nil
}
