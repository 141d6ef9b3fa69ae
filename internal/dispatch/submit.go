package dispatch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/cli"
	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/text"
)

// submitOptions is what the flags of submit say beside those of run.
type submitOptions struct {
	wish  cli.Wish
	where whereFlags
	name  string
	plan  string
	jobs  string
	carry string
	wait  bool
	dry   bool
}

func submitCommand(p post) *cobra.Command {
	o := &submitOptions{}
	cmd := &cobra.Command{
		Use:   "submit [PROCEDURE] [SENTENCE] [flags] [-- COMMAND ARGS…]",
		Short: "Hand a run to the fleet, or many",
		Long: "Hand a run to the fleet: what is wanted is said as to \"refrain run\". Some worker of the queue clones the\n" +
			"remote at the commit that is checked out here, or at --base, and the work becomes a branch on the remote.\n" +
			"What is not pushed stays here, and your own settings do: those of the project and the flags hold there,\n" +
			"over the worker's own.\n\n" +
			"--plan makes a run of every open task of a plan, --jobs one of every line of a file, or of every [[job]]\n" +
			"of one that ends in .toml. Flags hold for all of them. When one is wrong, none is handed in.",
		Example: "  refrain fleet submit 'Fix the failing tests' --gate 'make test'\n  refrain fleet submit build --queue team --wait\n" +
			"  refrain fleet submit --plan PLAN.md --until DONE\n  refrain fleet submit --jobs nightly.jsonl --json\n  refrain fleet submit --carry run-7",
		Args: func(cmd *cobra.Command, args []string) error { return o.wish.Take(p.Shell, cmd, args) },
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			return errors.Join(o.wish.Exclusive(cmd), o.exclusive(cmd))
		},
	}
	o.wish.Add(cmd)
	f := cmd.Flags()
	o.where.add(cmd)
	f.StringVar(&o.name, "name", "", "what the run is called; without it, what it is about")
	f.StringVar(&o.plan, "plan", "", "a run for each open task of this markdown file")
	f.StringVar(&o.jobs, "jobs", "", "a run for each line of JSON of this file, or each [[job]] of TOML (- is stdin)")
	f.StringVar(&o.carry, "carry", "", "take this parked run of here to the remote, and have it go on in the fleet")
	f.BoolVar(&o.wait, "wait", false, "wait until it is over, and end as it does")
	f.BoolVar(&o.dry, "dry-run", false, "look whether all is well, show what would be handed in, and hand nothing in")
	asJSON := cli.AddJSON(cmd)
	cmd.RunE = p.Heeding(func(cmd *cobra.Command, _ []string) error { return told(byFlag(cmd, o.run(p, cmd, *asJSON))) })
	return cmd
}

// exclusive refuses ways to say what is wanted that do not go together.
func (o *submitOptions) exclusive(cmd *cobra.Command) error {
	var ways []string
	for _, name := range []string{"plan", "jobs", "carry"} {
		if cmd.Flags().Changed(name) {
			ways = append(ways, "--"+name)
			if cmd.Flags().Lookup(name).Value.String() == "" {
				return cli.UsageError("--"+name+" is empty", "see \""+cmd.CommandPath()+" --help\"")
			}
		}
	}
	switch {
	case len(ways) > 1:
		return cli.UsageError(ways[0]+" and "+ways[1]+" exclude each other", "give one of them")
	case len(ways) == 1 && o.name != "" && o.carry == "":
		return cli.UsageError("--name is for one run, and "+ways[0]+" makes several", "leave it out: each is called after what it is about")
	}
	return nil
}

func (o *submitOptions) run(p post, cmd *cobra.Command, asJSON bool) error {
	ctx := cmd.Context()
	req, err := o.wish.Request(p.Shell, cmd)
	if err != nil {
		return err
	}
	own, rest := apart(req.Flags)
	req.Flags = rest
	s := &site{post: p, flags: append(o.where.flags(cmd), own...)}
	if err := s.open(ctx); err != nil {
		return err
	}
	if o.carry != "" {
		return o.runCarried(ctx, s, req, asJSON)
	}
	var specs []fleet.Spec
	switch {
	case o.plan != "":
		specs, err = s.ofPlan(ctx, o.plan, wanted{req: req, branch: o.where.branch})
	case o.jobs != "":
		specs, err = s.ofJobs(ctx, o.jobs, wanted{req: req, branch: o.where.branch})
	default:
		var spec fleet.Spec
		spec, err = s.spec(ctx, wanted{req: req, name: o.name, branch: o.where.branch})
		specs = []fleet.Spec{spec}
	}
	if err != nil {
		return err
	}
	if o.dry {
		s.tellWorries()
		return foresee(p, specs, asJSON)
	}
	service, err := p.reach(ctx, serverOf(s.settings))
	if err != nil {
		return err
	}
	defer service.Close()
	return o.handIn(ctx, s, service, specs, asJSON)
}

