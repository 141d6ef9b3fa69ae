// Package cli is the command line: one file for each command, thin, with the
// work done elsewhere.
//
// A command that cannot do its work says what happened in one line and what to
// do in the next, and ends with the exit status that scripts rely on.
package cli

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/refrain-loop/refrain/internal/foreign"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/outside"
	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/text"
)

// Version is set when a release is built.
var Version = "dev"

// shell is where a command stands: its streams and its folder.
type shell struct {
	console
	args    []string // the command, as it was typed
	dir     string   // -C
	machine bool     // --machine
	status  int      // the exit status of a command that did its work
	allHelp bool     // help is to tell everything
	lent    lent     // the terminal, to programs of the person's
}

// command makes a command that stands in a shell.
type command = func(*shell) *cobra.Command

// family is commands of one kind: those that are used most, which the first page
// of the help has, and the others.
type family struct {
	title        string
	often, other []command
}

// families is every command, in the order of the help. Those that cobra brings
// along are in the last one.
var families = []family{
	{
		"Start",
		[]command{runCommand, planCommand, buildCommand},
		[]command{checkCommand, rehearseCommand, demoCommand},
	},
	{
		"Look",
		[]command{watchCommand, showCommand, reviewCommand},
		[]command{statusCommand, diffCommand, lsCommand, logsCommand, reportCommand, statsCommand, whatifCommand, verifyCommand, eventsCommand, serveCommand},
	},
	{
		"Steer",
		[]command{stopCommand, resumeCommand},
		[]command{pauseCommand, parkCommand, carryCommand, fleetCommand, noteCommand, raiseCommand, skipCommand, approveCommand, rebootCommand, mcpCommand},
	},
	{
		"Go back",
		[]command{rollbackCommand},
		[]command{bisectCommand, pruneCommand},
	},
	{
		"Set up",
		[]command{initCommand},
		[]command{importCommand, doctorCommand, configCommand, trustCommand, agentsCommand, proceduresCommand, versionCommand},
	},
}

// Main runs one command and returns its exit status.
func Main(args []string) int {
	sh := newShell(args)
	ignoreBrokenPipes()
	if onlyVersion(args) {
		return printVersion(sh.out, sh.err)
	}
	root := newRoot(sh)
	noteDetached()
	args, sh.allHelp = wantsAll(args)
	root.SetArgs(asRun(root, args))
	return execute(sh, root)
}

// tellSkipped tells of programs that were not run, unless a run has.
func tellSkipped(sh *shell) {
	var list []loop.Warning
	for _, s := range outside.Untold() {
		text, hint := s.Warning()
		list = append(list, loop.Warning{Text: text, Hint: hint})
	}
	tellWarnings(sh, list)
}

// asRun puts "run" before a sentence, or the name of a procedure, that stands in the
// place of a command. Words without quotes may as well be a command that does not
// exist, or that another system has, so the first one is like none that does, and none
// of the others is the name of a run.
func asRun(root *cobra.Command, args []string) []string {
	at, dir := 0, "."
	for at < len(args) && strings.HasPrefix(args[at], "-") {
		switch arg := args[at]; {
		case (arg == "-C" || arg == "--dir") && at+1 < len(args):
			dir = args[at+1]
			at += 2
		case strings.HasPrefix(arg, "-C") || strings.HasPrefix(arg, "--dir="):
			dir = strings.TrimPrefix(strings.TrimPrefix(arg, "-C"), "--dir=")
			at++
		default:
			return args // no flag of all commands: it has one after it, or none
		}
	}
	if at >= len(args) || strings.HasPrefix(args[at], "__") { // what shells ask for completions
		return args
	}
	words := args[at:]
	if end := slices.IndexFunc(words, func(arg string) bool { return strings.HasPrefix(arg, "-") }); end >= 0 {
		words = words[:end]
	}
	if !isSentence(words[:1]) {
		found, _, err := root.Find(words)
		known := err == nil && found != root
		switch {
		case known:
			return args
		case isProcedure(dir, words[0]):
			return slices.Insert(slices.Clone(args), at, "run")
		case foreign.Command(words) != "":
			return args
		}
		if !isSentence(words) || nearestCommand(root, words[0]) != "" || slices.ContainsFunc(words[1:], runName().MatchString) {
			return args
		}
	}
	return slices.Insert(slices.Clone(args), at, "run")
}

