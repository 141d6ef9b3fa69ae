package cli

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/journal"
	lines "github.com/refrain-loop/refrain/internal/term"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

func lsCommand(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "List the runs here, those that are live first",
		Args:  noArguments,
	}
	asJSON := addJSON(cmd)
	all := cmd.Flags().Bool("all", false, "list the runs of every work tree of the repository, and of projects that are gone")
	sh.addMachine(cmd, "list the runs of every project of yours, those that are live first")
	long := cmd.Flags().BoolP("long", "l", false, "with what each took, changed and cost, and why it ended")
	cmd.RunE = func(*cobra.Command, []string) error {
		if c := newCollector(); c != nil {
			c.set(true) // a list keeps to its end what it reads
		}
		list, bad, elsewhere, err := listRuns(sh, time.Now(), *all, *asJSON)
		if err != nil {
			return err
		}
		gone, err := goneRuns(sh, *all && !sh.machine)
		if err != nil {
			return err
		}
		if *asJSON {
			rows := make([]any, 0, len(list)+len(gone)+len(bad))
			for _, r := range list {
				rows = append(rows, r.whole)
			}
			for _, s := range gone {
				rows = append(rows, s)
			}
			for _, b := range bad {
				rows = append(rows, unreadableRun{b.Name, b.Dir, "unreadable", b.Err.Error()})
			}
			return printJSON(sh.out, rows)
		}
		defer tellGone(sh, gone)
		defer tellElsewhere(sh, elsewhere)
		switch {
		case len(list) > 0:
		case elsewhere > 0:
			fmt.Fprintln(sh.out, "no runs in this work tree")
			return nil
		case sh.machine:
			fmt.Fprintln(sh.out, "no runs on this machine yet: start one with \"refrain run\", or see \"refrain demo\"")
			return nil
		default:
			fmt.Fprintln(sh.out, "no runs here yet: start one with \"refrain run\", or see \"refrain demo\"")
			return nil
		}
		if *long {
			return listLong(sh, list)
		}
		table := lines.Table{Columns: []lines.Column{
			{Name: "RUN"},
			{Name: "STATE", Wraps: true},
			{Name: "REASON", Rank: 2},
			{Name: "ITERATIONS", Rank: 1},
			{Name: "TIME", Rank: 3},
			{Name: "STARTED", Rank: 4},
		}}
		where := slices.ContainsFunc(list, func(r row) bool { return r.Tree != "" })
		if where {
			table.Columns = append(table.Columns, lines.Column{Name: "WHERE"})
		}
		for _, r := range list {
			cells := []string{
				r.Run, stateOf(r), string(r.Reason),
				iterationsOf(r), text.Seconds(r.Elapsed.Duration()), r.StartedAt.Local().Format("2006-01-02 15:04"),
			}
			if where {
				cells = append(cells, cmp.Or(r.Tree, "here"))
			}
			table.Add(cells...)
		}
		sh.print(&table)
		return nil
	}
	return cmd
}

// unreadableRun is what scripts are told of a run that is there and cannot be read.
type unreadableRun struct {
	Run   string `json:"run"`
	Dir   string `json:"dir"`
	State string `json:"state"`
	Why   string `json:"why"`
}

// listLong lists runs with what each took, changed and cost.
func listLong(sh *shell, list []row) error {
	table := lines.Table{Columns: []lines.Column{
		{Name: "RUN"},
		{Name: "STATE", Wraps: true},
		{Name: "ITERATIONS", Rank: 2},
		{Name: "TIME", Rank: 3},
		{Name: "EACH", Rank: 9},
		{Name: "WAITED", Rank: 10},
		{Name: "FILES", Rank: 5},
		{Name: "LINES", Rank: 7},
		{Name: "COMMITS", Rank: 11},
		{Name: "TOKENS", Rank: 8},
		{Name: "COST", Rank: 4},
		{Name: "STARTED", Rank: 6},
		{Name: "WHY", Rank: 1, Wraps: true},
	}}
	for _, r := range list {
		more := r.more()
		cost, tokens := "-", "-"
		if more.Cost > 0 {
			cost = view.Dollars(more.Cost, more.Estimated)
		}
		if more.Tokens > 0 {
			tokens = text.Count(more.Tokens)
		}
		f := more.Changed
		table.Add(r.Run, stateOf(r), iterationsOf(r), text.Seconds(r.Elapsed.Duration()), cmp.Or(more.Each, "-"),
			text.Seconds(more.Waited.Duration()), fmt.Sprint(f.Files), fmt.Sprintf("+%d -%d", f.LinesAdded, f.LinesRemoved), fmt.Sprint(f.Commits),
			tokens, cost, r.StartedAt.Local().Format("2006-01-02 15:04"), view.Fit(text.Line(more.Why), 60))
	}
	sh.print(&table)
	return nil
}

