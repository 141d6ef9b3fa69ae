package cli

import (
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
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
		Example: "  refrain prune --dry-run\n  refrain prune --keep 5 --older-than 30d",
		Args:    noArguments,
	}
	f := cmd.Flags()
	keep := f.Int("keep", 10, "keep this many of the latest runs")
	older := timeFlag(f, "older-than", "delete only runs that ended longer ago than this, such as 30d")
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
		runs, keptRuns, err := prunable(store, *keep, *older, *resumable)
		if err != nil {
			return err
		}
		containers, err := history.PruneContainers(cmd.Context(), store, *dry) // the records tell whose they are
		if err != nil {
			sh.say("look for containers: %v", err)
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
		left = append(left, containers...)
		projects := []string{}
		if *gone {
			if projects, err = history.PruneGone(cmd.Context(), store, *older, *dry); err != nil {
				return err
			}
		}
		if *asJSON {
			return printJSON(sh.out, map[string]any{"deleted": names, "worktrees": removed, "kept": kept, "leftovers": left, "kept_runs": keptRuns, "projects": projects, "dry_run": *dry})
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
		tellKept(sh, keptRuns)
		return nil
	})
	return cmd
}

// keptRun is a run that stays, and why.
type keptRun struct {
	Run string `json:"run"`
	Why string `json:"why"`
	// flag is how it could be deleted, or what keeps it.
	flag string
}

// tellKept says which runs stay, those of one kind on a line.
func tellKept(sh *shell, list []keptRun) {
	for len(list) > 0 {
		kind := list[0]
		var names []string
		list = slices.DeleteFunc(list, func(k keptRun) bool {
			if k.Why != kind.Why {
				return false
			}
			names = append(names, k.Run)
			return true
		})
		if kind.flag != "" {
			kind.Why += " (" + kind.flag + ")"
		}
		sh.say("kept %s: %s", text.FirstFew(names), kind.Why)
	}
}

// prunable names the runs that may go, the oldest first: those of this work tree,
// and of linked ones that are gone, for nobody else can delete these. The others of
// them are kept.
func prunable(store journal.Store, keep int, older time.Duration, resumable bool) (runs []journal.Entry, kept []keptRun, err error) {
	list, bad, err := store.List()
	if err != nil {
		return nil, nil, err
	}
	here := unreadable(store, bad)
	broken := len(here)
	for _, e := range list {
		if e.Tree == store.Tree || e.Gone && e.Linked != nil {
			here = append(here, e)
		}
	}
	kept = []keptRun{}
	latest := max(0, len(here)-keep)
	for i, e := range here[:latest] {
		at, status := e.State.At, loop.Status("")
		if i < broken {
			info, err := os.Stat(e.Dir)
			if err != nil {
				continue // it is gone
			}
			at = info.ModTime()
		} else {
			status = store.Status(e)
		}
		switch {
		case i >= broken && !status.Ended():
			kept = append(kept, keptRun{e.Name, "still live", ""})
		case time.Since(at) < older:
			kept = append(kept, keptRun{e.Name, "not old enough", "--older-than"})
		case i >= broken && !resumable && history.CanGoOn(status):
			kept = append(kept, keptRun{e.Name, "could be resumed", "--resumable"})
		default:
			runs = append(runs, e)
		}
	}
	for _, e := range here[latest:] {
		kept = append(kept, keptRun{e.Name, "among the latest", "--keep"})
	}
	return runs, kept, nil
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
