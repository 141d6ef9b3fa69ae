package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/journal"
)

func pruneCommand(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Delete the records of old runs",
		Long: "Delete the records of runs here that are over, except the latest ones. What the agents did to your\n" +
			"files is not touched. Runs that can still be resumed are kept unless --resumable is given.",
		Example: "  refrain prune --dry-run\n  refrain prune --keep 5 --older-than 720h",
		Args:    noArguments,
	}
	f := cmd.Flags()
	keep := f.Int("keep", 10, "keep this many of the latest runs")
	older := f.Duration("older-than", 0, "delete only runs that ended longer ago than this")
	resumable := f.Bool("resumable", false, "also delete runs that could be resumed")
	dry := f.Bool("dry-run", false, "show what would be deleted, and delete nothing")
	asJSON := addJSON(cmd)
	cmd.RunE = func(*cobra.Command, []string) error {
		if *keep < 0 || *older < 0 {
			return usage("--keep and --older-than cannot be negative", "see \"refrain prune --help\"")
		}
		store, err := sh.store()
		if err != nil {
			return err
		}
		names, err := prunable(store, *keep, *older, *resumable)
		if err != nil {
			return err
		}
		if !*dry {
			for _, name := range names {
				if err := store.Remove(name); err != nil {
					return err
				}
			}
		}
		if *asJSON {
			return printJSON(sh.out, map[string]any{"deleted": names, "dry_run": *dry})
		}
		word := "deleted"
		if *dry {
			word = "would delete"
		}
		for _, name := range names {
			fmt.Fprintln(sh.out, word, name)
		}
		if len(names) == 0 {
			fmt.Fprintln(sh.out, "nothing to delete")
		}
		return nil
	}
	return cmd
}

// prunable names the runs of this work tree that may go, the oldest first.
func prunable(store journal.Store, keep int, older time.Duration, resumable bool) ([]string, error) {
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
	names := []string{}
	for _, e := range here[:max(0, len(here)-keep)] {
		status := store.Status(e)
		old := time.Since(e.State.At) >= older
		if status.Ended() && old && (resumable || !canGoOn(status)) {
			names = append(names, e.Name)
		}
	}
	return names, nil
}
