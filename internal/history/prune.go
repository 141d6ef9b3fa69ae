package history

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/pool"
	"github.com/refrain-loop/refrain/internal/project"
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
		if inside(w.Dir, runs.Tree) {
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
		if !inside(w.Dir, e.Tree) {
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
	lock, err := runs.At(w.Work).Lock(journal.Self("", ""))
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

// leftBehind is when what a check needs for itself is taken for forgotten by one
// that was killed.
const leftBehind = time.Hour

// PruneLeftovers removes what somebody who was killed has left: the records of
// checks, and clean checkouts of which nobody has the records any more. What runs
// shared and none needs any more goes too; it is no folder to be told of.
func PruneLeftovers(runs journal.Store, dry bool) ([]string, error) {
	found, err := leftovers(runs)
	if err != nil || dry {
		return found, err
	}
	for _, dir := range found {
		if err := errors.Join(checkpoint.RemoveTemporary(dir), files.RemoveTree(dir)); err != nil {
			return nil, err
		}
	}
	_, err = pool.Sweep(Pool(runs))
	return found, err
}

func leftovers(runs journal.Store) ([]string, error) {
	found := []string{}
	checks, err := folders(runs.Dir)
	if err != nil {
		return nil, err
	}
	for _, dir := range checks {
		info, err := os.Lstat(dir)
		if err == nil && strings.HasPrefix(filepath.Base(dir), "check-") && time.Since(info.ModTime()) > leftBehind {
			found = append(found, dir)
		}
	}
	built, err := project.Leftovers(runs.Dir)
	if err != nil {
		return nil, fmt.Errorf("look for leftovers: %w", err)
	}
	found = append(found, built...)
	for _, place := range proofPlaces() {
		proofs, err := folders(place)
		if err != nil {
			return nil, err
		}
		for _, dir := range proofs {
			if abandoned(dir, found) {
				found = append(found, dir)
			}
		}
	}
	return found, nil
}

// proofPlaces are where clean checkouts may be that are not with their records.
// Earlier versions had all of them in the user's cache.
func proofPlaces() []string {
	var list []string
	for _, dir := range ownTemporary() {
		if files.Own(dir) == nil {
			list = append(list, filepath.Join(dir, "proof"))
		}
	}
	if cache, err := os.UserCacheDir(); err == nil {
		list = append(list, filepath.Join(cache, "refrain", "proof"))
	}
	return list
}

func folders(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("look for leftovers: %w", err)
	}
	var list []string
	for _, e := range entries {
		if e.IsDir() {
			list = append(list, filepath.Join(dir, e.Name()))
		}
	}
	return list, nil
}

// maxOwner is more than the path of a folder has.
const maxOwner = 64 << 10

// abandoned tells whether a clean checkout names records that are gone, or will
// be: those of its run, or those that its files come from.
func abandoned(dir string, going []string) bool {
	// Earlier versions kept one checkout here, with its owner in its .git.
	for _, name := range []string{checkpoint.OwnerFile, ".git/" + checkpoint.OwnerFile, ".git/objects/info/alternates"} {
		text, err := files.ReadFile(context.Background(), filepath.Join(dir, filepath.FromSlash(name)), maxOwner)
		records := strings.TrimSpace(string(text))
		if err != nil || records == "" {
			continue
		}
		if _, err := os.Lstat(records); errors.Is(err, os.ErrNotExist) {
			return true
		}
		for _, other := range going {
			if inside(other, records) {
				return true
			}
		}
	}
	return false
}
