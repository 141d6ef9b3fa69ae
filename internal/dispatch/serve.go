package dispatch

import (
	"context"
	"sync"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/cli"
	"github.com/refrain-loop/refrain/internal/lookout"
	"github.com/refrain-loop/refrain/internal/web"
)

// fleetPage is the page with the runs that somebody sees.
func fleetPage(page web.Options, l *lookout.Lookout) web.Options {
	page.Stores, page.Coming = l.Stores, l.Coming
	page.Look, page.LookClosely, page.Do, page.Files = l.View, l.View, l.Do, l.Files
	return page
}

// usualListen is where the page of a fleet is, beside that of a machine.
const usualListen = "127.0.0.1:4118"

// shownOver is how many runs that are over the page has.
const shownOver = 100

func serveCommand(p post) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Show every run of the fleet on a page in your browser, and steer them there",
		Long: "Serve a page with the runs of the fleet, as \"refrain serve\" does with those of this machine: what needs you,\n" +
			"what runs, what is over, and for each what its records say. What you tell a run there goes to whoever has it.\n" +
			"Ctrl+C ends the page, and no run. docs/web.md says who can reach it.",
		Example: "  refrain fleet serve --open",
		Args:    cli.NoArguments,
	}
	p.ServeRuns(cmd, "The runs of the fleet", usualListen, func(ctx context.Context, page web.Options) (web.Options, func(), error) {
		service, err := p.dial(ctx)
		if err != nil {
			return page, nil, told(err)
		}
		v, err := newViewer(ctx, p, service)
		if err != nil {
			service.Close()
			return page, nil, err
		}
		ctx, enough := context.WithCancel(ctx)
		var wg sync.WaitGroup
		wg.Go(func() { v.KeepAll(ctx, shownOver) })
		return fleetPage(page, v.Lookout), func() {
			enough()
			wg.Wait()
			service.Close()
		}, nil
	})
	return cmd
}
