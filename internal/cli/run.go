package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/lineup"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/preflight"
	"github.com/refrain-loop/refrain/internal/procedure"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/trust"
	"github.com/refrain-loop/refrain/internal/view"
)

var runFlags = append([]settingFlag{
	{"agent", "a", "agent", "the agent to run"},
	{"model", "m", "model", "the model that the agent should use"},
	{"until", "", "done.promise", "done when the agent prints <promise>PROMISE</promise> alone on a line"},
	{"completion-promise", "", "done.promise", "the same as --until"},
	{"plan", "", "done.plan", "done when no task of this markdown file is open"},
	{"prompt-as", "", "loop.prompt_as", "how a command after -- gets the prompt; {prompt} in its arguments says where"},
	{"session", "", "session.mode", "fresh: a new session each iteration; keep: go on with the agent's own until its context is full"},
	{"permissions", "", "permissions.mode", "what the agent may do unasked: own, edits, work, full"},
	sandboxFlag,
	{"commit", "", "git.commit", "commit after each iteration"},
	{"branch", "", "git.branch", "work on a new branch (--branch=NAME to name it)"},
	{"profile", "", "profile", "behave like another system: " + strings.Join(config.Profiles(), ", ")},
}, limitFlags...)

// buildCommand is short for "run build".
func buildCommand(sh *shell) *cobra.Command {
	cmd := runCommandFor(sh, &runOptions{procedure: "build"})
	cmd.Use, cmd.Short = "build [SENTENCE] [flags] [-- COMMAND ARGS…]", "Do the plan, one task an iteration, until none is left"
	cmd.Long = cmd.Short + ".\n\nShort for \"refrain run build\"; \"refrain procedures build\" shows what the agent is told.\n" +
		"A sentence adds to that."
	cmd.Example = "  refrain build 'Begin with the import'\n  refrain build --dry-run\n  refrain build -n 5"
	return cmd
}

func runCommand(sh *shell) *cobra.Command { return runCommandFor(sh, &runOptions{}) }

// runCommandFor makes the command; with a procedure, only for that.
func runCommandFor(sh *shell, o *runOptions) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "run [PROCEDURE] [SENTENCE] [flags] [-- COMMAND ARGS…]",
		Short: "Run a loop here until it is done",
		Long: "Run a loop in this work tree until the work is done or a rule stops it. On a terminal it has the\n" +
			"whole screen: q leaves it, and the run goes on; \"-o live\" is a log.\n\n" +
			"The agent is the command after \"--\", or the one named with -a or in refrain.toml. It gets the\n" +
			"prompt on stdin: the sentence, the text of -p, the file of -F, or PROMPT.md. A command without\n" +
			"any of them gets none. What is said to a procedure, or beside -F, adds to its prompt.",
		Example: "  refrain run 'Fix the failing tests'\n  refrain run -p 'Say <promise>DONE</promise> when finished' --until DONE -n 5 -- my-agent\n" +
			"  refrain run -F PROMPT.md --max-time 8h -- my-agent --headless\n" +
			"  refrain run -n 3 -- make test",
		Args:    func(cmd *cobra.Command, args []string) error { return o.take(sh, cmd, args) },
		PreRunE: exclusive(append(slices.Clip(wantedPairs), [2]string{"serve", "detach"})),
		RunE:    func(cmd *cobra.Command, _ []string) error { return run(sh, cmd, *o) },
	}
	f := cmd.Flags()
	o.addWanted(f)
	f.BoolVar(&o.noInhibit, "no-inhibit", false, "let the machine go to sleep while the run is alive")
	f.Var(optionalName{&o.worktree}, "worktree", "work in a new worktree beside the repository (--worktree=NAME to name it)")
	f.Lookup("worktree").NoOptDefVal = unnamed
	f.BoolVar(&o.detach, "detach", false, "start the run without a terminal, and come back when it takes commands")
	f.BoolVar(&o.serve, "serve", false, "show the runs of this machine on a page in your browser, for as long as this one is alive")
	f.BoolVar(&o.here, "here", false, "work here though this is the home folder, or the root of the file system")
	f.BoolVar(&o.dryRun, "dry-run", false, "show what would run, and start nothing but the {{run}} of a prompt that you trust")
	addTrust(f)
	addSettings(f, runFlags)
	addOutput(f, &o.output)
	return cmd
}

// wantedPairs are flags of addWanted that contradict each other.
var wantedPairs = [][2]string{
	{"prompt", "prompt-file"}, {"max-iterations", "unlimited"}, {"until", "completion-promise"}, {"permissions", "yolo"}, {"trust", "untrusted"},
}

