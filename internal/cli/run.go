package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/view"
)

var runFlags = append([]settingFlag{
	{"agent", "a", "agent", "the agent to run"},
	{"model", "m", "model", "the model that the agent should use"},
	{"until", "", "done.promise", "done when the agent prints <promise>PROMISE</promise> alone on a line"},
	{"completion-promise", "", "done.promise", "the same as --until"},
	{"plan", "", "done.plan", "done when no task of this markdown file is open"},
	{"session", "", "session.mode", "fresh: a new session each iteration; keep: go on with the agent's own until its context is full"},
	{"permissions", "", "permissions.mode", "what the agent may do unasked: own, edits, work, full"},
	{"commit", "", "git.commit", "commit after each iteration"},
	{"branch", "", "git.branch", "work on a new branch (--branch=NAME to name it)"},
	{"profile", "", "profile", "behave like another system: " + strings.Join(config.Profiles(), ", ")},
}, limitFlags...)

// planCommand and buildCommand are short for "run plan" and "run build".
func planCommand(sh *shell) *cobra.Command {
	return runAs(sh, "plan", "Write or update the plan: what is missing, one small task each")
}

func buildCommand(sh *shell) *cobra.Command {
	return runAs(sh, "build", "Do the plan, one task an iteration, until none is left")
}

// runAs is the command run with the procedure given by its name.
func runAs(sh *shell, procedure, short string) *cobra.Command {
	cmd := runCommandFor(sh, procedure)
	cmd.Use, cmd.Short = procedure+" [flags] [-- COMMAND ARGS…]", short
	cmd.Long = short + ".\n\nShort for \"refrain run " + procedure + "\"; \"refrain procedures " + procedure + "\" shows what the agent is told."
	cmd.Example = "  refrain " + procedure + " --dry-run\n  refrain " + procedure + " -n 5"
	return cmd
}

func runCommand(sh *shell) *cobra.Command { return runCommandFor(sh, "") }

// runCommandFor makes the command; with a procedure, only for that.
func runCommandFor(sh *shell, procedure string) *cobra.Command {
	o := runOptions{procedure: procedure}
	cmd := &cobra.Command{
		Use:   "run [PROCEDURE] [flags] [-- COMMAND ARGS…]",
		Short: "Run a loop here until it is done",
		Long: "Run a loop in this work tree, in the foreground, until the work is done or a rule stops it.\n\n" +
			"The agent is the command after \"--\", or the one named with -a or in refrain.toml. It gets the\n" +
			"prompt on stdin: the text of -p, the file of -F, or PROMPT.md. A command without -p or -F gets none.",
		Example: "  refrain run -p 'Say <promise>DONE</promise> when finished' --until DONE -n 5 -- my-agent\n" +
			"  refrain run -F PROMPT.md --max-time 8h -- my-agent --headless\n" +
			"  refrain run -n 3 -- make test",
		Args: func(cmd *cobra.Command, args []string) error { return o.take(cmd, args) },
		PreRunE: exclusive([][2]string{
			{"prompt", "prompt-file"}, {"max-iterations", "unlimited"}, {"until", "completion-promise"}, {"permissions", "yolo"},
		}),
		RunE: func(cmd *cobra.Command, _ []string) error { return run(sh, cmd, o) },
	}
	f := cmd.Flags()
	f.StringVarP(&o.prompt, "prompt", "p", "", "the prompt itself")
	f.StringVarP(&o.file, "prompt-file", "F", "", "the file with the prompt, read again at every iteration (- is stdin)")
	f.StringArrayVar(&o.context, "context", nil, "more for the prompt: text, or @FILE (repeatable)")
	f.StringArray("var", nil, "a variable for the prompt, as NAME=VALUE: {{.Vars.NAME}} (repeatable)")
	f.BoolVar(&o.yolo, "yolo", false, "the same as --permissions full: in a container only")
	f.BoolVar(&o.ask, "ask", false, "ask before each iteration: continue, skip, diff, edit the prompt, note, reboot, stop")
	f.StringArrayVar(&o.breakAt, "break-at", nil, "ask before iteration N (repeatable)")
	f.StringArrayVar(&o.breakOn, "break-on", nil, "ask after a \"failure\", or before \"done\" (repeatable)")
	f.BoolVar(&o.noInhibit, "no-inhibit", false, "let the machine go to sleep while the run is alive")
	f.BoolVar(&o.unlimited, "unlimited", false, "no limit on iterations")
	f.Var(optionalName{&o.worktree}, "worktree", "work in a new worktree beside the repository (--worktree=NAME to name it)")
	f.Lookup("worktree").NoOptDefVal = unnamed
	for _, phase := range phases {
		f.StringArray(phase, nil, "what the section "+strings.ToUpper(phase)+" of the procedure says instead: a file, builtin:NAME or text (repeatable)")
	}
	f.BoolVar(&o.detach, "detach", false, "start the run without a terminal, and come back when it takes commands")
	f.BoolVar(&o.dryRun, "dry-run", false, "show what would run, and start nothing but the {{run}} of the prompt")
	addSettings(f, runFlags)
	addOutput(f, &o.output)
	return cmd
}

