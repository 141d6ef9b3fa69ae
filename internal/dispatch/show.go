package dispatch

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/cli"
	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/show"
)

func showCommand(p post) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show [RUN[/N]]",
		Short: "Show a run with its iterations, or one iteration in full",
		Long: "Show a run with its iterations, or one iteration in full, as \"refrain show\" does. Its records come from\n" +
			"its remote, as they were when its worker last pushed: before an iteration, when its agent has ended, and\n" +
			"when it is judged.",
		Example: "  refrain fleet show fix-tests-3f2a\n  refrain fleet show fix-tests-3f2a/3\n  refrain fleet show fix-tests-3f2a/3 --tests",
		Args:    cli.AtMost(1), ValidArgsFunction: completeRuns(p, true),
	}
	wanted := show.ShowFlags(cmd.Flags())
	cmd.RunE = p.asking(func(ctx context.Context, service fleet.Service, _ *cobra.Command, args []string) error {
		ref, iter, err := show.Ref(first(args))
		if err != nil {
			return err
		}
		v, err := newViewer(ctx, p, service)
		if err != nil {
			return err
		}
		r, err := v.meant(ctx, ref)
		if err != nil {
			return err
		}
		s, begun, err := v.see(r)
		switch {
		case err != nil:
			return err
		case begun:
			err := v.page(s).Show(ctx, iter, wanted)
			if err == nil && iter == 0 && !*wanted.JSON {
				warn(p, s.Row().Run, holdupOf(ctx, service, s.Row(), time.Now()))
			}
			return err
		case iter > 0:
			return cli.UsageError(notBegun(s.Row()), "look again when a worker has taken it up")
		case *wanted.JSON:
			return p.PrintJSON(struct {
				Run   string    `json:"run"`
				ID    string    `json:"id"`
				State string    `json:"state"`
				Fleet fleet.Row `json:"fleet"`
			}{s.Row().Run, s.Row().ID, string(s.Row().State), s.Row()})
		}
		p.Print(cardNow(ctx, service, s.Row(), time.Now()))
		return nil
	})
	return cmd
}
