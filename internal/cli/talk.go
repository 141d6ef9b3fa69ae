package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/control"
	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/proc"
)

// The commands here talk to a live run, from any terminal.

func pauseCommand(sh *shell) *cobra.Command {
	return talk(sh, "pause [RUN]", "Hold a live run before its next iteration", control.Pause)
}

func skipCommand(sh *shell) *cobra.Command {
	return talk(sh, "skip [RUN]", "End the agent that runs and go on with the next iteration", control.Skip)
}

func rebootCommand(sh *shell) *cobra.Command {
	return talk(sh, "reboot [RUN]", "Give up the agent's session and begin a fresh one", control.Reboot)
}

func stopCommand(sh *shell) *cobra.Command {
	cmd := talk(sh, "stop [RUN]", "Stop a live run after this iteration, or now", control.Stop)
	now := cmd.Flags().Bool("now", false, "end the agent, too")
	say := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *now {
			return sayTo(sh, cmd, first(args), control.Command{Command: control.StopNow})
		}
		return say(cmd, args)
	}
	return cmd
}

func noteCommand(sh *shell) *cobra.Command {
	cmd := talk(sh, "note TEXT [RUN]", "Tell the next agent of a live run something", control.Note)
	cmd.Example = "  refrain note 'The API key is in .env.test'\n  refrain note fix the tests first"
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usage("there is no note", "write what the next agent should know")
		}
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		note, ref := noteFor(sh, args)
		if strings.TrimSpace(note) == "" {
			return usage("the note is empty", "write what the next agent should know")
		}
		return sayTo(sh, cmd, ref, control.Command{Command: control.Note, Text: note})
	}
	return cmd
}

// noteFor tells a note from the run that it is for. A quoted text is the note, and
// what follows it the run. Words without quotes are all the note, but for a run at
// their end: one whose full name that is, for "fix the build" means none.
func noteFor(sh *shell, args []string) (note, ref string) {
	last := len(args) - 1
	if last == 0 || last == 1 && (isSentence(args[:1]) || strings.TrimSpace(args[0]) == "") {
		return args[0], first(args[1:])
	}
	_, run, err := sh.meant(args[last])
	if err == nil && (last == 1 || run.Name == args[last]) {
		return strings.Join(args[:last], " "), args[last]
	}
	return strings.Join(args, " "), ""
}

func raiseCommand(sh *shell) *cobra.Command {
	cmd := talk(sh, "raise KEY=VALUE [RUN]", "Change a limit of a live run", control.Raise)
	cmd.Long = "Change a limit of a live run: loop.max_iterations, loop.max_time, budget.cost_usd, budget.tokens or limits.max_wait.\n" +
		"The value is the new total, not an addition; 0 is no limit."
	cmd.Example = "  refrain raise budget.cost_usd=20\n  refrain raise loop.max_iterations=100 build-7"
	cmd.Args = between(1, 2)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		key, value, ok := strings.Cut(args[0], "=")
		if !ok || key == "" || value == "" {
			return usage(fmt.Sprintf("%q is not KEY=VALUE", args[0]), "write it like budget.cost_usd=20")
		}
		return sayTo(sh, cmd, first(args[1:]), control.Command{Command: control.Raise, Key: key, Value: value})
	}
	return cmd
}

func approveCommand(sh *shell) *cobra.Command {
	cmd := talk(sh, "approve [RUN] [ANSWER]", "Answer the question of an attended run", control.Approve)
	cmd.Long = "Answer the question that a run asks before it goes on: continue (which is meant without an answer), skip, reboot or stop."
	cmd.Example = "  refrain approve\n  refrain approve skip\n  refrain approve build-7 stop"
	cmd.Args = atMost(2)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ref, answer := first(args), ""
		switch {
		case len(args) == 2:
			answer = args[1]
		case slices.Contains(app.Answers, ref):
			ref, answer = "", ref
		case ref != "":
			if _, _, err := sh.find(ref); err != nil {
				return usage(fmt.Sprintf("%q is neither a run nor an answer", ref), "the answers are "+strings.Join(app.Answers, ", "))
			}
		}
		return sayTo(sh, cmd, ref, control.Command{Command: control.Approve, Text: answer})
	}
	return cmd
}

// talk makes a command that says one thing to a live run.
func talk(sh *shell, use, short, command string) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Args: atMost(1), ValidArgsFunction: completeRuns(sh),
		RunE: func(cmd *cobra.Command, args []string) error {
			return sayTo(sh, cmd, first(args), control.Command{Command: command})
		},
	}
	sh.addMachine(cmd, findsMachine)
	cmd.Flags().Bool("no-wait", false, "do not wait until it has taken effect")
	addJSON(cmd)
	return cmd
}

// answered is an answer for scripts.
type answered struct {
	Run string `json:"run,omitempty"`
	control.Answer
}

// errJustEnded says that a run was alive a moment ago.
var errJustEnded = failure{"the run has just ended", "\"refrain status\" tells how", statusFailed}

// sayTo sends a command to a live run and tells what came of it.
func sayTo(sh *shell, cmd *cobra.Command, ref string, c control.Command) error {
	c.NoWait, _ = cmd.Flags().GetBool("no-wait")
	asJSON, _ := cmd.Flags().GetBool("json")
	run, err := sh.live(ref)
	var told failure
	if asJSON && errors.As(err, &told) && told.status == statusFailed {
		sh.status = statusFailed
		return printJSON(sh.out, answered{Run: run.Name, Answer: control.Answer{Why: told.what}})
	}
	if err != nil {
		return err
	}
	return give(cmd.Context(), sh, run, c, asJSON)
}

// give is a command for a run that is alive.
func give(ctx context.Context, sh *shell, run history.LiveRun, c control.Command, asJSON bool) error {
	answer, err := control.Dial(run.Socket).Do(ctx, c)
	var refused *control.Refused
	switch {
	case errors.As(err, &refused) && asJSON:
		sh.status = statusFailed
		return printJSON(sh.out, answered{run.Name, control.Answer{State: refused.State, Why: refused.Why}})
	case errors.As(err, &refused):
		return failure{fmt.Sprintf("%s did not take %q: %s", run.Name, refused.Command, refused.Why), "\"refrain status\" shows what it is doing", statusFailed}
	case errors.Is(err, control.ErrNobody):
		return errJustEnded
	case errors.Is(err, control.ErrSilent) && asJSON:
		sh.status = statusFailed
		return printJSON(sh.out, answered{run.Name, control.Answer{Why: silentRun(run).what}})
	case errors.Is(err, control.ErrSilent):
		return silentRun(run)
	case err != nil:
		return err
	}
	if asJSON {
		return printJSON(sh.out, answered{run.Name, answer})
	}
	fmt.Fprintf(sh.out, "%s: %s\n", run.Name, answer.Effect)
	return nil
}

// silentRun says that a run does not answer, and what a person can do.
func silentRun(run history.LiveRun) failure {
	f := failure{run.Name + " does not answer", "try again; if it stays so, end it with \"kill -KILL PID\" and go on with \"refrain resume\"", statusFailed}
	holder, alive := run.Store.Holder()
	if !alive || holder.PID == 0 {
		return f
	}
	if f.what = fmt.Sprintf("%s does not answer: its runner (pid %d) hangs", run.Name, holder.PID); proc.Stopped(holder.PID) {
		f.what = fmt.Sprintf("%s does not answer: its runner (pid %d) is stopped", run.Name, holder.PID)
	}
	f.hint = fmt.Sprintf("let it go on with \"kill -CONT %d\", or end it with \"kill -KILL %d\" and go on with \"refrain resume\"", holder.PID, holder.PID)
	return f
}
