package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/repo"
)

func pruneCommand(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Delete the records of old runs",
		Long: "Delete the records of runs here that are over, except the latest ones, with their checkpoints. What\n" +
			"the agents did to your files is not touched. Runs that can still be resumed are kept unless\n" +
			"--resumable is given. Work trees made by \"run --worktree\" are removed when all of their work is\n" +
			"merged; others only with --worktrees, and then their branches stay.",
		Example: "  refrain prune --dry-run\n  refrain prune --keep 5 --older-than 720h",
		Args:    noArguments,
	}
	f := cmd.Flags()
	keep := f.Int("keep", 10, "keep this many of the latest runs")
	older := f.Duration("older-than", 0, "delete only runs that ended longer ago than this")
	resumable := f.Bool("resumable", false, "also delete runs that could be resumed")
	trees := f.Bool("worktrees", false, "also remove work trees of runs whose work is not merged; their branches stay")
	dry := f.Bool("dry-run", false, "show what would be deleted, and delete nothing")
	asJSON := addJSON(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *keep < 0 || *older < 0 {
			return usage("--keep and --older-than cannot be negative", "see \"refrain prune --help\"")
		}
		store, err := sh.store()
		if err != nil {
			return err
		}
		runs, err := prunable(store, *keep, *older, *resumable)
		if err != nil {
			return err
		}
		names := []string{}
		for _, e := range runs {
			names = append(names, e.Name)
			if *dry {
				continue
			}
			if err := store.Remove(e.Name); err != nil {
				return err
			}
			if err := app.DropProof(e); err != nil {
				return err
			}
		}
		removed, err := pruneWorktrees(cmd.Context(), store, *trees, *dry)
		if err != nil {
			return err
		}
		if *asJSON {
			return printJSON(sh.out, map[string]any{"deleted": names, "worktrees": removed, "dry_run": *dry})
		}
		word := "deleted"
		if *dry {
			word = "would delete"
		}
		for _, name := range names {
			fmt.Fprintln(sh.out, word, name)
		}
		for _, dir := range removed {
			fmt.Fprintln(sh.out, word, "work tree", dir)
		}
		if len(names)+len(removed) == 0 {
			fmt.Fprintln(sh.out, "nothing to delete")
		}
		return nil
	}
	return cmd
}

// prunable names the runs of this work tree that may go, the oldest first.
func prunable(store journal.Store, keep int, older time.Duration, resumable bool) ([]journal.Entry, error) {
	list, _, err := store.List()
	if err != nil {
		return nil, err
	}
	var here []journal.Entry
	for _, e := range list {
		if e.Tree == store.Tree {
			here = append(here, e)
		}
	}
	var runs []journal.Entry
	for _, e := range here[:max(0, len(here)-keep)] {
		status := store.Status(e)
		old := time.Since(e.State.At) >= older
		if status.Ended() && old && (resumable || !canGoOn(status)) {
			runs = append(runs, e)
		}
	}
	return runs, nil
}

// pruneWorktrees removes the work trees of runs that may go, and gives their
// folders. One that is not merged, or in use, stays.
func pruneWorktrees(ctx context.Context, runs journal.Store, unmerged, dry bool) ([]string, error) {
	list, err := app.Worktrees(ctx, runs.Tree)
	if err != nil {
		return nil, err
	}
	removed := []string{}
	for _, w := range list {
		if w.Work == runs.Tree || !unmerged && (!w.Merged() || w.Dirty()) {
			continue
		}
		if dry {
			removed = append(removed, w.Dir)
			continue
		}
		var kept *repo.KeptError
		var held *journal.HeldError
		switch err := app.DropWorktree(ctx, runs, w, unmerged); {
		case errors.As(err, &kept), errors.As(err, &held):
		case err != nil:
			return nil, err
		default:
			removed = append(removed, w.Dir)
		}
	}
	return removed, nil
}
