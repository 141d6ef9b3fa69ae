package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/view"
)

// store is where the runs of this work tree are.
func (sh *shell) store() (journal.Store, error) { return history.OpenStore(sh.dir) }

// find is the run that a person means.
func (sh *shell) find(ref string) (journal.Store, journal.Entry, error) {
	store, err := sh.store()
	if err != nil {
		return store, journal.Entry{}, err
	}
	entry, err := store.Find(ref)
	if err == nil {
		sh.warnOf(entry)
	}
	return store, entry, err
}

// live finds a run that is alive, and where it takes commands: by its name, or
// the one of this work tree.
func (sh *shell) live(ref string) (journal.Entry, string, error) {
	store, err := sh.store()
	if err != nil {
		return journal.Entry{}, "", err
	}
	entry, err := store.Find(ref)
	var none *journal.NotFoundError
	if errors.As(err, &none) && ref == "" {
		return entry, "", failure{"nothing is running here", "start a run with \"refrain run\"", statusFailed}
	}
	if err != nil {
		return entry, "", err
	}
	holder, alive := store.At(entry.Tree).Holder()
	switch {
	case alive && ref == "" && holder.Run != "" && holder.Run != entry.Name:
		if entry, err = store.Find(holder.Run); err != nil {
			return entry, "", err
		}
	case !alive || holder.Run != entry.Name:
		return entry, "", failure{
			fmt.Sprintf("%s is not running: %s", entry.Name, ended(store.Status(entry))),
			"\"refrain status " + entry.Name + "\" tells how it ended, and how to go on", statusFailed,
		}
	}
	if holder.Socket == "" {
		return entry, "", failure{entry.Name + " takes no commands", "it is just starting, or could not open its socket: look at \"refrain status\"", statusFailed}
	}
	return entry, holder.Socket, nil
}

// ended says how a run that is over stands.
func ended(s loop.Status) string {
	if s == loop.Crashed {
		return "its runner died"
	}
	return "it is " + string(s)
}

// warnOf says what in the records of a run is not as a runner left it.
func (sh *shell) warnOf(entry journal.Entry) {
	if entry.Strange.Any() {
		fmt.Fprintf(sh.err, "WARNING: %s: %s\n", entry.Name, entry.Strange)
	}
	sh.warnTampered(entry)
	if entry.Unchecked != "" {
		fmt.Fprintf(sh.err, "WARNING: %s cannot be checked: %s\n", entry.Name, entry.Unchecked)
	}
}

func (sh *shell) warnTampered(entry journal.Entry) {
	if entry.Tampered != "" {
		fmt.Fprintf(sh.err, "WARNING: %s: its records were changed by somebody else: %s\n", entry.Name, entry.Tampered)
	}
}

// lookAt is what is shown of a run, as it stands now.
func lookAt(store journal.Store, entry journal.Entry) *view.Run {
	run := history.Look(entry)
	switch status := store.Status(entry); {
	case status == loop.Crashed:
		run.Died()
	case !status.Ended():
		// The lock knows the runner of now; the events tell of the first.
		if h, held := store.At(entry.Tree).Holder(); held && h.Run == entry.Name {
			run.PID = h.PID
		}
	}
	return run
}

// lookClosely is lookAt for one run that a person wants to know about: it also
// looks for processes that the run has left.
func lookClosely(store journal.Store, entry journal.Entry) *view.Run {
	run := lookAt(store, entry)
	if entry.Tree != store.Tree {
		run.Tree = entry.Tree
	}
	if run.State.Ended() {
		run.Spared, run.Left = history.Left(entry)
	}
	return run
}

// iterationRef splits RUN/N. N is 0 when there is none.
func iterationRef(arg string) (run string, iter int, err error) {
	run, number, has := strings.Cut(arg, "/")
	if !has {
		return run, 0, nil
	}
	iter, err = strconv.Atoi(number)
	if err != nil || iter < 1 {
		return run, 0, usage(fmt.Sprintf("%q is not an iteration", number), "write it like build-7/3; the first iteration is 1")
	}
	return run, iter, nil
}

// printJSON writes a value for scripts.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

func addJSON(cmd *cobra.Command) *bool {
	return cmd.Flags().Bool("json", false, "print JSON for scripts")
}

// completeRuns offers the names of the runs here, the latest first.
func completeRuns(sh *shell) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		store, err := sh.store()
		if err != nil || len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		list, _, err := store.List()
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		names := []cobra.Completion{"last"}
		for _, e := range slices.Backward(list) {
			names = append(names, e.Name)
		}
		return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}
