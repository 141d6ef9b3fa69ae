package cli

import (
	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/show"
)

func logsCommand(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "logs [RUN[/N]]",
		Short: "Show what the agent said and did in an iteration",
		Long: "Show the transcript of iteration N, or of the last one. With -f follow a live run, iteration by\n" +
			"iteration, until it ends, with a heading for each, for gates and for the end.",
		Example:           "  refrain logs\n  refrain logs build-7/3 --raw\n  refrain logs -f",
		Args:              atMost(1),
		ValidArgsFunction: completeRuns(sh),
	}
	heard := show.LogsFlags(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := heard.Check(); err != nil {
			return err
		}
		ref, iter, err := show.Ref(first(args))
		if err != nil {
			return err
		}
		store, entry, err := sh.meant(ref)
		if err != nil {
			return err
		}
		return sh.page(store, entry).Logs(cmd.Context(), iter, heard)
	}
	return cmd
}
