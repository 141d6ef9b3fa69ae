package dispatch

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/cli"
	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/fleet"
)

// Backend is what a fleet is made of.
type Backend struct {
	// Dial reaches the server of a fleet. A *fleet.UnreachableError says that none
	// answers.
	Dial func(context.Context, fleet.Server) (fleet.Service, error)
	// Work does what a shift offers until ctx is done, and then leaves.
	Work func(context.Context, fleet.Server, fleet.Shift, fleet.Legs) error
	// Desk makes what does legs.
	Desk func(Bench) (Desk, error)
}

// Bench is where legs are done, and whose.
type Bench struct {
	Root   string // the folder that is the worker's alone
	Worker string
	Trust  []string // patterns of the remotes whose runs may be done
}

// Desk does legs until it is closed.
type Desk interface {
	fleet.Legs
	Close() error
}

// Main runs one command of the program of workers and returns its exit status.
func Main(args []string, b Backend) int {
	return cli.Program{
		Name:  "refrain-worker",
		Short: "Do runs of a fleet, and hand runs to it",
		Long: "Do runs of a fleet on this machine, or hand runs to one, look at them and steer them. \"refrain fleet\" is\n" +
			"the same as \"refrain-worker fleet\".",
		Example: "  refrain-worker work --trust 'https://git.example.com/team/*'\n" +
			"  refrain fleet submit 'Fix the failing tests' --gate 'make test'\n  refrain fleet ls",
		Commands: []func(*cli.Shell) *cobra.Command{
			func(sh *cli.Shell) *cobra.Command { return workCommand(post{sh, b}) },
			func(sh *cli.Shell) *cobra.Command { return fleetCommand(post{sh, b}) },
			versionCommand,
		},
	}.Main(args)
}

func versionCommand(sh *cli.Shell) *cobra.Command { return sh.VersionCommand("refrain-worker") }

// post is where a command stands.
type post struct {
	*cli.Shell
	backend Backend
}

// fleetCommand has everything that people do with a fleet.
func fleetCommand(p post) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fleet",
		Short: "Hand runs to a fleet of workers, look at them and steer them",
		Long: "Hand runs to a fleet of workers, look at them and steer them. What is wanted goes to the server of the\n" +
			"fleet (fleet.address), the work goes by the git remote, and some worker of the queue does it.\n\n" +
			"RUN is the name of a run, its id or the beginning of that. Without it, the only run of this repository\n" +
			"that is under way is meant.",
		Example: "  refrain fleet submit 'Fix the failing tests' --gate 'make test'\n  refrain fleet submit --plan PLAN.md --wait\n" +
			"  refrain fleet ls\n  refrain fleet note fix-tests-3f2a 'Leave the generated files alone'",
		Args: cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, make := range []func(post) *cobra.Command{
		submitCommand, lsCommand, statusCommand, waitCommand,
		showCommand, logsCommand, watchCommand, serveCommand,
		stopCommand, resumeCommand, pauseCommand, skipCommand, noteCommand, raiseCommand, approveCommand,
		workersCommand, accountCommand, scheduleCommand,
	} {
		cmd.AddCommand(make(p))
	}
	return cmd
}

// dial reaches the server that the settings name.
func (p post) dial(ctx context.Context) (fleet.Service, error) {
	f, err := p.settings()
	if err != nil {
		return nil, err
	}
	return p.reach(ctx, serverOf(f))
}

// reach reaches a server, which hears no secret from us.
func (p post) reach(ctx context.Context, at fleet.Server) (fleet.Service, error) {
	service, err := p.backend.Dial(ctx, at)
	if err != nil {
		return nil, err
	}
	return discreet{service, app.Secrets(p.Dir())}, nil
}

// asking is a command that asks the fleet for something. It ends by a signal.
func (p post) asking(run func(ctx context.Context, service fleet.Service, cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return p.Heeding(func(cmd *cobra.Command, args []string) error {
		service, err := p.dial(cmd.Context())
		if err != nil {
			return told(err)
		}
		defer service.Close()
		return told(run(cmd.Context(), service, cmd, args))
	})
}

// byFlag is an error about a setting that a flag of a command gave, with the help of that
// command for a hint, where nothing better is known.
func byFlag(cmd *cobra.Command, err error) error {
	var wrong *config.Errors
	if errors.As(err, &wrong) && wrong.Hint() == "" && strings.HasPrefix(wrong.Problems[0].File, "--") {
		return cli.UsageError(wrong.Error(), fmt.Sprintf("see %q", cmd.CommandPath()+" --help"))
	}
	return err
}

// told is an error as the exit statuses have it: what nobody knows, or has already, was
// a mistake in what was asked for.
func told(err error) error {
	var unknown *fleet.UnknownError
	var exists *fleet.ExistsError
	var wrong *fleet.WrongError
	switch {
	case errors.As(err, &unknown):
		return cli.UsageError(unknown.Error(), unknown.Hint())
	case errors.As(err, &exists):
		return cli.UsageError(exists.Error(), exists.Hint())
	case errors.As(err, &wrong):
		return cli.UsageError(wrong.Error(), wrong.Hint())
	}
	return err
}
