package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/control"
	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/stop"
	"github.com/refrain-loop/refrain/internal/view"
)

func resumeCommand(sh *shell) *cobra.Command {
	var (
		output string
		accept bool
		dry    bool
		now    bool
		noWait bool
		apart  bool
	)
	cmd := &cobra.Command{
		Use:   "resume [RUN]",
		Short: "Go on with a run: paused, waiting, parked, stopped, aborted, exhausted, failed or crashed",
		Long: "Go on with a run. One that is alive is unpaused, or its wait is cut short. Another one is started again: without\n" +
			"RUN the latest one here that can go on. Settings are read again, under the flags that the run was started with;\n" +
			"limits given here are new totals, not additions. A wait for a usage limit goes on, unless --now is given.",
		Example:           "  refrain resume\n  refrain resume build-7 -n 20",
		Args:              atMost(1),
		ValidArgsFunction: completeRuns(sh),
		RunE: func(cmd *cobra.Command, args []string) error {
			flags, err := settingsOf(cmd.Flags(), resumeFlags)
			if err != nil {
				return err
			}
			if run, err := sh.liveHere(first(args)); err == nil && !dry {
				if len(flags) > 0 {
					return failure{run.Name + " is alive: its settings cannot be changed", "change a limit with \"refrain raise\", or stop it first", statusLocked}
				}
				err := give(cmd.Context(), sh, run, control.Command{Command: control.Resume, NoWait: noWait}, output == "json")
				if !errors.Is(err, errJustEnded) {
					return err
				}
			}
			entry, err := history.FindResumable(sh.dir, first(args))
			if err != nil {
				return err
			}
			ctx := cmd.Context()
			agreed := consent(cmd.Flags())
			if dry && agreed == request.Remembered {
				agreed = request.OnlyLooking
			}
			var c *app.Continuation
			err = sh.agreeing(func() (err error) {
				preparing, ended := sh.untilSignal(ctx)
				defer ended()
				c, err = app.PrepareResume(preparing, entry, flags, accept, agreed)
				return err
			})
			switch {
			case sh.status != 0:
				return nil // a signal came meanwhile
			case err != nil:
				return err
			}
			screen, err := newScreen(sh, output, c.Config().Loop.Output)
			switch {
			case err != nil:
				return err
			case detached != "" || dry:
			case apart:
				return detach(sh, nil, again(sh)...)
			case screen.kind == "tui":
				return attendOnScreen(ctx, sh, nil, again(sh)...)
			}
			if dry {
				plan, err := c.DryRun(ctx)
				if err != nil {
					return err
				}
				return tellDryRun(sh, plan, output == "json")
			}
			var again bool
			var reason loop.Reason
			if err := sh.canAsk(c.Job); err != nil {
				return err
			}
			// Where it works was agreed to when it began.
			if _, ready := sh.ready(ctx, c.Job, withoutPlace); !ready {
				return nil
			}
			err = sh.attend(c.Job, entry.Name, screen, func(w app.RunOptions) (loop.RunFinished, error) {
				w.Hurry = now
				end, started, err := c.Resume(ctx, w, func(past *view.Run) {
					if len(args) == 0 { // nobody has said which one
						fmt.Fprintf(sh.err, "resuming %s\n", entry.Name)
					}
					screen.show(past)
				})
				again, reason = err == nil && !started, end.Reason
				if again {
					sh.warnOf(entry)
					fmt.Fprintf(screen.aside(), "%s would only end again: %s\n", entry.Name, end.Why)
				}
				return end, err
			})
			if again && sh.status == 2 {
				fmt.Fprintf(sh.err, "hint: raise the limit: refrain resume %s %s\n", entry.Name, stop.Raise(reason))
			}
			return err
		},
	}
	f := cmd.Flags()
	f.BoolVar(&apart, "detach", false, "start the run without a terminal, and come back when it takes commands")
	f.BoolVar(&dry, "dry-run", false, "show the next iteration's prompt, with what it hears of those before, and touch nothing")
	f.BoolVar(&noWait, "no-wait", false, "with a run that is alive: do not wait until it has taken effect")
	f.BoolVar(&now, "now", false, "do not wait for a usage limit that the run was waiting for")
	f.BoolVar(&accept, "accept-config", false, "accept that what ends the run was changed since it started")
	addTrust(f)
	addSettings(f, resumeFlags)
	addOutput(f, &output)
	return cmd
}

func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// aside is where to say what is no event: not among events for scripts, and where
// somebody hears it.
func (s *screen) aside() io.Writer {
	if s.kind == "json" || detached != "" {
		return s.sh.err
	}
	return s.sh.out
}