// addWanted adds the flags that say what is wanted, wherever it is done.
func (o *runOptions) addWanted(f *pflag.FlagSet) {
	f.StringVarP(&o.prompt, "prompt", "p", "", "the prompt itself; with a procedure, more for its prompt")
	f.BoolVar(&o.replace, "replace-prompt", false, "take the sentence, or -p, in the place of the procedure's prompt")
	f.StringVarP(&o.file, "prompt-file", "F", "", "the file with the prompt, read again at every iteration (- is stdin)")
	f.StringArrayVar(&o.context, "context", nil, "more for the prompt: text, or @FILE (repeatable)")
	f.StringArray("var", nil, "a variable for the prompt, as NAME=VALUE: {{.Vars.NAME}} (repeatable)")
	f.BoolVar(&o.yolo, "yolo", false, "the same as --permissions full: in a container only")
	f.BoolVar(&o.ask, "ask", false, "ask before each iteration: continue, skip, diff, edit the prompt, note, reboot, stop")
	f.StringArrayVar(&o.breakAt, "break-at", nil, "ask before iteration N (repeatable)")
	f.StringArrayVar(&o.breakOn, "break-on", nil, "ask after a \"failure\", or before \"done\" (repeatable)")
	f.BoolVar(&o.unlimited, "unlimited", false, "no limit on iterations")
	for _, phase := range phases {
		f.StringArray(phase, nil, "what the section "+strings.ToUpper(phase)+" of the procedure says instead: a file, builtin:NAME or text (repeatable)")
	}
	f.BoolVar(&o.untrusted, "untrusted", false, "read nothing that this work tree brings along: no refrain.toml, no hooks, none of the agent's project settings")
}

