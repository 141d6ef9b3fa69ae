package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/refrain-loop/refrain/internal/control"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	lines "github.com/refrain-loop/refrain/internal/term"
)

// Shell is where a command of another program stands. What it shares with those here
// has the same name, and is the same.
type Shell struct{ sh *shell }

// Out is where results go.
func (s *Shell) Out() io.Writer { return s.sh.out }

// Err is where everything else goes.
func (s *Shell) Err() io.Writer { return s.sh.err }

// In is what somebody may type, or pipe in.
func (s *Shell) In() io.Reader { return s.sh.in }

// Dir is the folder of -C.
func (s *Shell) Dir() string { return s.sh.dir }

// End sets the exit status of a command that did its work.
func (s *Shell) End(status int) { s.sh.status = status }

// Say tells a person something, in lines that fit the screen.
func (s *Shell) Say(format string, args ...any) { s.sh.say(format, args...) }

// Print shows a table.
func (s *Shell) Print(t *lines.Table) { s.sh.print(t) }

// PrintJSON prints a value for scripts.
func (s *Shell) PrintJSON(v any) error { return printJSON(s.sh.out, v) }

// Warn says what a person should know, and what to do about it.
func (s *Shell) Warn(what, hint string) {
	fmt.Fprintf(s.sh.err, "WARNING: %s\n", oneLine(what))
	if hint != "" {
		fmt.Fprintf(s.sh.err, "hint: %s\n", hint)
	}
}

// Wait shows on a terminal what is waited for, until the function that it returns is
// called.
func (s *Shell) Wait(line func() string) (end func()) { return s.sh.wait(line).end }

// Heeding is a command that ends what it has started when it hears a signal.
func (s *Shell) Heeding(run func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return s.sh.heeding(run)
}

// UntilSignal ends the context by INT, TERM or HUP, and the command with the status
// that shells show for it.
func (s *Shell) UntilSignal(ctx context.Context) (context.Context, func()) {
	return s.sh.untilSignal(ctx)
}

// Find is a run of this work tree.
func (s *Shell) Find(ref string) (journal.Store, journal.Entry, error) { return s.sh.find(ref) }

// Stages tells a person at a terminal what is about to happen.
func (s *Shell) Stages(quiet bool) func(string) { return stages(s.sh.err, quiet) }

// AddJSON gives a command the flag for scripts.
func AddJSON(cmd *cobra.Command) *bool { return addJSON(cmd) }

// UsageError is a mistake in what was asked for.
func UsageError(what, hint string) error { return usage(what, hint) }

// FailedError says that a command could not do its work.
func FailedError(what, hint string) error { return failure{what, hint, statusFailed} }

// NoArguments refuses arguments, and at the root an unknown command.
func NoArguments(cmd *cobra.Command, args []string) error { return noArguments(cmd, args) }

// AtMost refuses more than n arguments.
func AtMost(n int) cobra.PositionalArgs { return atMost(n) }

// Some refuses no arguments at all.
func Some(what string) cobra.PositionalArgs { return some(what) }

// ExitStatus is what the end of a run means to a shell. 0 is done and nothing else.
func ExitStatus(state loop.Status) int { return exitStatus(loop.RunFinished{State: state}) }

// Answered is an answer of a run for scripts.
func Answered(run string, answer control.Answer) any { return answered{run, answer} }

// Named refuses a run that nobody has named, or several.
func Named(hint string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usage(fmt.Sprintf("%s takes one argument, not %d", cmd.CommandPath(), len(args)), hint)
		}
		return nil
	}
}

// NoteFor finds the run that a note is for, if one is named.
func NoteFor(args []string, isRun func(string) bool) (ref, note string) { return noteFor(args, isRun) }

// AddRaises gives a command the flags of the limits that a live run can be given anew.
func AddRaises(f *pflag.FlagSet) { addFlags(f, raiseFlags) }

// Raises sorts what raise was given: limits, and a run before or behind them.
func Raises(f *pflag.FlagSet, args []string) (ref string, orders []control.Command, err error) {
	return raises(f, args)
}

// Store is where the runs of this work tree are.
func (s *Shell) Store() (journal.Store, error) { return s.sh.store() }

// VersionCommand prints the version of a program.
func (s *Shell) VersionCommand(program string) *cobra.Command { return versionCommandOf(s.sh, program) }

// Explain is what a person is told of an error: what happened, and what to do.
func Explain(err error) (what, hint string) {
	told := explain(err)
	return oneLine(told.what), told.hint
}

// Complain tells of an error that is one of several.
func (s *Shell) Complain(err error) { explain(err).print(s.sh.err) }
