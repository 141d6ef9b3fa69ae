package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/view"
)

// store is where the runs of this work tree are.
func (sh *shell) store() (journal.Store, error) {
	tree, err := config.Root(sh.dir)
	if err != nil {
		return journal.Store{}, usage(err.Error(), "name an existing folder with -C")
	}
	return journal.Open(tree)
}

// find is the run that a person means.
func (sh *shell) find(ref string) (journal.Store, journal.Entry, error) {
	store, err := sh.store()
	if err != nil {
		return store, journal.Entry{}, err
	}
	entry, err := store.Find(ref)
	return store, entry, err
}

// resumable is the run that a person wants to go on with: by name, or the
// latest that can.
func (sh *shell) resumable(ref string) (journal.Entry, error) {
	store, entry, err := sh.find(ref)
	if err != nil || ref != "" {
		return entry, err
	}
	list, _, err := store.List()
	if err != nil {
		return entry, err
	}
	for i := len(list) - 1; i >= 0; i-- {
		if e := list[i]; e.Tree == store.Tree && canGoOn(store.Status(e)) {
			return store.Load(e.Name)
		}
	}
	return entry, nil // it is done or alive; trying to resume it says so
}

// belongsHere refuses a run of another work tree of the repository: its agent
// works there, and a person who stands here may not expect that.
func (sh *shell) belongsHere(entry journal.Entry) error {
	store, err := sh.store()
	switch {
	case err != nil:
		return err
	case entry.Gone:
		gone := store.Gone(entry.Meta)
		return usage(gone.Error(), gone.Hint())
	case entry.Tree == store.Tree:
		return nil
	}
	return usage(fmt.Sprintf("%s belongs to another work tree: %s", entry.Name, entry.Tree),
		"go there, or pass -C "+entry.Tree)
}

func canGoOn(s loop.Status) bool { return s.Ended() && s != loop.Done }

// lookAt is what is shown of a run, as it stands now.
func lookAt(store journal.Store, entry journal.Entry) *view.Run {
	run := app.Look(entry)
	switch status := store.Status(entry); {
	case status == loop.Crashed:
		run.Died()
	case !status.Ended():
		// The lock knows the runner of now; the events tell of the first.
		if h, held := (journal.Store{Dir: store.Dir, Tree: entry.Tree}).Holder(); held && h.Run == entry.Name {
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
		run.Spared, run.Left = app.Left(entry)
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
