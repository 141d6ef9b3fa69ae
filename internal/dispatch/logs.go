package dispatch

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/cli"
	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/lookout"
	"github.com/refrain-loop/refrain/internal/show"
	"github.com/refrain-loop/refrain/internal/text"
)

func logsCommand(p post) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "logs [RUN[/N]]",
		Short: "Show what the agent said and did in an iteration",
		Long: "Show the transcript of iteration N, or of the last one, as \"refrain logs\" does. With -f follow the run from\n" +
			"leg to leg until it is over: what an agent said comes when it has ended, for only then its worker pushes.",
		Example: "  refrain fleet logs fix-tests-3f2a\n  refrain fleet logs fix-tests-3f2a/3 --raw\n  refrain fleet logs -f",
		Args:    cli.AtMost(1), ValidArgsFunction: completeRuns(p, true),
	}
	heard := show.LogsFlags(cmd.Flags())
	cmd.RunE = p.asking(func(ctx context.Context, service fleet.Service, _ *cobra.Command, args []string) error {
		if err := heard.Check(); err != nil {
			return err
		}
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
		if err == nil && !begun && *heard.Follow {
			if begun = v.untilBegun(ctx, r); !begun {
				return v.neverBegun(ctx, r)
			}
			s, _, err = v.see(r)
		}
		switch {
		case err != nil:
			return err
		case !begun:
			return cli.UsageError(notBegun(r.Row()), "wait for it with -f")
		}
		if *heard.Follow {
			var wg sync.WaitGroup
			defer wg.Wait()
			keeping, enough := context.WithCancel(ctx)
			defer enough()
			wg.Go(func() { v.Keep(keeping, r) })
		}
		err = v.page(s).Logs(ctx, iter, heard)
		if trouble := r.Trouble(); *heard.Follow && trouble != nil && lookout.Over(r.Row()) && ctx.Err() == nil {
			row := r.Row()
			p.Warn(fmt.Sprintf("%s is over (%s), and the end of its records cannot be seen: %v", text.Line(row.Run), stands(row, time.Now()), trouble), "\"refrain fleet status "+text.Line(row.Run)+"\" has what the fleet knows of it")
		}
		return err
	})
	return cmd
}
