package dispatch

import (
	"context"
	"slices"
	"sync"
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
			"else. A signal ends the wait, and not the run. When the run needs you, or no worker can have it, you\n" +
			"are told, and what to do.",
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
	line := &waitLine{post: p}
	news := &vigil{look: func(ctx context.Context) []fleet.Row { return among(ctx, service, runs) }, why: func(ctx context.Context, row fleet.Row) holdup {
		return holdupOf(ctx, service, row, time.Now())
	}, say: func(run string, h holdup) { line.above(func() { warn(p, run, h) }) }}
	news.round(ctx)
	defer news.keep(ctx)()
	for _, run := range runs {
		row, err := await(ctx, line, service, run, begun, asJSON)
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

// among are those of the runs that are under way.
func among(ctx context.Context, service fleet.Service, runs []string) []fleet.Row {
	if len(runs) == 1 {
		row, err := service.Find(ctx, runs[0])
		if err != nil {
			return nil // whoever waits for it hears of that
		}
		return []fleet.Row{row}
	}
	list, _ := service.List(ctx, fleet.Filter{}) // likewise
	return slices.DeleteFunc(list, func(r fleet.Row) bool { return !slices.Contains(runs, r.Run) })
}

// await waits for one.
func await(ctx context.Context, line *waitLine, service fleet.Service, run string, begun time.Time, quiet bool) (fleet.Row, error) {
	if !quiet {
		line.begin(func() string { return "waiting for " + text.Line(run) + ": " + text.Seconds(time.Since(begun)) })
	}
	row, err := service.Wait(ctx, run)
	line.end()
	if err == nil && !quiet {
		line.above(func() { tellEnd(line.post, row) })
	}
	return row, err
}

// waitLine is the line of a terminal that says what is waited for.
type waitLine struct {
	post  post
	mu    sync.Mutex
	words func() string
	over  func() // nil: there is none
}

func (l *waitLine) begin(words func() string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.words, l.over = words, l.post.Wait(words)
}

func (l *waitLine) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over != nil {
		l.over()
		l.over = nil
	}
}

// above has something written that stays.
func (l *waitLine) above(write func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over == nil {
		write()
		return
	}
	l.over()
	write()
	l.over = l.post.Wait(l.words)
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
