package dispatch

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/cli"
	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/term"
	"github.com/refrain-loop/refrain/internal/text"
)

func workersCommand(p post) *cobra.Command {
	cmd := &cobra.Command{Use: "workers", Short: "List the workers of a queue, and what they do", Args: cli.NoArguments}
	asJSON := cli.AddJSON(cmd)
	queue := cmd.Flags().String("queue", "", "the queue; without it, fleet.queue")
	cmd.RunE = p.asking(func(ctx context.Context, service fleet.Service, _ *cobra.Command, _ []string) error {
		name, err := p.queue(*queue)
		if err != nil {
			return err
		}
		list, err := service.Workers(ctx, name)
		if err != nil {
			return err
		}
		if *asJSON {
			return p.PrintJSON(append([]fleet.Worker{}, list...))
		}
		if len(list) == 0 {
			p.Say("no worker of the queue %s has asked for work lately: start one with \"refrain-worker work --queue %s\"", name, name)
			return nil
		}
		t := &term.Table{Columns: term.Heads("WORKER", "QUEUE", "BUSY", "SLOTS", "SEEN")}
		for _, w := range list {
			t.Add(text.Line(w.Name), text.Line(w.Queue), fmt.Sprint(w.Busy), fmt.Sprint(w.Slots), ago(w.Seen, time.Now()))
		}
		p.Print(t)
		return nil
	})
	return cmd
}

// queue is the queue that is named, or that the settings name.
func (p post) queue(named string) (string, error) {
	f, err := p.settings(queueFlag(named)...)
	return f.Queue, err
}

// ago is how long something is past.
func ago(t, now time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return text.Seconds(max(0, now.Sub(t))) + " ago"
}
