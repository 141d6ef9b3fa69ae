// Package cli is the command line: one file for each command, thin, with the
// work done elsewhere.
//
// A command that cannot do its work says what happened in one line and what to
// do in the next, and ends with the exit status that scripts rely on.
package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"syscall"

	"charm.land/fang/v2"
	"github.com/spf13/cobra"
)

// Version is set when a release is built.
var Version = "dev"

// shell is where a command stands: its streams and its folder.
type shell struct {
	in       io.Reader
	out, err io.Writer
	dir      string // -C
	status   int    // the exit status of a command that did its work
}

// commands is every command, in the order of the help.
var commands = []func(*shell) *cobra.Command{
	runCommand,
	planCommand,
	buildCommand,
	resumeCommand,
	pauseCommand,
	stopCommand,
	skipCommand,
	rebootCommand,
	noteCommand,
	raiseCommand,
	approveCommand,
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
}

// Main runs one command and returns its exit status.
func Main(args []string) int {
	sh := &shell{in: os.Stdin, out: os.Stdout, err: os.Stderr}
	root := newRoot(sh)
	root.SetArgs(args)
	ignoreBrokenPipes()
	noteDetached()
	err := fang.Execute(context.Background(), root,
		fang.WithVersion(Version),
		fang.WithErrorHandler(func(w io.Writer, _ fang.Styles, err error) {
			if !errors.Is(err, syscall.EPIPE) {
				explain(err).print(w)
			}
		}),
	)
	if errors.Is(err, syscall.EPIPE) {
		return 0 // whoever read has seen enough
	}
	if err != nil {
		return explain(err).status
	}
	return sh.status
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
