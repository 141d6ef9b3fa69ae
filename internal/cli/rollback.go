package cli

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

func rollbackCommand(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rollback RUN/N",
		Short: "Put the files back as they were after an iteration",
		Long: "Put the files of the work tree back as they were after iteration N; 0 is before the first. What is\n" +
			"there now is kept as a checkpoint, so that a rollback can be undone. Files that git ignores, the\n" +
			"current commit, the index and the branches stay as they are; commits that stay are listed.",
		Example:           "  refrain rollback build-7/3\n  refrain rollback last/0 --yes",
		Args:              exactlyOne("name the run and the iteration: refrain rollback RUN/N"),
		ValidArgsFunction: completeRuns(sh),
	}
	yes := cmd.Flags().BoolP("yes", "y", false, "do not ask")
	asJSON := addJSON(cmd)
	roll := func(cmd *cobra.Command, args []string) error {
		ctx := cmd.Context()
		ref, where, has := strings.Cut(args[0], "/")
		if !has {
			return usage("rollback needs an iteration", "write it like "+args[0]+"/3; 0 is the tree before the first")
		}
		runs, entry, err := sh.find(ref)
		if err != nil {
			return err
		}
		if err := belongsHere(sh, entry); err != nil {
			return err
		}
		h, err := history.Open(ctx, runs, entry)
		if err != nil {
			return err
		}
		to, iter, err := target(ctx, h, where)
		if err != nil {
			return err
		}
		var confirm func(loop.Changes) bool
		if !*yes {
			if !isTerminal(sh.in) || !isTerminal(sh.out) {
				return usage("rollback changes files, and there is no terminal to ask on", "pass --yes")
			}
			confirm = func(c loop.Changes) bool { return confirmRollback(sh, c, args[0]) }
		}
		undone, err := h.RollBack(ctx, to, iter, confirm)
		if err != nil || undone == nil {
			return err
		}
		if *asJSON {
			return printJSON(sh.out, map[string]any{"run": entry.Name, "to": to.ID, "kept": undone.Kept, "changes": undone.Changes, "commits": undone.Commits})
		}
		tellRollback(sh, entry, args[0], undone)
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *yes {
			return sh.heeding(roll)(cmd, args)
		}
		return roll(cmd, args) // it asks, and there Ctrl+C ends it at once
	}
	return cmd
}

// target is an iteration, or a checkpoint by its id: what an earlier rollback
// has kept.
func target(ctx context.Context, h *history.History, where string) (checkpoint.Checkpoint, *int, error) {
	if len(where) >= 40 {
		to, err := h.Kept.Load(ctx, where)
		return to, nil, err
	}
	n, err := checkpointNumber(where)
	if err != nil {
		return checkpoint.Checkpoint{}, nil, err
	}
	to, err := h.At(ctx, *n)
	return to, n, err
}

// confirmRollback shows what would change, and asks.
func confirmRollback(sh *shell, changes loop.Changes, name string) bool {
	if len(changes.Paths) == 0 {
		fmt.Fprintf(sh.out, "The files are as they were at %s already.\n", name)
		return false
	}
	for _, p := range changes.Paths[:min(len(changes.Paths), 20)] {
		fmt.Fprintf(sh.out, "  %-8s %s\n", p.Change, text.Line(p.Path))
	}
	if more := len(changes.Paths) - 20; more > 0 {
		fmt.Fprintf(sh.out, "  and %d more\n", more)
	}
	fmt.Fprintf(sh.out, "Put %s back as at %s? [y/N] ", text.Plural(len(changes.Paths), "file"), name)
	answer, err := bufio.NewReader(sh.in).ReadString('\n')
	if err != nil {
		return false // no answer is no
	}
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}

func tellRollback(sh *shell, entry journal.Entry, name string, u *history.Undone) {
	fmt.Fprintf(sh.out, "Rolled back to %s: %s\n", name, changed(u.Changes))
	fmt.Fprintf(sh.out, "Undo with: refrain rollback %s/%s\n", entry.Name, u.Kept)
	for i, c := range u.Commits {
		if i == 0 {
			fmt.Fprintf(sh.out, "These commits stay (%d):\n", len(u.Commits))
		}
		fmt.Fprintf(sh.out, "  %s\n", text.Line(c))
	}
}

// changed is a count of changes in words.
func changed(c loop.Changes) string {
	total := c.Created + c.Modified + c.Deleted
	if total == 0 {
		return "nothing had changed"
	}
	return fmt.Sprintf("%s put back (%d created, %d modified, %d deleted)", text.Plural(total, "file"), c.Created, c.Modified, c.Deleted)
}

// exactlyOne refuses anything but one argument.
func exactlyOne(hint string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usage(fmt.Sprintf("%s takes one argument, not %d", cmd.CommandPath(), len(args)), hint)
		}
		return nil
	}
}

// belongsHere refuses a run of another work tree of the repository.
func belongsHere(sh *shell, entry journal.Entry) error {
	store, err := sh.store()
	if err != nil {
		return err
	}
	return history.BelongsHere(store, entry)
}
