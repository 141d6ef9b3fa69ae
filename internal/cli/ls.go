package cli

import (
	"fmt"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/view"
)

func lsCommand(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "List the runs here, the latest first",
		Args:  noArguments,
	}
	asJSON := addJSON(cmd)
	all := cmd.Flags().Bool("all", false, "list the runs of every work tree of the repository")
	cmd.RunE = func(*cobra.Command, []string) error {
		list, err := sh.runs(*all)
		if err != nil {
			return err
		}
		if *asJSON {
			return printJSON(sh.out, list)
		}
		if len(list) == 0 {
			fmt.Fprintln(sh.out, "no runs here yet: start one with \"refrain run\", or see \"refrain demo\"")
			return nil
		}
		w := tabwriter.NewWriter(sh.out, 0, 8, 2, ' ', 0)
		fmt.Fprintln(w, "RUN\tSTATE\tREASON\tITERATIONS\tTIME\tSTARTED")
		for _, s := range list {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", s.Run, view.People(s.State, s.Reason, s.Proven != nil && *s.Proven), s.Reason,
				iterationsOf(s), view.Total(s.Elapsed.Duration()), s.StartedAt.Local().Format("2006-01-02 15:04"))
		}
		return w.Flush()
	}
	return cmd
}

// runs is every run here, the latest first. What cannot be read is said and
// passed over.
func (sh *shell) runs(all bool) ([]view.Status, error) {
	store, err := sh.store()
	if err != nil {
		return nil, err
	}
	entries, bad, err := store.List()
	if err != nil {
		return nil, err
	}
	for _, b := range bad {
		fmt.Fprintf(sh.err, "WARNING: %s cannot be read: %v\n", b.Name, b.Err)
	}
	list := make([]view.Status, 0, len(entries))
	for _, e := range slices.Backward(entries) {
		if !all && e.Tree != store.Tree {
			continue
		}
		run := lookAt(store, e)
		list = append(list, run.Status(time.Now()))
	}
	return list, nil
}

func iterationsOf(s view.Status) string {
	if s.MaxIterations > 0 {
		return fmt.Sprintf("%d/%d", s.Totals.Iterations, s.MaxIterations)
	}
	return fmt.Sprint(s.Totals.Iterations)
}
