package cli

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/journal"
)

func pruneCommand(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Delete the records of old runs",
		Long: "Delete the records of runs here that are over, except the latest ones, with their checkpoints. What\n" +
			"the agents did to your files is not touched. Runs that can still be resumed are kept unless\n" +
			"--resumable is given; those that cannot be read count as the oldest. Work trees made by\n" +
			"\"run --worktree\" are removed when all of their work is merged and their run is done; others only\n" +
			"with --worktrees, and then branches that are not merged stay. One with a live run, or with files\n" +
			"that are not committed, is never removed.",
		Example: "  refrain prune --dry-run\n  refrain prune --keep 5 --older-than 720h",
		Args:    noArguments,
	}
	f := cmd.Flags()
	keep := f.Int("keep", 10, "keep this many of the latest runs")
	older := f.Duration("older-than", 0, "delete only runs that ended longer ago than this")
	resumable := f.Bool("resumable", false, "also delete runs that could be resumed")
	trees := f.Bool("worktrees", false, "also remove work trees whose work is not merged, or whose run could be resumed; branches that are not merged stay")
	gone := f.Bool("gone", false, "also delete the records of projects that are gone, 30 days after their last run or --older-than")
	dry := f.Bool("dry-run", false, "show what would be deleted, and delete nothing")
	asJSON := addJSON(cmd)
	cmd.RunE = sh.heeding(func(cmd *cobra.Command, _ []string) error {
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
			if cmd.Context().Err() != nil {
				break
			}
			if *dry {
				names = append(names, e.Name)
				continue
			}
			// What is named by the records goes first: without them nobody finds it.
			if err := history.DropProof(e.Tree, e.Dir); err != nil {
				return err
			}
			if err := store.Remove(e.Name); err != nil {
				return err
			}
			names = append(names, e.Name)
		}
		removed, kept, err := history.PruneWorktrees(cmd.Context(), store, *trees, *dry)
		if err != nil && cmd.Context().Err() == nil {
			return err
		}
		left, err := history.PruneLeftovers(store, *dry)
		if err != nil {
			return err
		}
		projects := []string{}
		if *gone {
			if projects, err = history.PruneGone(cmd.Context(), store, *older, *dry); err != nil {
				return err
			}
		}
		if *asJSON {
			return printJSON(sh.out, map[string]any{"deleted": names, "worktrees": removed, "kept": kept, "leftovers": left, "projects": projects, "dry_run": *dry})
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
		for _, dir := range left {
			fmt.Fprintln(sh.out, word, "leftover", dir)
		}
		for _, root := range projects {
			fmt.Fprintln(sh.out, word, "the records of", root)
		}
		for _, k := range kept {
			fmt.Fprintf(sh.out, "kept work tree %s: %s\n", k.Dir, oneLine(k.Why))
		}
		if len(names)+len(removed)+len(left)+len(projects) == 0 {
			fmt.Fprintln(sh.out, "nothing to delete")
		}
		return nil
	})
	return cmd
}

// prunable names the runs that may go, the oldest first: those of this work tree,
// and of linked ones that are gone, for nobody else can delete these.
func prunable(store journal.Store, keep int, older time.Duration, resumable bool) ([]journal.Entry, error) {
	list, bad, err := store.List()
	if err != nil {
		return nil, err
	}
	here := unreadable(store, bad)
	broken := len(here)
	for _, e := range list {
		if e.Tree == store.Tree || e.Gone && e.Linked != nil {
			here = append(here, e)
		}
	}
	var runs []journal.Entry
	for i, e := range here[:max(0, len(here)-keep)] {
		if i < broken {
			if info, err := os.Stat(e.Dir); err == nil && time.Since(info.ModTime()) >= older {
				runs = append(runs, e)
			}
			continue
		}
		status := store.Status(e)
		old := time.Since(e.State.At) >= older
		if status.Ended() && old && (resumable || !history.CanGoOn(status)) {
			runs = append(runs, e)
		}
	}
	return runs, nil
}

// unreadable are the runs that cannot be read and that nobody else will delete.
// They can not go on, and count as the oldest. A live one may be mended by its
// runner.
func unreadable(store journal.Store, bad []journal.Unreadable) []journal.Entry {
	var list []journal.Entry
	holder, held := store.Holder()
	for _, b := range bad {
		if store.IsOurs(b) && !(held && holder.Run == b.Name) {
			list = append(list, journal.Entry{Meta: journal.Meta{Name: b.Name, Tree: store.Tree}, Dir: b.Dir})
		}
	}
	return list
}
