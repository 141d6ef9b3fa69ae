package dispatch

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/cli"
	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/term"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

func lsCommand(p post) *cobra.Command {
	cmd := &cobra.Command{
		Use: "ls", Short: "List the runs of the fleet that are under way, the newest first", Args: cli.NoArguments,
		Example: "  refrain fleet ls --all\n  refrain fleet ls --state waiting --queue team --json",
	}
	asJSON := cli.AddJSON(cmd)
	var f fleet.Filter
	flags := cmd.Flags()
	flags.BoolVar(&f.Over, "all", false, "list those that are over, too")
	long := flags.BoolP("long", "l", false, "with what each used, its branch, who handed it in, and why it stands as it does")
	state := flags.String("state", "", "only those in this state")
	flags.StringVar(&f.Queue, "queue", "", "only those of this queue")
	flags.StringVar(&f.Remote, "remote", "", "only those of this remote, by its URL")
	flags.IntVar(&f.Most, "most", 0, "so many at most; 0 is all")
	complete(cmd, "state", states)
	cmd.PreRunE = func(*cobra.Command, []string) error {
		f.State = loop.Status(*state)
		if *state != "" && !slices.Contains(states(), *state) {
			hint := "the states are " + strings.Join(states(), ", ")
			if near := setting.Nearest(*state, states()); near != "" {
				hint = "did you mean " + near + "?"
			}
			return cli.UsageError(fmt.Sprintf("--state %q is no state of a run", *state), hint)
		}
		f.Over = f.Over || f.State.Ended() && f.State != loop.Parked // who asks for them wants to see them
		return nil
	}
	cmd.RunE = p.asking(func(ctx context.Context, service fleet.Service, _ *cobra.Command, _ []string) error {
		list, err := service.List(ctx, f)
		if err != nil {
			return err
		}
		if *asJSON {
			return p.PrintJSON(append([]fleet.Row{}, list...))
		}
		if len(list) == 0 {
			p.Say("%s", noRuns(f))
			return nil
		}
		p.Print(rows(list, *long, time.Now()))
		return nil
	})
	return cmd
}

// noRuns says that there are none, and where there may be others.
func noRuns(f fleet.Filter) string {
	switch {
	case f.State != "" || f.Queue != "" || f.Remote != "":
		return "no runs like that in the fleet"
	case f.Over:
		return "no runs in the fleet yet: hand one in with \"refrain fleet submit\""
	}
	return "no runs are under way in the fleet; --all lists those that are over"
}

// states are those that a run of a fleet can be in.
func states() []string {
	var list []string
	for _, s := range []loop.Status{
		fleet.Queued, loop.Running, loop.Waiting, loop.Paused, loop.Parked, fleet.Carried, fleet.Failed,
		loop.Done, loop.Exhausted, loop.Aborted, loop.Stopped, // and loop.CouldNotRun, which has the word of fleet.Failed
	} {
		list = append(list, string(s))
	}
	return list
}

// rows is a table of runs. What comes from afar is shown as text.
func rows(list []fleet.Row, long bool, now time.Time) *term.Table {
	t := &term.Table{Columns: []term.Column{
		{Name: "RUN"},
		{Name: "STATE", Wraps: true},
		{Name: "REASON", Rank: 4},
		{Name: "ITERATIONS", Rank: 1},
		{Name: "COST", Rank: 3},
		{Name: "WORKER", Rank: 2},
		{Name: "QUEUE", Rank: 5},
		{Name: "STARTED", Rank: 6},
	}}
	if long {
		t.Columns = append(t.Columns, []term.Column{
			{Name: "LEG", Rank: 8}, {Name: "TOKENS", Rank: 9}, {Name: "BRANCH", Rank: 7}, {Name: "REMOTE", Rank: 10}, {Name: "BY", Rank: 11}, {Name: "WHY", Wraps: true},
		}...)
	}
	for _, r := range list {
		row := []string{
			text.Line(r.Run), stands(r, now), text.Line(string(r.Reason)), fmt.Sprint(r.Iterations), dollars(r.CostUSD), hand(r), text.Line(r.Queue), when(r.StartedAt),
		}
		if long {
			row = append(row, fmt.Sprint(r.Leg), tokens(r.Tokens), text.Line(r.Branch), text.Line(r.Remote), text.Line(r.By), view.Fit(text.Line(why(r)), 60))
		}
		t.Add(row...)
	}
	return t
}

// stands is the state of a run in words.
func stands(r fleet.Row, now time.Time) string {
	words := text.Line(string(r.State))
	switch {
	case r.State == loop.Done && r.Proven != nil && *r.Proven:
		words = view.People(loop.Done, loop.LevelProven)
	case r.Paused && r.State != loop.Paused:
		words += ", to be paused"
	case r.WaitUntil.After(now):
		words += " until " + view.Clock(r.WaitUntil, now)
	}
	return words
}

func hand(r fleet.Row) string {
	switch {
	case r.Worker == "":
		return "-"
	case r.Live:
		return text.Line(r.Worker)
	}
	return "(" + text.Line(r.Worker) + ")" // who had it last
}

func why(r fleet.Row) string {
	if r.Wrong != "" {
		return r.Wrong
	}
	return r.Why
}

func dollars(usd float64) string {
	if usd == 0 {
		return "-"
	}
	return view.Dollars(usd, false)
}

func tokens(n int64) string {
	if n == 0 {
		return "-"
	}
	return text.Count(int(n))
}

func when(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Local().Format("2006-01-02 15:04")
}
