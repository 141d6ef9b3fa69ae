// Package cli is the command line: one file for each command, thin, with the
// work done elsewhere.
//
// A command that cannot do its work says what happened in one line and what to
// do in the next, and ends with the exit status that scripts rely on.
package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"charm.land/fang/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/refrain-loop/refrain/internal/setting"
)

// Version is set when a release is built.
var Version = "dev"

// shell is where a command stands: its streams and its folder.
type shell struct {
	console
	dir     string // -C
	machine bool   // --machine
	status  int    // the exit status of a command that did its work
}

// command makes a command that stands in a shell.
type command = func(*shell) *cobra.Command

// commands is every command, in the order of the help. Those that begin a run are
// in run.go, and those that talk to a live one in talk.go.
var commands = slices.Concat(runCommands, []command{resumeCommand}, talkCommands, []command{
	statusCommand,
	lsCommand,
	showCommand,
	logsCommand,
	eventsCommand,
	watchCommand,
	reportCommand,
	statsCommand,
	diffCommand,
	rollbackCommand,
	bisectCommand,
	whatifCommand,
	checkCommand,
	initCommand,
	trustCommand,
	verifyCommand,
	proceduresCommand,
	configCommand,
	agentsCommand,
	doctorCommand,
	pruneCommand,
	rehearseCommand,
	mcpCommand,
	demoCommand,
	versionCommand,
})

// Main runs one command and returns its exit status.
func Main(args []string) int {
	sh := &shell{console: console{in: os.Stdin, out: os.Stdout, err: os.Stderr}}
	root := newRoot(sh)
	ignoreBrokenPipes()
	noteDetached()
	dress(root)
	root.SetArgs(args)
	err := root.ExecuteContext(context.Background())
	if errors.Is(err, syscall.EPIPE) {
		return 0 // whoever read has seen enough
	}
	if err != nil {
		told := explain(err)
		told.print(sh.err)
		return told.status
	}
	return sh.status
}

// dress has fang make the pages of help and the manual, around a command that does
// nothing. The real one is run without it: for every error it would ask the
// terminal for its colours, and wait seconds for one that does not answer.
func dress(root *cobra.Command) {
	nothing := &cobra.Command{Use: "nothing", Hidden: true, Run: func(*cobra.Command, []string) {}}
	root.AddCommand(nothing)
	root.SetArgs([]string{nothing.Name()})
	_ = fang.Execute(context.Background(), root, fang.WithVersion(Version)) // nothing cannot fail
	root.RemoveCommand(nothing)
}

// ignoreBrokenPipes makes a write to a closed pipe an error instead of the end
// of the program: "refrain run | head" must not lose a run. The signal is
// caught rather than ignored, for children inherit what is ignored.
func ignoreBrokenPipes() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// noteDetached takes in that nobody watches: no terminal's end is ours.
func noteDetached() {
	if detached = os.Getenv(detachedMark); detached == "" {
		return
	}
	_ = os.Unsetenv(detachedMark)
	signal.Ignore(syscall.SIGHUP)
}

func newRoot(sh *shell) *cobra.Command {
	var asJSON *bool
	root := &cobra.Command{
		Use:   "refrain",
		Short: "Run a coding agent again and again until the work is done",
		Long: "Refrain runs a coding agent again and again, each time as a fresh process with a fresh\n" +
			"context, until the work is done, and stops it when it isn't getting there.\n\n" +
			"Without a command it shows the latest run here.",
		Example: "  refrain demo\n" +
			"  refrain run -p 'Fix the failing tests' --until DONE -- my-agent --headless\n" +
			"  refrain resume",
		Args:              noArguments,
		RunE:              func(cmd *cobra.Command, _ []string) error { return latest(sh, cmd, *asJSON) },
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: false},
	}
	asJSON = addJSON(root)
	root.SetOut(sh.out)
	root.SetErr(sh.err)
	root.SetFlagErrorFunc(flagError)
	root.SetVersionTemplate(versionLine() + "\n")
	root.PersistentFlags().StringVarP(&sh.dir, "dir", "C", ".", "work in this folder")
	for _, command := range commands {
		root.AddCommand(command(sh))
	}
	correctDefaults(root)
	return root
}

// correctDefaults makes the commands that cobra brings along refuse what they
// do not know, as ours do.
func correctDefaults(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "completion":
			cmd.Args = noArguments
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		case "help":
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

// flagError adds a suggestion to a flag that does not exist.
func flagError(cmd *cobra.Command, err error) error {
	hint := fmt.Sprintf("see %q", cmd.CommandPath()+" --help")
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		if near := nearestFlag(cmd, unknown.GetSpecifiedName()); near != "" {
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
	case "int":
		return "whole number"
	case "duration":
		return "duration such as 90s or 24h"
	}
	return f.Value.Type()
}

func nearestFlag(cmd *cobra.Command, name string) string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return setting.Nearest(name, names)
}