// handIn submits runs, tells of each, and waits for them if that is wanted.
func (o *submitOptions) handIn(ctx context.Context, s *site, service fleet.Service, specs []fleet.Spec, asJSON bool) error {
	p := s.post
	var in []submitted
	var names []string
	for _, spec := range specs {
		if err := service.Submit(ctx, spec); err != nil {
			if len(in) > 0 {
				p.Warn(fmt.Sprintf("%d of %s were handed in before: %s to %s", len(in), text.Plural(len(specs), "run"), in[0].Run, in[len(in)-1].Run), "\"refrain fleet ls\" lists them")
			}
			return err
		}
		s.tellWorries()
		in, names = append(in, of(spec)), append(names, spec.Name)
		if !asJSON {
			p.Say("%s is handed in, for the queue %s: its work becomes the branch %s", spec.Name, spec.Queue, cmp.Or(spec.Branch, "that it is on"))
		}
	}
	if !o.wait { // who waits is told of each run
		queues := map[string]bool{}
		for _, spec := range specs {
			if !queues[spec.Queue] {
				warn(p, spec.Name, queueHoldup(ctx, service, spec.Queue, time.Now()))
			}
			queues[spec.Queue] = true
		}
	}
	switch {
	case o.wait:
		return waitFor(ctx, p, service, names, asJSON)
	case asJSON && len(in) == 1 && o.plan == "" && o.jobs == "":
		return p.PrintJSON(in[0])
	case asJSON:
		return p.PrintJSON(in)
	case len(in) == 1:
		p.Say("look at it with: refrain fleet status %s", in[0].Run)
	}
	return nil
}

// submitted is a run that was handed in, for scripts.
type submitted struct {
	Run    string `json:"run"`
	ID     string `json:"id"`
	Queue  string `json:"queue"`
	Remote string `json:"remote"`
	Base   string `json:"base,omitempty"`
	Branch string `json:"branch,omitempty"`
}

func of(s fleet.Spec) submitted {
	return submitted{s.Name, s.ID, s.Queue, s.Remote, s.Base, s.Branch}
}

// foresee tells what would be handed in.
func foresee(p post, specs []fleet.Spec, asJSON bool) error {
	if asJSON {
		return p.PrintJSON(specs)
	}
	for _, s := range specs {
		p.Say("%s would be handed in, for the queue %s: from %s of %s to the branch %s", s.Name, s.Queue, cmp.Or(s.Base, "the default branch"), s.Remote, s.Branch)
	}
	return nil
}

// apart splits flags into those about the fleet and those of the run.
func apart(flags []config.Flag) (own, rest []config.Flag) {
	for _, f := range flags {
		if isFleets(f.Key) {
			own = append(own, f)
			continue
		}
		rest = append(rest, f)
	}
	return own, rest
}

// whereFlags are the flags that say where a run goes and comes from.
type whereFlags struct {
	queue, remote, base, branch, priority string
}

func (w *whereFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&w.queue, "queue", "", "whose workers may have it; without it, fleet.queue")
	f.StringVar(&w.remote, "remote", "", "the git remote by which it travels; without it, fleet.remote, or that of the branch")
	f.StringVar(&w.base, "base", "", "the branch or commit to begin at; without it, fleet.base, or what is checked out")
	f.StringVar(&w.branch, "branch", "", "the branch that the work becomes, with {{name}} and {{id}}; without it, fleet.branch")
	f.StringVar(&w.priority, "priority", "", "which runs have their turn first: 1 before 5")
}

// flags are the settings that were given.
func (w *whereFlags) flags(cmd *cobra.Command) []config.Flag {
	var list []config.Flag
	for _, name := range []string{"queue", "remote", "base", "priority"} {
		if f := cmd.Flags().Lookup(name); f.Changed {
			list = append(list, config.Flag{Name: "--" + name, Key: "fleet." + name, Value: f.Value.String()})
		}
	}
	return list
}

func queueFlag(named string) []config.Flag {
	if named == "" {
		return nil
	}
	return []config.Flag{{Name: "--queue", Key: "fleet.queue", Value: named}}
}

// wanted is one run that somebody wants.
type wanted struct {
	req    request.Request
	name   string        // empty: what it is about
	about  string        // for that; empty: its words
	branch string        // empty: as the settings have it
	flags  []config.Flag // about the fleet, for this one alone
}
