package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/journal"
	lines "github.com/refrain-loop/refrain/internal/term"
)

func statusCommand(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:               "status [RUN]",
		Short:             "Show what a run is doing, or how it ended",
		Args:              atMost(1),
		ValidArgsFunction: completeRuns(sh),
	}
	asJSON := addJSON(cmd)
	sh.addMachine(cmd, findsMachine)
	cmd.RunE = func(_ *cobra.Command, args []string) error { return tellStatus(sh, first(args), *asJSON) }
	return cmd
}

// tellStatus shows the run that is meant, or which are alive when that can be
// several.
func tellStatus(sh *shell, ref string, asJSON bool) error {
	store, entry, err := sh.meant(ref)
	var several *severalError
	if errors.As(err, &several) && !asJSON {
		fmt.Fprintf(sh.out, "%s:\n", several)
		sh.print(several.table())
		fmt.Fprintln(sh.err, "hint: \"refrain status RUN\" tells more of one, \"refrain watch RUN\" shows it")
		return nil
	}
	if err != nil {
		return err
	}
	run := lookClosely(store, entry)
	if asJSON {
		return printJSON(sh.out, run.Status(time.Now()))
	}
	fmt.Fprint(sh.out, lines.Card(run, sh.look()))
	return nil
}

// latest is what a bare "refrain" shows: the live run, or the latest one here, or
// how to begin.
func latest(sh *shell, asJSON bool) error {
	err := tellStatus(sh, "", asJSON)
	var none *journal.NotFoundError
	if errors.As(err, &none) && !asJSON {
		sh.say("There are no runs here yet.")
		table := lines.Table{Columns: []lines.Column{{}, {Wraps: true}}, Indent: 2}
		table.Add("refrain demo", "watch a whole run, without a key or a network")
		table.Add("refrain init", "make this project ready")
		table.Add("refrain run \"TASK\"", "run an agent until the task is done")
		table.Add("refrain --help", "see the commands")
		sh.print(&table)
		return nil
	}
	return err
}
