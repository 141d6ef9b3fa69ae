package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/request"
)

// Wish is what "run" is asked for, for a command that has somebody else do it.
type Wish struct{ o runOptions }

// elsewhereFlags are the settings of a run that have a meaning of their own where it
// goes on another machine.
var elsewhereFlags = []string{"plan", "branch"}

// Add gives a command the flags of "run" that say what is wanted, and not how it is
// shown here.
func (w *Wish) Add(cmd *cobra.Command) {
	w.o.settings = slices.DeleteFunc(slices.Clone(runFlags), func(s settingFlag) bool { return slices.Contains(elsewhereFlags, s.name) })
	w.o.addWanted(cmd.Flags())
	addTrust(cmd.Flags())
	addSettings(cmd.Flags(), w.o.settings)
}

// Take sorts the arguments: a procedure and a sentence before "--", and a command
// after it.
func (w *Wish) Take(s *Shell, cmd *cobra.Command, args []string) error {
	return w.o.take(s.sh, cmd, args)
}

// TakeAfter is Take, behind arguments that are the command's own.
func (w *Wish) TakeAfter(s *Shell, cmd *cobra.Command, args []string, own int) error {
	return w.o.takeUpTo(s.sh, cmd, args[own:], cmd.ArgsLenAtDash()-own)
}

// Exclusive refuses flags that contradict each other.
func (w *Wish) Exclusive(cmd *cobra.Command) error { return exclusive(wantedPairs)(cmd, nil) }

// Request is what was asked for.
func (w *Wish) Request(s *Shell, cmd *cobra.Command) (request.Request, error) {
	return w.o.request(s.sh, cmd)
}

// TOMLText is a text as a flag for a section of a procedure has it.
func TOMLText(s string) string { return tomlText(s) }
