package dispatch

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/cli"
	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/term"
	"github.com/refrain-loop/refrain/internal/text"
)

func statusCommand(p post) *cobra.Command {
	cmd := &cobra.Command{
		Use: "status [RUN]", Short: "Show where a run is and how it stands, or how it ended",
		Args: cli.AtMost(1), ValidArgsFunction: completeRuns(p, true),
	}
	asJSON := cli.AddJSON(cmd)
	cmd.RunE = p.asking(func(ctx context.Context, service fleet.Service, _ *cobra.Command, args []string) error {
		row, err := p.meant(ctx, service, first(args))
		if err != nil {
			return err
		}
		if *asJSON {
			return p.PrintJSON(row)
		}
		p.Print(cardNow(ctx, service, row, time.Now()))
		return nil
	})
	return cmd
}

// cardNow is all that the fleet knows of a run, and what keeps it.
func cardNow(ctx context.Context, service fleet.Service, r fleet.Row, now time.Time) *term.Table {
	t := card(r, now)
	if h := holdupOf(ctx, service, r, now); h != (holdup{}) {
		t.Add("held up", h.what)
		t.Add("next", h.hint)
	}
	return t
}

// card is all that the fleet knows of a run.
func card(r fleet.Row, now time.Time) *term.Table {
	t := &term.Table{Columns: []term.Column{{}, {Wraps: true}}}
	add := func(what, is string) {
		if is != "" && is != "-" {
			t.Add(what, is)
		}
	}
	add("run", text.Line(r.Run)+" ("+text.Line(r.ID)+")")
	state := stands(r, now)
	if r.Reason != "" {
		state += " (" + text.Line(string(r.Reason)) + ")"
	}
	add("state", state)
	add("why", text.Line(r.Why))
	add("wrong", text.Line(r.Wrong))
	add("iterations", fmt.Sprint(r.Iterations))
	add("cost", dollars(r.CostUSD))
	add("tokens", tokens(r.Tokens))
	add("procedure", text.Line(r.Procedure))
	add("worker", text.Line(whose(r)))
	add("queue", text.Line(r.Queue))
	add("remote", text.Line(r.Remote))
	add("branch", text.Line(r.Branch)+at(r.Head))
	add("started", when(r.StartedAt))
	add("ended", when(r.EndedAt))
	add("by", text.Line(r.By))
	if r.Lost > 0 {
		add("lost", text.Plural(r.Lost, "leg")+" ended without a word")
	}
	var waiting []string
	for _, o := range r.Orders {
		waiting = append(waiting, orderWords(o))
	}
	add("to be told", strings.Join(waiting, "; "))
	return t
}

// whose says which worker has a run, or had it last.
func whose(r fleet.Row) string {
	switch {
	case r.Worker == "":
		return ""
	case r.Live:
		return fmt.Sprintf("%s (leg %d)", r.Worker, r.Leg)
	}
	return fmt.Sprintf("none; %s had it last (leg %d)", r.Worker, r.Leg)
}

// at is a commit beside the branch that it is of.
func at(commit string) string {
	const short = 10
	if len(commit) < short {
		return ""
	}
	return " at " + text.Line(commit[:short])
}

// orderWords is an order as a person has given it.
func orderWords(o fleet.Order) string {
	words := o.Command
	if o.Key != "" {
		words += " " + o.Key + "=" + o.Value
	}
	if o.Text != "" {
		words += " " + text.Shorten(o.Text, 40)
	}
	return text.Line(words)
}
