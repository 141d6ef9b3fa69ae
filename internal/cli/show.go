package cli

import (
	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/show"
)

func showCommand(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:               "show [RUN[/N]]",
		Short:             "Show a run with its iterations, or one iteration in full",
		Example:           "  refrain show\n  refrain show build-7/3\n  refrain show build-7/3 --tests\n  refrain show build-7 --later\n  refrain show build-7 --refused",
		Args:              atMost(1),
		ValidArgsFunction: completeRuns(sh),
	}
	wanted := show.ShowFlags(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ref, iter, err := show.Ref(first(args))
		if err != nil {
			return err
		}
		store, entry, err := sh.find(ref)
		if err != nil {
			return err
		}
		return sh.page(store, entry).Show(cmd.Context(), iter, wanted)
	}
	return cmd
}
