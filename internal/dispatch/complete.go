package dispatch

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/fleet"
)

// A shell that asks for completions has somebody waiting at it.
const (
	completeTime = 2 * time.Second
	completeMost = 100
)

// completeRuns offers the names of runs, the newest first.
func completeRuns(p post, over bool) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		const rest = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
		if len(args) > 0 {
			return nil, rest
		}
		var names []cobra.Completion
		glance(cmd.Context(), p, func(ctx context.Context, service fleet.Service) error {
			list, err := service.List(ctx, fleet.Filter{Over: over, Most: completeMost})
			for _, r := range list {
				names = append(names, cobra.CompletionWithDesc(r.Run, string(r.State)))
			}
			return err
		})
		return names, rest
	}
}

// glance asks the fleet something for a completion. Where it does not answer there is
// none.
func glance(ctx context.Context, p post, ask func(context.Context, fleet.Service) error) {
	ctx, over := context.WithTimeout(ctx, completeTime)
	defer over()
	service, err := p.dial(ctx)
	if err != nil {
		return
	}
	defer service.Close()
	_ = ask(ctx, service)
}

// complete offers what a flag may be.
func complete(cmd *cobra.Command, flag string, values func() []string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return values(), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	})
}
