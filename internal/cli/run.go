package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/view"
)

// settingFlag is a flag that sets one key.
type settingFlag struct{ name, short, key, help string }

// limitFlags set limits; a resume takes them too.
var limitFlags = []settingFlag{
	{"max-iterations", "n", "loop.max_iterations", "stop after N iterations (0 is unlimited)"},
	{"max-time", "", "loop.max_time", "stop after this much time, such as 8h"},
	{"max-cost", "", "budget.cost_usd", "stop when this much money is spent"},
	{"max-tokens", "", "budget.tokens", "stop when this many tokens are used"},
	{"iteration-timeout", "", "loop.iteration_timeout", "end an iteration after this time"},
	{"idle-timeout", "", "loop.idle_timeout", "end an iteration after this much silence"},
}

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

// standAlone are the flags that need no value, and then say true.
var standAlone = []string{"commit", "branch"}

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

// addSettings adds flags that set keys, --gate, and --set for all the others.
func addSettings(f *pflag.FlagSet, flags []settingFlag) {
	for _, s := range flags {
		f.StringP(s.name, s.short, "", s.help)
		if slices.Contains(standAlone, s.name) {
			f.Lookup(s.name).NoOptDefVal = "true"
		}
	}
	f.StringArray("gate", nil, "a command that must pass before a claim is believed (repeatable)")
	f.StringArray("set", nil, "set any key, as KEY=VALUE (repeatable; \"refrain config show\" lists the keys)")
}

// settingsOf reads the flags that were given, in the order of the table.
func settingsOf(f *pflag.FlagSet, flags []settingFlag) ([]config.Flag, error) {
	var list []config.Flag
	for _, arg := range given(f, "set") {
		flag, err := config.ParseSet(arg)
		if err != nil {
			return nil, err
		}
		list = append(list, flag)
	}
	for _, s := range flags {
		if flag := f.Lookup(s.name); flag.Changed {
			list = append(list, config.Flag{Name: "--" + s.name, Key: s.key, Value: flag.Value.String()})
		}
	}
	for _, command := range given(f, "gate") {
		if strings.TrimSpace(command) == "" {
			return nil, usage("--gate is empty", "pass the command that must pass")
		}
		list = append(list, config.Flag{Name: "--gate", Key: "gate", Value: command})
	}
	return list, nil
}

