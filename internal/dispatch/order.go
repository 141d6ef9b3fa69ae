package dispatch

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/cli"
	"github.com/refrain-loop/refrain/internal/control"
	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/text"
)

// The commands here tell a run something, wherever it is. One that no worker has at the
// moment hears it when its next leg begins.

func pauseCommand(p post) *cobra.Command {
	return p.talk("pause [RUN]", "Hold a run before its next iteration", control.Pause)
}

func resumeCommand(p post) *cobra.Command {
	return p.talk("resume [RUN]", "Let a run go on that is paused, waits, or has failed", control.Resume)
}

func skipCommand(p post) *cobra.Command {
	return p.talk("skip [RUN]", "End the agent that runs and go on with the next iteration", control.Skip)
}

func stopCommand(p post) *cobra.Command {
	cmd := p.talk("stop [RUN]", "Stop a run after this iteration, or now", control.Stop)
	now := cmd.Flags().Bool("now", false, "end the agent, too")
	cmd.RunE = p.saying(func(_ *cobra.Command, args []string, _ func(string) bool) (string, []fleet.Order, error) {
		command := control.Stop
		if *now {
			command = control.StopNow
		}
		return first(args), []fleet.Order{{Command: command}}, nil
	})
	return cmd
}

func noteCommand(p post) *cobra.Command {
	cmd := p.talk("note [RUN] TEXT…", "Tell the next agent of a run something", control.Note)
	cmd.Example = "  refrain fleet note 'The API key is in .env.test'\n  refrain fleet note fix-tests-3f2a use tabs, not spaces"
	cmd.Args = cli.Some("a text")
	cmd.RunE = p.saying(func(_ *cobra.Command, args []string, isRun func(string) bool) (string, []fleet.Order, error) {
		ref, note := cli.NoteFor(args, isRun)
		if strings.TrimSpace(note) == "" {
			return "", nil, cli.UsageError("the note is empty", "write what the next agent should know")
		}
		return ref, []fleet.Order{{Command: control.Note, Text: note}}, nil
	})
	return cmd
}

func raiseCommand(p post) *cobra.Command {
	cmd := p.talk("raise [RUN] [KEY=VALUE…]", "Change a limit of a run", control.Raise)
	cmd.Long = "Change a limit of a run, by a flag or by its key: loop.max_iterations, loop.max_time, budget.cost_usd, budget.tokens or limits.max_wait.\n" +
		"The value is the new total, not an addition; 0 is no limit."
	cmd.Example = "  refrain fleet raise --max-cost 20\n  refrain fleet raise fix-tests-3f2a -n 100 --max-time 8h"
	cli.AddRaises(cmd.Flags())
	cmd.Args = nil
	cmd.RunE = p.saying(func(cmd *cobra.Command, args []string, _ func(string) bool) (string, []fleet.Order, error) {
		ref, wanted, err := cli.Raises(cmd.Flags(), args)
		var orders []fleet.Order
		for _, c := range wanted {
			orders = append(orders, fleet.Order{Command: c.Command, Key: c.Key, Value: c.Value})
		}
		return ref, orders, err
	})
	return cmd
}

func approveCommand(p post) *cobra.Command {
	cmd := p.talk("approve [RUN] [ANSWER]", "Answer the question of an attended run", control.Approve)
	cmd.Long = "Answer the question that a run asks before it goes on: continue, skip, reboot or stop. Without an answer it continues."
	cmd.Example = "  refrain fleet approve\n  refrain fleet approve skip\n  refrain fleet approve fix-tests-3f2a stop"
	cmd.Args = cli.AtMost(2)
	cmd.RunE = p.saying(func(_ *cobra.Command, args []string, isRun func(string) bool) (string, []fleet.Order, error) {
		ref, answer := first(args), ""
		switch {
		case len(args) == 2:
			answer = args[1]
		case slices.Contains(app.Answers, ref) && !isRun(ref):
			ref, answer = "", ref
		}
		return ref, []fleet.Order{{Command: control.Approve, Text: answer}}, nil
	})
	return cmd
}

// talk makes a command that says one thing to a run.
func (p post) talk(use, short, command string) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Args: cli.AtMost(1), ValidArgsFunction: completeRuns(p, false)}
	cli.AddJSON(cmd)
	cmd.RunE = p.saying(func(_ *cobra.Command, args []string, _ func(string) bool) (string, []fleet.Order, error) {
		return first(args), []fleet.Order{{Command: command}}, nil
	})
	return cmd
}

// saying says to a run what words come to, and tells what came of it. What is meant for
// which run may depend on which runs there are.
func (p post) saying(mean func(cmd *cobra.Command, args []string, isRun func(string) bool) (ref string, orders []fleet.Order, err error)) func(*cobra.Command, []string) error {
	return p.asking(func(ctx context.Context, service fleet.Service, cmd *cobra.Command, args []string) error {
		ref, orders, err := mean(cmd, args, func(word string) bool {
			row, err := service.Find(ctx, word)
			return err == nil && row.Run == word
		})
		if err != nil {
			return err
		}
		row, err := p.meant(ctx, service, ref)
		if err != nil {
			return err
		}
		if !row.EndedAt.IsZero() { // another run may have its name by now
			return &fleet.OverError{Run: row.Run, State: row.State}
		}
		asJSON, _ := cmd.Flags().GetBool("json")
		for _, o := range orders {
			if over, err := p.give(ctx, service, row.Run, o, asJSON); over || err != nil {
				return err
			}
		}
		return nil
	})
}

// give is one order. Over: no other one need be given.
func (p post) give(ctx context.Context, service fleet.Service, run string, o fleet.Order, asJSON bool) (over bool, err error) {
	answer, err := service.Order(ctx, run, o)
	switch {
	case err != nil:
		return true, err
	case asJSON:
		if !answer.OK {
			p.End(1)
		}
		return !answer.OK, p.PrintJSON(cli.Answered(run, control.Answer{OK: answer.OK, Effect: answer.Effect, State: answer.State, Why: answer.Why}))
	case !answer.OK:
		hint := "\"refrain fleet status " + run + "\" shows what it is doing"
		if o.Command == control.Raise {
			hint = "\"refrain fleet raise --help\" lists the limits"
		}
		return true, cli.FailedError(fmt.Sprintf("%s did not take %q: %s", text.Line(run), o.Command, text.Line(answer.Why)), hint)
	}
	p.Say("%s: %s", text.Line(run), text.Line(answer.Effect))
	return false, nil
}