// goneRuns are the runs of projects that are no longer where they were, the
// latest of each project first.
func goneRuns(sh *shell, wanted bool) ([]view.Status, error) {
	if !wanted {
		return nil, nil
	}
	here, err := sh.store()
	if err != nil {
		return nil, err
	}
	projects, err := history.GoneProjects(here)
	if err != nil {
		return nil, err
	}
	var list []view.Status
	for _, p := range projects {
		for _, e := range slices.Backward(p.Runs) {
			s := lookAt(p.Store, e).Status(time.Now())
			s.Gone = p.Root
			list = append(list, s)
		}
	}
	return list, nil
}

// tellGone lists the runs of projects that are gone, project by project.
func tellGone(sh *shell, list []view.Status) {
	root := ""
	for _, s := range list {
		if s.Gone != root {
			root = s.Gone
			fmt.Fprintf(sh.out, "\n%s is gone. Its records are in %s\n", root, filepath.Dir(filepath.Dir(s.Dir)))
		}
		fmt.Fprintf(sh.out, "  %s  %s  %s  %s\n", s.Run, view.People(s.State, view.Level(s.Proof)), text.Plural(s.Totals.Iterations, "iteration"), s.StartedAt.Local().Format("2006-01-02 15:04"))
	}
	if root != "" {
		fmt.Fprintln(sh.err, "hint: if you moved it, use refrain there; else make the folder again to look at them, or \"refrain prune --gone\"")
	}
}

// tellElsewhere says that there are runs that were not listed.
func tellElsewhere(sh *shell, runs int) {
	switch {
	case runs == 1:
		fmt.Fprintln(sh.err, "1 run in another work tree: refrain ls --all")
	case runs > 1:
		fmt.Fprintf(sh.err, "%d runs in other work trees: refrain ls --all\n", runs)
	}
}

// listRuns is every run here, those that are live first, then the latest, and how many
// there are in other work trees of the repository that are left out. Live ones of
// other work trees are not. What cannot be read is said, and given apart. Scripts get
// what they have always got: only what they ask for, and the latest first.
func listRuns(sh *shell, now time.Time, all, forScripts bool) (list []row, bad []journal.Unreadable, elsewhere int, err error) {
	here, err := sh.store()
	stores := []journal.Store{here}
	if sh.machine {
		all = true
		stores, err = history.Stores()
	}
	if err != nil {
		return nil, nil, 0, err
	}
	var unchecked []string
	for _, store := range stores {
		runs := listed{store: store, now: now}
		if !forScripts { // they are told all of a run, which is more than anybody keeps
			runs.index = journal.OpenIndex(store, Version, now)
		}
		entries, unread, err := runs.list()
		if err != nil {
			return nil, nil, 0, err
		}
		for _, b := range unread {
			fmt.Fprintf(sh.err, "WARNING: %s cannot be read: %v\n", b.Name, b.Err)
		}
		bad = append(bad, unread...)
		list = slices.Grow(list, len(entries))
		for _, e := range slices.Backward(entries) {
			other := e.Tree != here.Tree
			if other && !all && forScripts {
				elsewhere++
				continue
			}
			r, err := runs.row(e)
			if err != nil {
				return nil, nil, 0, err
			}
			if other && !all && r.State.Ended() {
				elsewhere++
				continue
			}
			if other {
				r.Tree = e.Tree
				if r.whole != nil {
					r.whole.Tree = e.Tree
				}
			}
			list = append(list, r)
			if e.Entry == nil {
				continue // all is well with its records
			}
			sh.warnTampered(*e.Entry)
			if e.Entry.Unchecked != "" {
				unchecked = append(unchecked, e.Name)
			}
		}
		runs.done()
	}
	tellUnchecked(sh, unchecked)
	if sh.machine {
		slices.SortStableFunc(list, func(a, b row) int { return b.StartedAt.Compare(a.StartedAt) })
	}
	if sh.machine || !forScripts {
		slices.SortStableFunc(list, func(a, b row) int { return cmp.Compare(ended01(a), ended01(b)) })
	}
	return list, bad, elsewhere, nil
}

// ended01 puts what is over behind what is not.
func ended01(r row) int {
	if r.State.Ended() {
		return 1
	}
	return 0
}

// tellUnchecked says which runs nobody can vouch for.
func tellUnchecked(sh *shell, names []string) {
	switch len(names) {
	case 0:
	case 1:
		fmt.Fprintf(sh.err, "WARNING: %s cannot be checked: the key that sealed it is gone\n", names[0])
	default:
		fmt.Fprintf(sh.err, "WARNING: %d runs cannot be checked: the key that sealed them is gone (%s)\n", len(names), strings.Join(names, ", "))
	}
}

// stateOf is how a run stands, in a list.
func stateOf(r row) string {
	state := view.People(r.State, r.Level)
	if r.Carried {
		state += ", carried"
	}
	return state
}

func iterationsOf(r row) string {
	if r.Max > 0 {
		return fmt.Sprintf("%d/%d", r.Iterations, r.Max)
	}
	return fmt.Sprint(r.Iterations)
}
