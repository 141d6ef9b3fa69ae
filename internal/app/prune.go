package app

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

// KeptTree is a work tree that was not removed, and why.
type KeptTree struct {
	Dir string `json:"dir"`
	Why string `json:"why"`
}

// PruneWorktrees removes the work trees that runs were given of their own and
// that nobody needs any more: all their work is merged, and no run in them can go
// on. With all, these two do not matter, and branches that are not merged stay.
// One with a live run, or with files that are not committed, is never removed.
func PruneWorktrees(ctx context.Context, runs journal.Store, all, dry bool) (removed []string, kept []KeptTree, err error) {
	removed, kept = []string{}, []KeptTree{}
	tree, err := git.Open(ctx, runs.Tree, nil)
	if err != nil || !tree.Git() {
		return removed, kept, err
	}
	list, err := tree.Worktrees().List(ctx)
	if err != nil {
		return nil, nil, err
	}
	entries, _, err := runs.List()
	if err != nil {
		return nil, nil, err
	}
	for _, w := range list {
		if within(w.Dir, runs.Tree) {
			continue // somebody stands in it
		}
		why := needed(runs, entries, w, all)
		if why == "" && !dry {
			why = dropWorktree(ctx, tree, runs, w, all)
		}
		switch {
		case ctx.Err() != nil:
			return nil, nil, context.Cause(ctx)
		case why != "":
			kept = append(kept, KeptTree{Dir: w.Dir, Why: why})
		default:
			removed = append(removed, w.Dir)
		}
	}
	return removed, kept, nil
}

// needed says why a work tree must stay, empty when it need not.
func needed(runs journal.Store, entries []journal.Entry, w git.Worktree, all bool) string {
	resumable := ""
	for _, e := range entries {
		if !within(w.Dir, e.Tree) {
			continue
		}
		switch status := runs.Status(e); {
		case !status.Ended():
			return e.Name + " is live in it"
		case status != loop.Done:
			resumable = e.Name + " can be resumed in it"
		}
	}
	if _, held := runs.At(w.Work).Holder(); held {
		return "a run is live in it"
	}
	if all {
		w.Unmerged, resumable = 0, "" // its commits stay on the branch
	}
	if unsaved := w.Unsaved(); unsaved != "" || w.Gone {
		return unsaved
	}
	return resumable
}

// dropWorktree removes a work tree while it holds its lock, so that no run
// begins in it, or says why it could not.
func dropWorktree(ctx context.Context, tree *git.Tree, runs journal.Store, w git.Worktree, unmerged bool) string {
	lock, err := runs.At(w.Work).Lock(holder(""))
	var held *journal.HeldError
	switch {
	case errors.As(err, &held):
		return "a run is live in it"
	case err != nil:
		return err.Error()
	}
	defer func() { _ = lock.Unlock() }() // the system lets go of it in any case
	if err := tree.Worktrees().Remove(ctx, w, unmerged); err != nil {
		var kept *git.KeptError
		if errors.As(err, &kept) { // somebody was at work meanwhile
			return kept.Worktree.Unsaved()
		}
		return err.Error()
	}
	return ""
}

// within tells whether a folder is another, or somewhere below it.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
