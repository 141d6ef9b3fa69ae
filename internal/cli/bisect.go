package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

func bisectCommand(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bisect [RUN] GATE",
		Short: "Find the iteration that broke a gate",
		Long: "Find the iteration after which a gate failed that had passed before: from what the run recorded, and\n" +
			"where that leaves a gap, by running the gate on the run's checkpoints in a clean checkout. The work\n" +
			"tree is not touched.",
		Example:           "  refrain bisect test\n  refrain bisect build-7 test",
		ValidArgsFunction: completeRuns(sh),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 || len(args) > 2 {
				return usage(cmd.CommandPath()+" takes the name of a gate, and before it that of a run", "write it like: refrain bisect build-7 test")
			}
			return nil
		},
	}
	f := cmd.Flags()
	addSettings(f, []settingFlag{sandboxFlag})
	addTrust(f)
	asJSON := addJSON(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		flags, err := settingsOf(f, []settingFlag{sandboxFlag})
		if err != nil {
			return err
		}
		ref, gate := "", args[len(args)-1]
		if len(args) == 2 {
			ref = args[0]
		}
		runs, entry, err := sh.find(ref)
		if err != nil {
			return err
		}
		ctx, ended := sh.untilSignal(cmd.Context())
		defer ended()
		tell := func(iteration int, g loop.Gate) {
			if !*asJSON {
				fmt.Fprintf(sh.out, "after %s: %s\n", iterationWords(iteration), view.Gate(g))
			}
		}
		var culprit *history.Culprit
		err = sh.agreeing(func() (err error) {
			culprit, err = app.Bisect(ctx, runs, entry, gate, request.Request{Flags: flags, Consent: consent(f)}, tell, func(w *loop.Warning) { tellGate(sh, w) })
			return err
		})
		switch {
		case ctx.Err() != nil: // by a signal
			return nil
		case err != nil:
			return err
		case *asJSON:
			return printJSON(sh.out, culprit)
		}
		fmt.Fprintf(sh.out, "%s/%d broke gate %s: %s; after %s it passed.\n",
			entry.Name, culprit.Iteration, text.Line(gate), text.Line(culprit.Gate.Why), iterationWords(culprit.Good))
		if culprit.Summary != "" {
			fmt.Fprintf(sh.out, "It said: %s\n", text.Line(culprit.Summary))
		}
		fmt.Fprintf(sh.out, "See what it changed with: refrain diff %s/%d\n", entry.Name, culprit.Iteration)
		return nil
	}
	return cmd
}

func iterationWords(n int) string {
	if n == 0 {
		return "no iteration yet"
	}
	return fmt.Sprintf("iteration %d", n)
}