// runName is what a reference to a run looks like.
var runName = text.NewPattern(`^(last|[\w-]+-\d+)(/\d+)?$`)

// ignoreBrokenPipes makes a write to a closed pipe an error instead of the end
// of the program: "refrain run | head" must not lose a run. The signal is
// caught rather than ignored, for children inherit what is ignored.
func ignoreBrokenPipes() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// noteDetached takes in that nobody watches: no terminal's end is ours.
func noteDetached() {
	if detached = os.Getenv(detachedMark); detached == "" {
		return
	}
	begunOnScreen = os.Getenv(onScreenMark) != ""
	_ = os.Unsetenv(detachedMark)
	_ = os.Unsetenv(onScreenMark)
	signal.Ignore(syscall.SIGHUP)
}

func newRoot(sh *shell) *cobra.Command {
	var asJSON *bool
	root := &cobra.Command{
		Use:     ourName,
		Version: Version,
		// What happened, and what to do about it, Main says.
		SilenceErrors: true, SilenceUsage: true,
		Short: "Run a coding agent again and again until the work is done",
		Long: "Refrain runs a coding agent again and again, each time as a fresh process with a fresh\n" +
			"context, until the work is done, and stops it when it isn't getting there.\n\n" +
			"A sentence is enough to start; \"refrain run\" takes the same, and more. Without either it shows\n" +
			"the latest run here.",
		Example: "  refrain demo\n" +
			"  refrain 'Add an export command'\n" +
			"  refrain run -p 'Fix the failing tests' --until DONE -- my-agent --headless\n" +
			"  refrain resume",
		Args:              noArguments,
		RunE:              func(cmd *cobra.Command, _ []string) error { return latest(sh, *asJSON) },
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: false},
	}
	asJSON = addJSON(root)
	sh.addMachine(root, findsMachine)
	setUp(sh, root)
	cobra.EnableCommandSorting = false // the help has them in the order of the table
	for _, f := range families {
		root.AddGroup(&cobra.Group{ID: f.title, Title: f.title})
		for i, make := range slices.Concat(f.often, f.other) {
			cmd := make(sh)
			cmd.GroupID = f.title
			if i >= len(f.often) {
				cmd.Annotations = map[string]string{seldom: f.title}
			}
			root.AddCommand(cmd)
		}
		root.SetHelpCommandGroupID(f.title)
		root.SetCompletionCommandGroupID(f.title)
	}
	correctDefaults(root)
	return root
}

// seldom marks a command that only --help --all tells of.
const seldom = "seldom"

// correctDefaults makes the commands that cobra brings along refuse what they
// do not know, as ours do.
func correctDefaults(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "completion":
			cmd.Annotations = map[string]string{seldom: cmd.GroupID}
			cmd.Short = "Print what makes a shell complete commands, flags and runs"
			cmd.Args = noArguments
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		case "help":
			cmd.Annotations = map[string]string{seldom: cmd.GroupID}
			cmd.Short = "Tell about a command"
			cmd.Args = func(_ *cobra.Command, args []string) error {
				found, rest, err := root.Find(args)
				if err != nil || len(rest) > 0 {
					return noArguments(found, rest)
				}
				return nil
			}
		}
	}
}

// flagError adds a suggestion to a flag that does not exist: what is near it, or what
// stands for that of another system.
func flagError(cmd *cobra.Command, err error) error {
	if words := cmd.Flags().Args(); cmd.HasAvailableSubCommands() && len(words) > 0 {
		return noArguments(cmd, words) // the flag is one of a command that does not exist
	}
	hint := fmt.Sprintf("see %q", cmd.CommandPath()+" --help")
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		name := unknown.GetSpecifiedName()
		if theirs := foreign.Flag(name); theirs != "" {
			hint = theirs
		} else if near := nearestFlag(cmd, name); near != "" {
			hint = fmt.Sprintf("did you mean --%s?", near)
		}
	}
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		flag := invalid.GetFlag()
		return usage(fmt.Sprintf("--%s takes a %s, not %q", flag.Name, kindOf(flag), invalid.GetValue()), hint)
	}
	return usage(err.Error(), hint)
}

// kindOf is what a flag takes, in words.
func kindOf(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "int", "int64", "uint", "uint64":
		return "whole number"
	case "duration":
		return "duration such as 90s, 24h or 30d"
	}
	return f.Value.Type()
}

func nearestFlag(cmd *cobra.Command, name string) string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return setting.Nearest(name, names)
}