// runOptions is what the flags of run say, apart from settings.
type runOptions struct {
	settings  []settingFlag // the flags that are settings; nil: those of run
	procedure string
	command   []string
	sentence  string
	prompt    string
	replace   bool
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
	here      bool
	untrusted bool
	detach    bool
	serve     bool
	output    string

	brief bool                 // somebody else tells what it came to
	again bool                 // it goes on with what another run has begun, on the same branch
	first func(*app.Job) error // what is done when nothing keeps the run from starting; nil: nothing
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

// take sorts the arguments: a procedure and a sentence before "--", each of which
// may be missing, and the command after it.
func (o *runOptions) take(sh *shell, cmd *cobra.Command, args []string) error {
	return o.takeUpTo(sh, cmd, args, cmd.ArgsLenAtDash())
}

// takeUpTo is take, with the place of "--" among the arguments; less than 0: it is not
// there.
func (o *runOptions) takeUpTo(sh *shell, cmd *cobra.Command, args []string, dash int) error {
	words := args
	if dash >= 0 {
		words, o.command = args[:dash], args[dash:]
		if len(o.command) == 0 {
			return usage("no command after --", "write the program and its arguments after it")
		}
	}
	if o.procedure == "" && len(words) > 0 && strings.TrimSpace(words[0]) != "" && !isSentence(words[:1]) && (len(words) == 1 || isProcedure(sh.dir, words[0])) {
		o.procedure, words = words[0], words[1:]
	}
	if err := notAName(cmd, words); err != nil {
		return err
	}
	o.sentence = strings.TrimSpace(strings.Join(words, " "))
	switch {
	case len(words) > 0 && o.sentence == "":
		return usage("the sentence is empty", "say what is to be done")
	case o.sentence != "" && cmd.Flags().Changed("prompt"):
		return usage(fmt.Sprintf("there are two prompts: %q and -p", text.Shorten(o.sentence, 40)), "say all of it in one of them, or pass one with --context")
	case o.replace && (o.procedure == "" || o.sentence == "" && !cmd.Flags().Changed("prompt") && !cmd.Flags().Changed("prompt-file")):
		return usage("--replace-prompt has nothing to replace, or nothing to put in its place", "name a procedure and a prompt: refrain run build --replace-prompt 'Do the next task'")
	}
	return nil
}

// isSentence tells whether words are said to an agent: several, or one text with a
// blank in it. A single word is the name of something.
func isSentence(words []string) bool {
	return len(strings.Fields(strings.Join(words, " "))) > 1
}

// isProcedure tells whether there is a procedure of that name in the work tree around
// a folder. Where the settings are wrong, whoever needs them says so; the built-in
// ones are there all the same.
func isProcedure(dir, name string) bool {
	if _, builtin := procedure.Find(name); builtin {
		return true
	}
	list, err := request.Procedures(dir, nil)
	return err == nil && slices.ContainsFunc(list, func(p request.ProcedureInfo) bool { return p.Name == request.ProcedureName(name) })
}

// notAName refuses a word that is most likely the name for a flag before it, which
// takes one only after an equals sign, and a single word, which says nothing.
func notAName(cmd *cobra.Command, words []string) error {
	if len(words) == 0 || isSentence(words[:1]) || strings.TrimSpace(words[0]) == "" {
		return nil // that it says nothing is told by who takes it
	}
	for _, name := range []string{"branch", "worktree"} {
		if f := cmd.Flags().Lookup(name); f != nil && f.NoOptDefVal != "" && f.Changed && (f.Value.String() == "" || f.Value.String() == unnamed) {
			return usage(fmt.Sprintf("%q is the name for --%s, or a part of a sentence", words[0], name), "a name follows after an equals sign, --"+name+"=NAME, and a sentence stands in quotes")
		}
	}
	if isSentence(words) {
		return nil
	}
	return usage(fmt.Sprintf("%s takes a sentence, and %q is a single word", cmd.Name(), words[0]), "say more, or pass it with -p; a command goes after --")
}

func run(sh *shell, cmd *cobra.Command, o runOptions) error {
	if taken, err := o.offerResume(sh, cmd); taken || err != nil {
		return err
	}
	elsewhere, err := o.elsewhere(sh, cmd)
	if elsewhere != nil {
		more, err := o.agreeFirst(sh, cmd)
		if err != nil || sh.status != 0 {
			return err
		}
		return elsewhere(more...)
	}
	if err != nil {
		return err
	}
	_, err = o.start(sh, cmd)
	return err
}

// start runs it to its end, and gives what was run: nil if it was not.
func (o runOptions) start(sh *shell, cmd *cobra.Command) (*app.Job, error) {
	req, err := o.request(sh, cmd)
	if err != nil {
		return nil, err
	}
	ctx := cmd.Context()
	var job *app.Job
	err = sh.agreeing(func() (err error) {
		job, err = o.prepare(ctx, sh, req)
		var choice *lineup.ChoiceError
		if errors.As(err, &choice) && sh.status == 0 {
			chosen, err := choose(sh, choice)
			if err != nil {
				return err
			}
			req.Flags = append(req.Flags, chosen...)
			job, err = o.prepare(ctx, sh, req)
			return err
		}
		return err
	})
	if err != nil && sh.status == 0 {
		if explain(err).status == statusUsage && !o.dryRun {
			sh.refused(o.butPlace(app.Foresee(ctx, sh.dir, req)))
		}
		return nil, err
	}
	if sh.status != 0 {
		return nil, nil // a signal came meanwhile
	}
	if o.prompt != "" && job.Request.Prompt == "" {
		fmt.Fprintf(sh.err, "NOTE: -p adds to the prompt of %s; with --replace-prompt it takes its place\n", job.Request.Procedure)
	}
	if job.LimitedBy > 0 {
		fmt.Fprintf(sh.err, "NOTE: at most %d iterations for %s; -n N is another limit, --unlimited none\n", job.Config().Stop.Iterations, text.Plural(job.LimitedBy, "open task"))
	}
	screen, err := newScreen(sh, o.output, job.Config().Loop.Output)
	if err != nil {
		return nil, err
	}
	screen.brief = o.brief
	if o.dryRun {
		return nil, dryRun(sh, job, o.output == "json")
	}
	if err := sh.canAsk(job); err != nil {
		return nil, err
	}
	o.noteLeftOff(sh)
	worries, ready := sh.ready(ctx, job, o.butPlace)
	if !ready {
		return nil, nil
	}
	if o.first != nil {
		if err := o.first(job); err != nil {
			return nil, err
		}
	}
	if o.serve {
		ended, err := serveBeside(ctx, sh)
		if err != nil {
			return nil, err
		}
		defer ended()
	}
	return job, sh.attend(job, "", screen, func(w app.RunOptions) (loop.RunFinished, error) {
		screen.show(view.New())
		w.Observers = slices.Insert(w.Observers, 0, app.Observer(worrier{sh.err, worries})) // before it is said that the run has begun
		return job.Start(ctx, w)
	})
}

// ready tells whether a run can start, and says what keeps it from that: all of it
// at once, so that nobody mends one thing to hear of the next. What is only a worry
// is for a run that does start.
func (sh *shell) ready(ctx context.Context, job *app.Job, only func([]preflight.Finding) []preflight.Finding) (worries []preflight.Finding, ok bool) {
	ctx, ended := sh.untilSignal(ctx)
	list := only(job.Preflight(ctx))
	ended()
	switch {
	case sh.status != 0:
		return nil, false // a signal came meanwhile
	case sh.refused(list):
		sh.status = statusUsage
		return nil, false
	}
	return list, true
}

// butPlace leaves out where the run works, if that was said to be meant.
func (o runOptions) butPlace(list []preflight.Finding) []preflight.Finding {
	if !o.here {
		return list
	}
	return withoutPlace(list)
}

func withoutPlace(list []preflight.Finding) []preflight.Finding {
	return slices.DeleteFunc(list, func(f preflight.Finding) bool { return f.Name == preflight.Place })
}

// refused tells whether findings keep a run from starting, and says which do.
func (sh *shell) refused(list []preflight.Finding) bool {
	refused := preflight.Refused(list)
	for _, f := range refused {
		failure{f.What, f.Hint, statusUsage}.print(sh.err)
	}
	return len(refused) > 0
}

// worrier tells of worries once the run has begun: one that is refused says only
// why.
type worrier struct {
	to      io.Writer
	worries []preflight.Finding
}

func (w worrier) Observe(e loop.Event) {
	if _, begins := e.Payload.(*loop.RunStarted); !begins {
		return
	}
	for _, f := range w.worries {
		fmt.Fprintf(w.to, "WARNING: %s\n", f.What)
		fmt.Fprintf(w.to, "hint: %s\n", f.Hint)
	}
}

// elsewhere is how a run is started that is not to run in this process: one that
// nobody watches, or that is watched on the whole screen; nil: it is to run here. What
// is wrong with settings is left to whoever runs it.
func (o runOptions) elsewhere(sh *shell, cmd *cobra.Command) (start func(more ...string) error, err error) {
	if o.dryRun || detached != "" {
		return nil, nil
	}
	if o.detach {
		return func(more ...string) error { return detach(sh, o.stdin(), again(sh, more...)...) }, nil
	}
	setting := ""
	if o.output == "auto" && sh.person() {
		a, err := o.assignment(sh, cmd)
		if err != nil {
			return nil, nil // it is told here, with all else that is wrong
		}
		setting = a.Config().Loop.Output
	}
	kind, err := showing(sh, o.output, setting)
	if err != nil || kind != "tui" {
		return nil, err
	}
	return func(more ...string) error { return attendOnScreen(cmd.Context(), sh, o.stdin(), again(sh, more...)...) }, nil
}

// stdin is what the run reads of ours.
func (o runOptions) stdin() *os.File {
	if o.file == "-" {
		return os.Stdin
	}
	return nil
}

// agreeFirst has a person agree to what a run will run of its work tree, and say which
// agent is meant, while there is one: a run elsewhere can ask nobody. Whatever else is
// wrong, that run says itself. What comes back are flags for it.
func (o runOptions) agreeFirst(sh *shell, cmd *cobra.Command) (more []string, err error) {
	if o.file == "-" {
		o.file = "" // it is for the run to read; a text that is typed runs nothing
	}
	req, err := o.request(sh, cmd)
	if err != nil {
		return nil, err
	}
	agreed := func() error {
		ctx, ended := sh.untilSignal(cmd.Context())
		defer ended()
		return app.Agreed(ctx, sh.dir, req)
	}
	err = sh.agreeing(agreed)
	var choice *lineup.ChoiceError
	if errors.As(err, &choice) && sh.person() {
		chosen, err := choose(sh, choice)
		if err != nil {
			return nil, err
		}
		for _, f := range chosen {
			more = append(more, f.Name+"="+f.Value)
		}
		req.Flags = append(req.Flags, chosen...)
		if err := sh.agreeing(agreed); agreeFails(err) {
			return nil, err
		}
		return more, nil
	}
	if agreeFails(err) {
		return nil, err
	}
	return nil, nil
}

// agreeFails tells whether an error says that somebody has not agreed.
func agreeFails(err error) bool {
	var untrusted *trust.Error
	var told failure
	return errors.As(err, &told) || errors.As(err, &untrusted)
}

// maxSettings is more than any file of settings has.
const maxSettings = 4 << 20

// agentLine is a line that names the agent, before the first table.
var agentLine = text.NewPattern(`(?m)^[ \t]*agent[ \t]*=.*$`)

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
	fmt.Fprintf(sh.out, "[DRY RUN] Token count: %s / %s budget\n", text.Count(plan.Tokens), text.Count(plan.Budget))
	for _, w := range plan.Warnings {
		fmt.Fprintf(sh.err, "WARNING: %s\n", w.Text)
	}
	if plan.Prompt != "" {
		fmt.Fprintf(sh.out, "\n%s\n", strings.TrimSuffix(plan.Prompt, "\n"))
	}
	return nil
}
