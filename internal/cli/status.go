package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/term"
)

func statusCommand(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:               "status [RUN]",
		Short:             "Show what a run is doing, or how it ended",
		Args:              atMost(1),
		ValidArgsFunction: completeRuns(sh),
	}
	asJSON := addJSON(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		store, entry, err := sh.find(first(args))
		if err != nil {
			return err
		}
		run := lookClosely(store, entry)
		if *asJSON {
			return printJSON(sh.out, run.Status(time.Now()))
		}
		fmt.Fprint(sh.out, term.Card(run, sh.look()))
		return nil
	}
	return cmd
}

// latest is what a bare "refrain" shows: the latest run here, or the help.
func latest(sh *shell, cmd *cobra.Command, asJSON bool) error {
	store, entry, err := sh.find("")
	var none *journal.NotFoundError
	if errors.As(err, &none) && !asJSON {
		return cmd.Help()
	}
	if err != nil {
		return err
	}
	run := lookClosely(store, entry)
	if asJSON {
		return printJSON(sh.out, run.Status(time.Now()))
	}
	fmt.Fprint(sh.out, term.Card(run, sh.look()))
	return nil
}
