package cli

import (
	"cmp"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/scaffold"
	"github.com/refrain-loop/refrain/internal/text"
)

// planCommand is "run plan" between a sentence and a build: the sentence becomes a
// spec, and who sits at a terminal is asked what only they know.
func planCommand(sh *shell) *cobra.Command {
	o := &runOptions{procedure: "plan"}
	cmd := runCommandFor(sh, o)
	cmd.Use, cmd.Short = "plan [SENTENCE] [flags] [-- COMMAND ARGS…]", "Write or update the plan: what is missing, one small task each"
	cmd.Long = cmd.Short + ".\n\n" +
		"A sentence becomes a spec first, in specs/, and adds to what the agent is told (\"refrain procedures plan\"\n" +
		"shows that). A spec that is there is kept. The agent may ask up to three questions. On a terminal you are\n" +
		"asked them, the answers go into the spec, and planning goes on. Then you see the plan, and can build it,\n" +
		"edit it or ask for changes. Without a terminal the questions are printed, and --answer answers them."
	cmd.Example = "  refrain plan 'Add an export command'\n  refrain plan --answer 1='CSV, with a header'\n  refrain plan --dry-run"
	var given []string
	yes := false
	f := cmd.Flags()
	f.StringArrayVar(&given, "answer", nil, "answer question N of the plan, as N=TEXT (repeatable)")
	f.BoolVarP(&yes, "yes", "y", false, "ask nothing, also on a terminal")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if o.dryRun && len(given) > 0 {
			return usage("--answer writes into a spec, and --dry-run writes nothing", "leave one of them out")
		}
		if o.dryRun || o.detach || o.output == "tui" { // a screen talks to nobody
			return run(sh, cmd, *o)
		}
		p := &planning{sh: sh, edit: func(path string) error { return edit(sh, path) }, talks: sh.person() && !yes && o.canTalk(), tells: o.canTalk()}
		if !o.replace && o.file == "" {
			p.sentence = cmp.Or(o.sentence, o.prompt)
		}
		if a, err := o.assignment(sh, cmd); err == nil { // else the run says what is wrong
			p.tree, p.file = a.Tree, a.Written()
		}
		answers, err := p.numbered(given)
		if err != nil {
			return err
		}
		once := *o
		once.brief = p.talks
		p.plans = func(words string) (bool, error) {
			if words != p.sentence {
				once.sentence, once.prompt = words, ""
			}
			once.first = func(job *app.Job) error {
				p.tree, p.file = job.Tree, job.Written()
				if once.again {
					return nil
				}
				return p.begin(answers)
			}
			job, err := once.start(sh, cmd)
			if job == nil || err != nil {
				return false, err
			}
			// What follows belongs to the same work tree, and stays on its branch.
			once.again, once.worktree, sh.dir = true, nil, job.Tree
			return sh.status == 0, nil
		}
		p.build = func() error {
			args := o.buildArgs(cmd)
			fmt.Fprintf(sh.out, "\n$ refrain %s\n", text.JoinArgs(args))
			sh.args = append([]string{"-C", sh.dir}, args...)
			build := buildCommand(sh)
			build.SilenceErrors, build.SilenceUsage = true, true
			build.SetArgs(args[1:])
			return build.ExecuteContext(cmd.Context())
		}
		return p.hold()
	}
	return cmd
}

// canTalk tells whether the output is for a person.
func (o runOptions) canTalk() bool { return o.output != "json" && o.output != "quiet" }

// assignment is what the command means in its work tree, before anything is done.
func (o runOptions) assignment(sh *shell, cmd *cobra.Command) (request.Assignment, error) {
	if o.file == "-" {
		o.file = "" // it is for the run to read
	}
	req, err := o.request(sh, cmd)
	if err != nil {
		return request.Assignment{}, err
	}
	return request.In(sh.dir, req)
}

// passedOn are the flags of a plan that say who works, and how it is shown: they
// hold for the build that follows. Limits are for the run that they were given to.
var passedOn = []string{"agent", "prompt-as", "model", "permissions", "yolo", "sandbox", "profile", "set", "trust", "untrusted", "here", "no-inhibit", "output", "gate", "session", "commit"}

// buildArgs is the build that belongs to a plan, as it would be typed.
func (o runOptions) buildArgs(cmd *cobra.Command) []string {
	args := []string{"build"}
	for _, name := range passedOn {
		f := cmd.Flags().Lookup(name)
		if !f.Changed {
			continue
		}
		flag := "--" + f.Name
		if f.Shorthand != "" {
			flag = "-" + f.Shorthand
		}
		list, many := f.Value.(pflag.SliceValue)
		switch {
		case many:
			for _, value := range list.GetSlice() {
				args = append(args, flag, value)
			}
		case f.NoOptDefVal == "true" && f.Value.String() == "true":
			args = append(args, flag)
		case f.NoOptDefVal != "":
			args = append(args, flag+"="+f.Value.String())
		default:
			args = append(args, flag, f.Value.String())
		}
	}
	if len(o.command) > 0 {
		args = append(append(args, "--"), o.command...)
	}
	return args
}

// numbered reads the answers of the command line, each for a question of the plan.
func (p *planning) numbered(given []string) ([]answer, error) {
	if len(given) == 0 {
		return nil, nil
	}
	open, err := p.open()
	if err != nil {
		return nil, err
	}
	var list []answer
	for _, arg := range given {
		number, said, ok := strings.Cut(arg, "=")
		n, err := strconv.Atoi(strings.TrimSpace(number))
		said = strings.TrimSpace(said)
		switch {
		case !ok || err != nil || said == "":
			return nil, usage(fmt.Sprintf("--answer wants N=TEXT, not %q", arg), "such as --answer 1='CSV, with a header'")
		case len(open) == 0:
			return nil, usage("the plan has no open question", "say what you want: refrain plan 'Write CSV, with a header'")
		}
		found := false
		for _, q := range open {
			if q.number == n {
				list, found = append(list, answer{q, said}), true
			}
		}
		if !found {
			return nil, usage(fmt.Sprintf("there is no open question %d", n), "they are "+numbers(open)+": refrain plan prints them")
		}
	}
	return list, nil
}

func numbers(open []numberedQuestion) string {
	var list []string
	for _, q := range open {
		list = append(list, strconv.Itoa(q.number))
	}
	return text.FirstFew(list)
}

// begin puts into the specs what a person has said, right before the run starts: a
// run that is refused leaves nothing behind.
func (p *planning) begin(answers []answer) error {
	if p.sentence != "" {
		spec, err := scaffold.WriteSpec(p.tree, p.sentence)
		if err != nil {
			return scaffoldProblem(err)
		}
		p.spec = spec.Path
		said := "Wrote what you want to %s\n"
		if spec.Action == scaffold.Kept {
			said = "What you want is in %s\n"
		}
		fmt.Fprintf(p.sh.err, said, text.Path(spec.Path))
	}
	for _, a := range answers {
		if err := p.keep(a.numberedQuestion, a.said); err != nil {
			return err
		}
	}
	return nil
}

// edit opens a file in the person's editor, and waits for it. A Ctrl+C there is
// the editor's.
func edit(sh *shell, path string) error {
	cmd, err := editor(path)
	if err != nil {
		return err
	}
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, os.Interrupt)
	defer signal.Stop(heard)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = sh.in, bare(sh.out), bare(sh.err)
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the editor did not end well: %w", err)
	}
	return nil
}
