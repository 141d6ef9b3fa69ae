package dispatch

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/cli"
	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/text"
)

func waitCommand(p post) *cobra.Command {
	cmd := &cobra.Command{
		Use: "wait [RUN]", Short: "Wait until a run is over, and end as it does",
		Long: "Wait until a run is over, and end with the exit status that \"refrain run\" would: 0 is done and nothing\n" +
			"else. A signal ends the wait, and not the run.",
		Args: cli.AtMost(1), ValidArgsFunction: completeRuns(p, false),
	}
	asJSON := cli.AddJSON(cmd)
	cmd.RunE = p.asking(func(ctx context.Context, service fleet.Service, _ *cobra.Command, args []string) error {
		row, err := p.meant(ctx, service, first(args))
		if err != nil {
			return err
		}
		return waitFor(ctx, p, service, []string{row.Run}, *asJSON)
	})
	return cmd
}

// waitFor waits until runs are over, tells of each, and ends as the first that was not
// done did.
func waitFor(ctx context.Context, p post, service fleet.Service, runs []string, asJSON bool) error {
	var over []fleet.Row
	begun := time.Now()
	for _, run := range runs {
		row, err := await(ctx, p, service, run, begun, asJSON)
		if err != nil {
			return err
		}
		over = append(over, row)
	}
	status := 0
	for _, row := range over {
		if s := cli.ExitStatus(row.State); status == 0 {
			status = s
		}
	}
	p.End(status)
	switch {
	case !asJSON:
		return nil
	case len(over) == 1:
		return p.PrintJSON(over[0])
	}
	return p.PrintJSON(over)
}

// await waits for one.
func await(ctx context.Context, p post, service fleet.Service, run string, begun time.Time, quiet bool) (fleet.Row, error) {
	end := func() {}
	if !quiet {
		end = p.Wait(func() string { return "waiting for " + text.Line(run) + ": " + text.Seconds(time.Since(begun)) })
	}
	row, err := service.Wait(ctx, run)
	end()
	if err == nil && !quiet {
		tellEnd(p, row)
	}
	return row, err
}

// tellEnd says in a line how a run has ended.
func tellEnd(p post, row fleet.Row) {
	line := text.Line(row.Run) + ": " + stands(row, time.Now()) + ", " + text.Plural(row.Iterations, "iteration")
	if row.CostUSD > 0 {
		line += ", " + dollars(row.CostUSD)
	}
	if w := why(row); w != "" {
		line += ": " + text.Line(w)
	}
	p.Say("%s", line)
}
