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
		list, elsewhere, err := sh.runs(*all)
		if err != nil {
			return err
		}
		if *asJSON {
			return printJSON(sh.out, list)
		}
		defer sh.tellElsewhere(elsewhere)
		switch {
		case len(list) > 0:
		case elsewhere > 0:
			fmt.Fprintln(sh.out, "no runs in this work tree")
			return nil
		default:
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

// tellElsewhere says that there are runs that were not listed.
func (sh *shell) tellElsewhere(runs int) {
	switch {
	case runs == 1:
		fmt.Fprintln(sh.err, "1 run in another work tree: refrain ls --all")
	case runs > 1:
		fmt.Fprintf(sh.err, "%d runs in other work trees: refrain ls --all\n", runs)
	}
}

// runs is every run here, the latest first, and how many there are in other work
// trees of the repository that are left out. What cannot be read is said and
// passed over.
func (sh *shell) runs(all bool) (list []view.Status, elsewhere int, err error) {
	store, err := sh.store()
	if err != nil {
		return nil, 0, err
	}
	entries, bad, err := store.List()
	if err != nil {
		return nil, 0, err
	}
	for _, b := range bad {
		fmt.Fprintf(sh.err, "WARNING: %s cannot be read: %v\n", b.Name, b.Err)
	}
	list = make([]view.Status, 0, len(entries))
	for _, e := range slices.Backward(entries) {
		if !all && e.Tree != store.Tree {
			elsewhere++
			continue
		}
		run := lookAt(store, e)
		list = append(list, run.Status(time.Now()))
	}
	return list, elsewhere, nil
}

func iterationsOf(s view.Status) string {
	if s.MaxIterations > 0 {
		return fmt.Sprintf("%d/%d", s.Totals.Iterations, s.MaxIterations)
	}
	return fmt.Sprint(s.Totals.Iterations)
}
