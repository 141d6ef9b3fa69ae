// Refrain-worker does runs of a fleet, and is the command line of fleets.
package main

import (
	"context"
	"os"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/cli"
	"github.com/refrain-loop/refrain/internal/desk"
	"github.com/refrain-loop/refrain/internal/dispatch"
	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/flow"
)

func main() {
	app.Helper()
	os.Exit(dispatch.Main(os.Args[1:], dispatch.Backend{Dial: dial, Work: flow.Work, Desk: newDesk}))
}

func dial(ctx context.Context, s fleet.Server) (fleet.Service, error) {
	service, err := flow.Dial(ctx, s)
	if err != nil {
		return nil, err
	}
	return service, nil
}

func newDesk(b dispatch.Bench) (dispatch.Desk, error) {
	d, err := desk.New(desk.Options{Root: b.Root, Worker: b.Worker, Trust: b.Trust, Version: cli.Version})
	if err != nil {
		return nil, err
	}
	return d, nil
}
