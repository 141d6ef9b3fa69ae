package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/setting"
	lines "github.com/refrain-loop/refrain/internal/term"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

func statsCommand(sh *shell) *cobra.Command {
	var since string
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Sum up the runs here: how many were done, how long they took, what they cost",
		Example: "  refrain stats\n" +
			"  refrain stats --since 7d",
		Args: noArguments,
	}
	asJSON := addJSON(cmd)
	all := cmd.Flags().Bool("all", false, "take in the runs of every work tree of the repository")
	cmd.Flags().StringVar(&since, "since", "", "only runs that began since then: a duration such as 12h or 7d, or a day such as 2026-11-01")
	cmd.RunE = func(*cobra.Command, []string) error {
		from, err := sinceWhen(since, time.Now())
		if err != nil {
			return err
		}
		book, err := readBook(sh, from, *all)
		if err != nil {
			return err
		}
		if *asJSON {
			return printJSON(sh.out, book)
		}
		if book.All.Runs == 0 {
			fmt.Fprintln(sh.out, "no runs here in that time")
			return nil
		}
		table := lines.Table{Columns: []lines.Column{
			{},
			{Name: "RUNS"},
			{Name: "DONE"},
			{Name: "PROVEN"},
			{Name: "ITERATIONS", Rank: 4},
			{Name: "OK", Rank: 3},
			{Name: "TIME", Rank: 1},
			{Name: "EACH", Rank: 6},
			{Name: "WAITED", Rank: 7},
			{Name: "COST", Rank: 2},
			{Name: "PER PROVEN CHANGE", Rank: 5},
		}}
		for _, name := range slices.Sorted(maps.Keys(book.Procedures)) {
			table.Add(statsRow(name, book.Procedures[name])...)
		}
		if len(book.Agents) > 1 {
			for _, name := range slices.Sorted(maps.Keys(book.Agents)) {
				table.Add(statsRow("by "+name, book.Agents[name])...)
			}
		}
		table.Add(statsRow("all", book.All)...)
		sh.print(&table)
		return nil
	}
	return cmd
}

// readBook adds up the runs that began since a time; the zero time is all of them.
func readBook(sh *shell, from time.Time, all bool) (*view.Book, error) {
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
	book := view.NewBook()
	for _, e := range entries {
		if (all || e.Tree == store.Tree) && !e.StartedAt.Before(from) {
			book.Add(lookAt(store, e), time.Now())
		}
	}
	return book, nil
}

func statsRow(name string, s view.Stats) []string {
	t := s.Totals
	rate, cost, each, perProven := "-", "-", "-", "-"
	if s.SuccessRate != nil {
		rate = fmt.Sprintf("%.0f%%", 100**s.SuccessRate)
	}
	if t.CostUSD > 0 {
		cost = view.Dollars(t.CostUSD, t.CostEstimated)
	}
	if s.Durations.N > 0 {
		each = view.Each(s.Durations)
	}
	if s.CostPerProven > 0 {
		perProven = view.Dollars(s.CostPerProven, t.CostEstimated)
	}
	return []string{
		cmp.Or(name, "-"), fmt.Sprint(s.Runs), fmt.Sprint(s.Done), fmt.Sprint(s.Proven), text.Count(t.Iterations), rate,
		text.Seconds(s.Elapsed.Duration()), each, text.Seconds(t.Waited.Duration()), cost, perProven,
	}
}

// sinceWhen reads when to begin: so long ago, or on a day.
func sinceWhen(since string, now time.Time) (time.Time, error) {
	if since == "" {
		return time.Time{}, nil
	}
	if d, err := setting.ReadDuration(since); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	for _, layout := range []string{time.DateOnly, "2006-01-02 15:04", time.RFC3339} {
		if t, err := time.ParseInLocation(layout, since, now.Location()); err == nil {
			return t, nil
		}
	}
	return time.Time{}, usage(fmt.Sprintf("--since is %q", since), "write a duration such as 12h or 7d, or a day such as 2026-11-01")
}
