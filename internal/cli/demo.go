package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/scaffold"
	"github.com/refrain-loop/refrain/internal/view"
)

func demoCommand(sh *shell) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Watch a whole run with the built-in rehearsal agent: no key, no network",
		Long: "Make a small project with failing tests in a temporary folder and let a scripted agent mend it:\n" +
			"a false claim that the tests refuse, a failure, a claim with the tests rewritten, and the fix, proven.",
		Args: noArguments,
	}
	addOutput(cmd.Flags(), &output)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		screen, err := newScreen(sh, output, "live")
		if err != nil {
			return err
		}
		ctx := cmd.Context()
		dir, err := scaffold.NewDemo(ctx)
		if err != nil {
			return err
		}
		talk := screen.kind == "plain" || screen.kind == "lines" || screen.kind == "live"
		if talk {
			fmt.Fprintf(sh.out, "A project with failing tests, and a scripted agent that mends it, in\n%s\n\n", dir)
		}
		if err := app.AgreeToOwn(ctx, dir, []string{config.FileName}); err != nil {
			return err
		}
		if screen.kind == "tui" {
			sh.dir = dir
			return attendOnScreen(ctx, sh, nil, "run", "-C", dir, "--output", "quiet")
		}
		job, err := app.Prepare(ctx, dir, request.Request{})
		if err != nil {
			return err
		}
		err = sh.attend(job, "", screen, func(w app.RunOptions) (loop.RunFinished, error) {
			screen.show(view.New())
			return job.Start(ctx, w)
		})
		if err == nil && talk {
			fmt.Fprintf(sh.out, whatNext, dir)
		}
		return err
	}
	return cmd
}

const whatNext = `
What to try next:
  cd %s
  refrain show               the run, iteration by iteration
  refrain show last/3        why the claim in iteration 3 was refused
  refrain diff last/4        what iteration 4 changed
  refrain rollback last/0    put the files back as they were before the run
  refrain run -p 'Fix the failing tests' --until DONE -- YOUR-AGENT --headless
`
