package checkpoint

import (
	"context"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
)

// maxPaths is how many paths Changes names. It counts them all.
const maxPaths = 5000

// What can happen to a file.
const (
	created  = "created"
	modified = "modified"
	deleted  = "deleted"
	renamed  = "renamed"
	modeOnly = "mode" // whether it may be executed
)

// Changes tells what happened between two checkpoints to the files of the work
// tree that count, and how many commits were made. A renamed file counts as
// modified, neither created nor deleted. Paths are sorted.
func (s *Store) Changes(ctx context.Context, before, after Checkpoint) (loop.Changes, error) {
	if !s.tree.Git() {
		return s.listChanges(before, after), nil
	}
	edits, err := s.edits(ctx, before.Tree, after.Tree, "-M")
	if err != nil {
		return loop.Changes{}, err
	}
	if edits, err = s.countable(ctx, before.Tree, after.Tree, edits); err != nil {
		return loop.Changes{}, err
	}
	changes := sum(s.addWatched(edits, before.facts, after.facts))
	changes.Commits, err = s.commitsBetween(ctx, before.facts, after.facts)
	return changes, err
}

// Net counts what differs between two checkpoints: files and lines, without
// naming them, and without commits.
func (s *Store) Net(ctx context.Context, before, after Checkpoint) (loop.Changes, error) {
	if !s.tree.Git() {
		c := s.listChanges(before, after)
		c.Paths = nil
		return c, nil
	}
	edits, err := s.edits(ctx, before.Tree, after.Tree, "-M")
	if err == nil {
		edits, err = s.countable(ctx, before.Tree, after.Tree, edits)
	}
	if err != nil {
		return loop.Changes{}, err
	}
	c := sum(s.addWatched(edits, before.facts, after.facts))
	c.Paths = nil
	return c, nil
}

// Signals tells in what changes show progress, nil when there are none.
func Signals(c loop.Changes) []loop.Signal {
	var seen []loop.Signal
	if c.Created+c.Modified+c.Deleted > 0 {
		seen = append(seen, loop.InFiles)
	}
	if c.Commits > 0 {
		seen = append(seen, loop.InCommits)
	}
	return seen
}

// sum counts edits and names them.
func sum(edits []edit) loop.Changes {
	var c loop.Changes
	for _, e := range edits {
		switch e.change {
		case created:
			c.Created++
		case deleted:
			c.Deleted++
		default:
			c.Modified++
		}
		c.LinesAdded += e.added
		c.LinesRemoved += e.removed
		c.Paths = append(c.Paths, loop.PathChange{Path: e.path, Change: e.change, From: e.from})
	}
	slices.SortFunc(c.Paths, func(a, b loop.PathChange) int { return strings.Compare(a.Path, b.Path) })
	c.Paths = c.Paths[:min(len(c.Paths), maxPaths)]
	return c
}

// countable leaves out what does not count. Where a file was renamed from or to
// a name that does not count, the other half is a file that came or went, and
// has other lines than the rename.
func (s *Store) countable(ctx context.Context, before, after string, edits []edit) ([]edit, error) {
	halves := map[string]bool{}
	kept := edits[:0]
	for _, e := range edits {
		counts, fromCounts := !s.tree.Skips(e.path), e.from != "" && !s.tree.Skips(e.from)
		switch {
		case e.change != renamed && counts, counts && fromCounts:
			kept = append(kept, e)
		case e.change != renamed:
		case counts:
			halves[e.path] = true
		case fromCounts:
			halves[e.from] = true
		}
	}
	if len(halves) == 0 {
		return kept, nil
	}
	whole, err := s.edits(ctx, before, after, "--no-renames")
	if err != nil {
		return nil, err
	}
	for _, e := range whole {
		if halves[e.path] {
			kept = append(kept, e)
		}
	}
	return kept, nil
}

// addWatched adds what happened to files and repositories that were only
// watched. A file that was kept once and skipped then, or the reverse, was
// modified, whatever the trees say.
func (s *Store) addWatched(edits []edit, before, after facts) []edit {
	was, is := s.watched(before), s.watched(after)
	at := map[string]int{}
	for i, e := range edits {
		at[e.path] = i
	}
	add := func(path, change string) {
		i, found := at[path]
		switch {
		case s.tree.Skips(path):
		case !found:
			edits = append(edits, edit{path: path, change: change})
		case edits[i].change != change:
			edits[i] = edit{path: path, change: modified}
		}
	}
	for path, stamp := range was {
		now, still := is[path]
		switch {
		case !still:
			add(path, deleted)
		case now != stamp:
			add(path, modified)
		}
	}
	for path := range is {
		if _, before := was[path]; !before {
			add(path, created)
		}
	}
	return edits
}

// watched is what is known of everything that is watched, by its path in the
// work tree.
func (s *Store) watched(f facts) map[string]string {
	all := map[string]string{}
	for _, skipped := range f.Skipped {
		if rel, below := s.below(string(skipped.Path)); below {
			all[rel] = skipped.Stamp
		}
	}
	for _, n := range f.Nested {
		if rel, below := s.below(string(n.Path)); below {
			all[rel] = n.Print
		}
	}
	return all
}
