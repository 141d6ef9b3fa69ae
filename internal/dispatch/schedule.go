package dispatch

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/cli"
	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/term"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

func scheduleCommand(p post) *cobra.Command {
	cmd := &cobra.Command{
		Use: "schedule", Short: "Have a run handed in again and again",
		Example: "  refrain fleet schedule add nightly --when '0 3 * * 1-5' build --base main\n  refrain fleet schedule ls\n  refrain fleet schedule rm nightly",
		Args:    cli.NoArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(scheduleAdd(p), scheduleLs(p), scheduleRm(p))
	return cmd
}

func scheduleAdd(p post) *cobra.Command {
	var wish cli.Wish
	var where whereFlags
	name, at := "", ""
	cmd := &cobra.Command{
		Use:   "add NAME --when WHEN [PROCEDURE] [SENTENCE] [flags] [-- COMMAND ARGS…]",
		Short: "Have a run handed in again and again",
		Long: "Have a run handed in again and again: what is wanted is said as to \"refrain fleet submit\". Each run has an\n" +
			"id, a name and a branch of its own. It begins at the remote's default branch as that is then, or at --base.",
		Example: "  refrain fleet schedule add nightly --when '0 3 * * *' build --base main\n  refrain fleet schedule add tidy --when 'every 6h' 'Mend what lint complains of' --gate 'make lint'",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 || cmd.ArgsLenAtDash() == 0 {
				return cli.UsageError("the schedule has no name", "name it: refrain fleet schedule add NAME --when 'every 6h' 'What is to be done'")
			}
			if name = args[0]; !goodName().MatchString(name) {
				return cli.UsageError(fmt.Sprintf("%q is no name for a schedule", name), "use letters, digits, - and _, 63 at most")
			}
			return wish.TakeAfter(p.Shell, cmd, args, 1)
		},
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			if what := badWhen(at); what != "" {
				return cli.UsageError("--when "+what, "write it like 'every 6h', or as cron does: '0 3 * * *'")
			}
			return wish.Exclusive(cmd)
		},
	}
	wish.Add(cmd)
	where.add(cmd)
	cmd.Flags().StringVar(&at, "when", "", "when: as cron has it, in UTC, or \"every 6h\"")
	asJSON := cli.AddJSON(cmd)
	cmd.RunE = p.Heeding(func(cmd *cobra.Command, _ []string) error {
		s, plan, err := schedule(p, cmd, &wish, &where)
		if err != nil {
			return told(byFlag(cmd, err))
		}
		plan.Name, plan.When, plan.Spec.Name = name, inHours(at), name
		service, err := p.reach(cmd.Context(), serverOf(s.settings))
		if err != nil {
			return err
		}
		defer service.Close()
		if err := service.Schedule(cmd.Context(), plan); err != nil {
			return told(err)
		}
		s.tellWorries()
		if *asJSON {
			return p.PrintJSON(fleet.Planned{Name: name, When: at, Remote: plan.Spec.Remote})
		}
		p.Say("%s is scheduled: %s, for the queue %s", name, at, plan.Spec.Queue)
		return nil
	})
	return cmd
}

// schedule is the plan, and where it is made. What its runs have of their own is not
// said yet.
func schedule(p post, cmd *cobra.Command, wish *cli.Wish, where *whereFlags) (*site, fleet.Plan, error) {
	req, err := wish.Request(p.Shell, cmd)
	if err != nil {
		return nil, fleet.Plan{}, err
	}
	own, rest := apart(req.Flags)
	req.Flags = rest
	s := &site{post: p, flags: append(where.flags(cmd), own...), later: true}
	if err := s.open(cmd.Context()); err != nil {
		return nil, fleet.Plan{}, err
	}
	spec, err := s.spec(cmd.Context(), wanted{req: req, branch: where.branch})
	return s, fleet.Plan{Spec: spec}, err
}

// leastEvery is how often a run is handed in at most.
const leastEvery = time.Minute

// badWhen is what is wrong with the times of a schedule.
func badWhen(s string) string {
	rest, every := strings.CutPrefix(s, "every ")
	fields := strings.Fields(s)
	switch {
	case s == "":
		return "is missing"
	case every:
		if d, err := setting.ReadDuration(strings.TrimSpace(rest)); err != nil || d < leastEvery {
			return fmt.Sprintf("has no duration of a minute or more, but %q", rest)
		}
	case len(fields) != 5:
		return fmt.Sprintf("has %s, and cron has five: minute, hour, day, month, weekday", text.Plural(len(fields), "field"))
	case strings.Trim(s, "0123456789*/,- ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") != "":
		return "has a sign that cron does not have"
	}
	return ""
}

// inHours has "every 2d" in words that every server knows.
func inHours(s string) string {
	if rest, every := strings.CutPrefix(s, "every "); every {
		if d, err := setting.ReadDuration(strings.TrimSpace(rest)); err == nil {
			return "every " + d.String()
		}
	}
	return s
}

func scheduleLs(p post) *cobra.Command {
	cmd := &cobra.Command{Use: "ls", Short: "List the schedules, and when each is next", Args: cli.NoArguments}
	asJSON := cli.AddJSON(cmd)
	cmd.RunE = p.asking(func(ctx context.Context, service fleet.Service, _ *cobra.Command, _ []string) error {
		list, err := service.Schedules(ctx)
		if err != nil {
			return err
		}
		if *asJSON {
			return p.PrintJSON(append([]fleet.Planned{}, list...))
		}
		if len(list) == 0 {
			p.Say("nothing is scheduled: \"refrain fleet schedule add\" does that")
			return nil
		}
		t := &term.Table{Columns: []term.Column{{Name: "SCHEDULE"}, {Name: "WHEN"}, {Name: "NEXT"}, {Name: "LAST", Rank: 1}, {Name: "REMOTE", Rank: 2}}}
		for _, one := range list {
			next, last := "-", "-"
			if one.Paused {
				next = "paused"
			} else if len(one.Next) > 0 {
				next = view.Clock(one.Next[0], time.Now())
			}
			if len(one.Last) > 0 {
				last = text.Line(one.Last[len(one.Last)-1])
			}
			t.Add(text.Line(one.Name), text.Line(one.When), next, last, text.Line(one.Remote))
		}
		p.Print(t)
		return nil
	})
	return cmd
}

func scheduleRm(p post) *cobra.Command {
	cmd := &cobra.Command{
		Use: "rm NAME", Short: "End a schedule; the runs that it has handed in go on",
		Args: cli.Named("name the schedule: \"refrain fleet schedule ls\" lists them"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			var names []cobra.Completion
			if len(args) == 0 {
				glance(cmd.Context(), p, func(ctx context.Context, service fleet.Service) error {
					list, err := service.Schedules(ctx)
					for _, one := range list {
						names = append(names, cobra.CompletionWithDesc(one.Name, one.When))
					}
					return err
				})
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.RunE = p.asking(func(ctx context.Context, service fleet.Service, _ *cobra.Command, args []string) error {
		if err := service.Unschedule(ctx, args[0]); err != nil {
			return err
		}
		p.Say("%s is scheduled no more", text.Line(args[0]))
		return nil
	})
	return cmd
}