// given is every value of a repeatable flag. GetStringArray takes one empty
// value for none.
func given(f *pflag.FlagSet, name string) []string {
	values, ok := f.Lookup(name).Value.(pflag.SliceValue)
	if !ok {
		return nil // no flag of ours
	}
	return values.GetSlice()
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
	if err != nil {
		chosen, err := sh.choose(err)
		if err != nil {
			return err
		}
		req.Flags = append(req.Flags, chosen...)
		if job, err = o.prepare(sh, ctx, req); err != nil {
			return err
		}
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
func (o runOptions) prepare(sh *shell, ctx context.Context, req app.Request) (*app.Job, error) {
	if o.worktree == nil || o.dryRun {
		return app.Prepare(ctx, sh.dir, req)
	}
	job, w, err := app.PrepareWorktree(ctx, sh.dir, *o.worktree, req)
	if err == nil {
		fmt.Fprintf(sh.err, "Working in %s on branch %s\n", w.Work, w.Branch)
	}
	return job, err
}

// attend runs a loop with signals heard and the screen on, and takes its end
// for the exit status.
func (sh *shell) attend(job *app.Job, name string, s *screen, start func(app.Watch) (loop.RunFinished, error)) error {
	control := app.NewControl()
	interrupt, stopSteering := steer(control, job.Settings.Config.Loop.OnInterrupt)
	defer stopSteering()
	s.control, s.interrupt = control, interrupt
	observers, late := []app.Observer{s}, &lateWarnings{}
	if detached != "" {
		observers = append(observers, announcer{detached})
	}
	if job.Attended() && sh.person() && s.kind != "tui" { // which asks itself
		observers = append(observers, newAsker(sh, control, name))
	}
	end, err := start(app.Watch{Observers: observers, Control: control, Version: Version, Terminal: sh.terminal(), Late: late.add})
	stopSteering() // there is nothing left to steer
	s.finish()
	late.tell(sh.err)
	if err != nil {
		return err
	}
	sh.status = exitStatus(end)
	return nil
}

// canAsk refuses to ask where nobody can answer.
func (sh *shell) canAsk(job *app.Job) error {
	if !job.Attended() || sh.person() || job.Answerable() || detached != "" {
		return nil
	}
	return usage("there is no terminal to ask at", "set ask.timeout for runs that nobody watches, or use --detach and answer with \"refrain approve\"")
}

// asking is the flags that have a person asked.
func (o runOptions) asking() ([]config.Flag, error) {
	var flags []config.Flag
	if o.ask {
		flags = append(flags, config.Flag{Name: "--ask", Key: "loop.attended", Value: "true"})
	}
	if len(o.breakAt) > 0 {
		for _, n := range o.breakAt {
			if number, err := strconv.Atoi(n); err != nil || number < 1 {
				return nil, usage(fmt.Sprintf("--break-at %q is no iteration", n), "write a number from 1")
			}
		}
		flags = append(flags, config.Flag{Name: "--break-at", Key: "ask.at", Value: `["` + strings.Join(o.breakAt, `","`) + `"]`})
	}
	for _, when := range o.breakOn {
		key, ok := map[string]string{"failure": "ask.on_failure", "done": "ask.done"}[when]
		if !ok {
			return nil, usage(fmt.Sprintf("--break-on %q", when), "use failure or done")
		}
		flags = append(flags, config.Flag{Name: "--break-on", Key: key, Value: "true"})
	}
	return flags, nil
}

// request is what was asked for, with the prompt read where it can only be
// read once.
func (o runOptions) request(sh *shell, cmd *cobra.Command) (app.Request, error) {
	flags, err := settingsOf(cmd.Flags(), runFlags)
	if err != nil {
		return app.Request{}, err
	}
	if o.unlimited {
		flags = append(flags, config.Flag{Name: "--unlimited", Key: "loop.max_iterations", Value: "0"})
	}
	asking, err := o.asking()
	if err != nil {
		return app.Request{}, err
	}
	flags = append(flags, asking...)
	if o.noInhibit {
		flags = append(flags, config.Flag{Name: "--no-inhibit", Key: "loop.inhibit", Value: "false"})
	}
	if o.yolo {
		flags = append(flags, config.Flag{Name: "--yolo", Key: "permissions.mode", Value: "full"})
	}
	said, err := o.phaseFlags(cmd)
	if err != nil {
		return app.Request{}, err
	}
	req := app.Request{Procedure: o.procedure, Command: o.command, Prompt: o.prompt, Flags: append(flags, said...)}
	switch {
	case cmd.Flags().Changed("prompt") && strings.TrimSpace(o.prompt) == "":
		return req, usage("no prompt: -p is empty", "pass the text of the prompt, or -F FILE")
	case o.file == "-":
		text, err := io.ReadAll(sh.in)
		if err != nil {
			return req, fmt.Errorf("read the prompt from stdin: %w", err)
		}
		if req.Prompt = string(text); strings.TrimSpace(req.Prompt) == "" {
			return req, usage("no prompt: stdin is empty", "pipe the prompt in, or pass -p TEXT")
		}
	case cmd.Flags().Changed("prompt-file"):
		if req.File, err = filepath.Abs(o.file); err != nil {
			return req, fmt.Errorf("find the prompt file: %w", err)
		}
	}
	if req.Vars, err = variables(cmd); err != nil {
		return req, err
	}
	for _, c := range o.context {
		text, err := contextText(c)
		if err != nil {
			return req, err
		}
		req.Context = append(req.Context, text)
	}
	return req, nil
}

// variables reads NAME=VALUE.
func variables(cmd *cobra.Command) (map[string]string, error) {
	vars := map[string]string{}
	for _, arg := range given(cmd.Flags(), "var") {
		name, value, ok := strings.Cut(arg, "=")
		if !ok || !variableName.MatchString(name) {
			return nil, usage(fmt.Sprintf("--var wants NAME=VALUE, not %q", arg), "a name is letters, digits and _, such as --var topic=tests")
		}
		vars[name] = value
	}
	return vars, nil
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// phases are the sections of a procedure that a flag can replace.
var phases = []string{"observe", "orient", "decide", "act"}

// phaseFlags are the flags that replace sections, as settings of the procedure.
func (o runOptions) phaseFlags(cmd *cobra.Command) ([]config.Flag, error) {
	var list []config.Flag
	for _, phase := range phases {
		parts := given(cmd.Flags(), phase)
		if len(parts) == 0 {
			continue
		}
		if o.procedure == "" {
			return nil, usage("--"+phase+" needs a procedure", "name one: refrain run build --"+phase+" FILE")
		}
		var values []string
		for _, part := range parts {
			if strings.TrimSpace(part) == "" {
				return nil, usage("--"+phase+" is empty", "pass a file, builtin:NAME or text")
			}
			value, err := phasePart(phase, part)
			if err != nil {
				return nil, err
			}
			values = append(values, value)
		}
		list = append(list, config.Flag{
			Name: "--" + phase, Key: "procedures." + app.ProcedureName(o.procedure) + "." + phase, Value: "[" + strings.Join(values, ", ") + "]",
		})
	}
	return list, nil
}

// phasePart is one part as TOML: a fragment, a file that is there, or a text.
func phasePart(phase, part string) (string, error) {
	if strings.HasPrefix(part, "builtin:") {
		return tomlText(part), nil
	}
	if path, err := filepath.Abs(part); err == nil {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return tomlText(path), nil
		}
	}
	if !strings.ContainsAny(part, " \t\n") && (filepath.Ext(part) != "" || strings.Contains(part, "/")) {
		return "", usage(fmt.Sprintf("--%s names %s, and there is no such file", phase, part), "correct its name, or write a sentence")
	}
	return "{ text = " + tomlText(part) + " }", nil
}

// tomlText is a text as TOML writes it, which is also how JSON does.
func tomlText(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return `""` // texts always marshal
	}
	return string(b)
}

// contextText is the text itself, or that of the file behind an @.
func contextText(arg string) (string, error) {
	file, isFile := strings.CutPrefix(arg, "@")
	if !isFile {
		if strings.TrimSpace(arg) == "" {
			return "", usage("--context is empty", "pass text or @FILE")
		}
		return arg, nil
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return "", usage(fmt.Sprintf("read --context: %v", pathCause(err)), "name a file that can be read after the @")
	}
	return string(b), nil
}

// pathCause drops the system call's name from an error about a file.
func pathCause(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return fmt.Errorf("%s: %w", p.Path, p.Err)
	}
	return err
}

func dryRun(sh *shell, job *app.Job, asJSON bool) error {
	plan, err := job.DryRun()
	if err != nil {
		return err
	}
	return tellDryRun(sh, plan, asJSON)
}

func tellDryRun(sh *shell, plan app.DryRun, asJSON bool) error {
	if asJSON {
		return printJSON(sh.out, plan)
	}
	fmt.Fprintf(sh.out, "[DRY RUN] Procedure: %s\n", plan.Procedure)
	fmt.Fprintf(sh.out, "[DRY RUN] Would execute with: %s\n", plan.Command)
	fmt.Fprintf(sh.out, "[DRY RUN] Token count: %s / %s budget\n", view.Count(plan.Tokens), view.Count(plan.Budget))
	for _, w := range plan.Warnings {
		fmt.Fprintf(sh.err, "WARNING: %s\n", w.Text)
	}
	if plan.Prompt != "" {
		fmt.Fprintf(sh.out, "\n%s\n", strings.TrimSuffix(plan.Prompt, "\n"))
	}
	return nil
}
