package dispatch

import (
	"context"
	"fmt"
	"strings"

	"github.com/refrain-loop/refrain/internal/carry"
	"github.com/refrain-loop/refrain/internal/cli"
	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/text"
)

// meant is the run that a person means: the one that is named, or the only one of this
// repository that is under way.
func (p post) meant(ctx context.Context, service fleet.Service, word string) (fleet.Row, error) {
	if word != "" {
		return service.Find(ctx, word)
	}
	remote, err := p.remoteHere(ctx)
	if err != nil {
		return fleet.Row{}, cli.UsageError("no run is named, and this folder does not tell which one is meant: "+err.Error(), "name it: \"refrain fleet ls\" lists the runs")
	}
	list, err := service.List(ctx, fleet.Filter{Remote: remote})
	if err != nil {
		return fleet.Row{}, err
	}
	switch len(list) {
	case 0:
		return fleet.Row{}, cli.FailedError("no run of "+text.Line(remote)+" is under way in the fleet", "\"refrain fleet ls --all\" lists those that are over")
	case 1:
		return list[0], nil
	}
	var names []string
	for _, r := range list {
		names = append(names, text.Line(r.Run))
	}
	return fleet.Row{}, cli.UsageError(fmt.Sprintf("%d runs of %s are under way: %s", len(list), text.Line(remote), strings.Join(names, ", ")), "name the one that you mean")
}

// remoteHere is the remote of the runs of this work tree, as the fleet has it.
func (p post) remoteHere(ctx context.Context) (string, error) {
	f, err := p.settings()
	if err != nil {
		return "", err
	}
	place, err := p.place()
	if err != nil {
		return "", err
	}
	address, err := place.Address(ctx, f.Remote)
	if err != nil {
		return "", err
	}
	return address, keyless("the remote", address)
}

// place is this work tree, as runs leave it.
func (p post) place() (carry.Place, error) {
	store, err := p.Store()
	if err != nil {
		return carry.Place{}, err
	}
	if store, err = store.Claim(); err != nil {
		return carry.Place{}, err
	}
	return carry.Place{Store: store, Stage: p.Stages(false)}, nil
}

func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}