// runOptions is what the flags of run say, apart from settings.
type runOptions struct {
	procedure string
	command   []string
	prompt    string
	file      string
	context   []string
	unlimited bool
	noInhibit bool
	ask       bool
	breakAt   []string
	breakOn   []string
	yolo      bool
	worktree  *string // nil is none, "" one without a name
	dryRun    bool
	detach    bool
	output    string
}

// optionalName is a flag that may be given without its name.
type optionalName struct{ at **string }

// unnamed is what pflag says for a flag without a value, where it wants a text.
const unnamed = "true"

func (o optionalName) Set(name string) error {
	if name == unnamed {
		name = ""
	}
	*o.at = &name
	return nil
}

func (o optionalName) String() string {
	if o.at == nil || *o.at == nil {
		return ""
	}
	return **o.at
}

func (optionalName) Type() string { return "name" }

// take sorts the arguments: at most one procedure before "--", the command
// after it.
func (o *runOptions) take(cmd *cobra.Command, args []string) error {
	before := args
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		before, o.command = args[:dash], args[dash:]
		if len(o.command) == 0 {
			return usage("no command after --", "write the program and its arguments after it")
		}
	}
	switch {
	case len(before) == 0:
		return nil
	case len(before) == 1 && o.procedure == "":
		o.procedure = before[0]
		return nil
	case o.procedure != "":
		return usage(fmt.Sprintf("%s takes no argument %q", o.procedure, before[0]), "put a command behind --, and a prompt behind -p")
	}
	hint := "put a command behind --: refrain run -- " + strings.Join(before, " ")
	for _, name := range []string{"branch", "worktree"} {
		if cmd.Flags().Changed(name) {
			hint = "a name follows --" + name + " after an equals sign: --" + name + "=NAME"
		}
	}
	return usage(fmt.Sprintf("run takes one procedure, not %q", before), hint)
}

func run(sh *shell, cmd *cobra.Command, o runOptions) error {
	if o.detach && !o.dryRun {
		return detach(sh, o.file == "-")
	}
	req, err := o.request(sh, cmd)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	job, err := o.prepare(sh, ctx, req)
	if err != nil && sh.status == 0 {
		chosen, err := sh.choose(err)
		if err != nil {
			return err
		}
		req.Flags = append(req.Flags, chosen...)
		if job, err = o.prepare(sh, ctx, req); err != nil && sh.status == 0 {
			return err
		}
	}
	if sh.status != 0 {
		return nil // a signal came meanwhile
	}
	screen, err := newScreen(sh, o.output)
	if err != nil {
		return err
	}
	if o.dryRun {
		return dryRun(sh, job, o.output == "json")
	}
	if err := sh.canAsk(job); err != nil {
		return err
	}
	return sh.attend(job, "", screen, func(w app.Watch) (loop.RunFinished, error) {
		screen.show(view.New())
		return job.Start(ctx, w)
	})
}

// prepare gets the run ready, in a work tree of its own if that was asked for.
func (o runOptions) prepare(sh *shell, ctx context.Context, req request.Request) (*app.Job, error) {
	ctx, ended := sh.untilSignal(ctx)
	defer ended()
	if o.worktree == nil || o.dryRun {
		return app.Prepare(ctx, sh.dir, req)
	}
	job, w, err := app.PrepareWorktree(ctx, sh.dir, *o.worktree, req)
	if err == nil {
		fmt.Fprintf(sh.err, "Working in %s on branch %s\n", w.Work, w.Branch)
	}
	return job, err
}
