package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/control"
	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/show"
	lines "github.com/refrain-loop/refrain/internal/term"
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

// meant is the run that a person means, as which has it. What is wrong with its
// records is told.
func (sh *shell) meant(ref string) (journal.Store, journal.Entry, error) {
	store, entry, err := sh.which(ref)
	if err == nil {
		sh.warnOf(entry)
	}
	return store, entry, err
}

// which finds the run that a person means, those that are alive first: without RUN
// that of this work tree, else the only one of the repository, wherever it works,
// else the latest. With --machine it is a live one of any project.
func (sh *shell) which(ref string) (journal.Store, journal.Entry, error) {
	store, err := sh.store()
	switch {
	case sh.machine:
		run, err := onMachine(ref)
		return run.Store.At(store.Tree), run.Entry, err
	case err != nil:
		return store, journal.Entry{}, err
	case ref != "":
		entry, err := store.Find(ref)
		return store, entry, err
	}
	run, ok, err := pick(history.Live(store), store.Tree)
	if !ok && err == nil {
		entry, err := store.Find("")
		return store, entry, err
	}
	return store, run.Entry, err
}

// live finds a run that is alive, and where it takes commands.
func (sh *shell) live(ref string) (history.LiveRun, error) {
	store, entry, err := sh.which(ref)
	run := history.LiveRun{Entry: entry, Store: store.At(entry.Tree)}
	var none *journal.NotFoundError
	if errors.As(err, &none) && ref == "" {
		return run, failure{"nothing is running here", "start a run with \"refrain run\"", statusFailed}
	}
	if err != nil {
		return run, err
	}
	holder, alive := run.Store.Holder()
	if !alive || holder.Run != entry.Name {
		return run, failure{
			fmt.Sprintf("%s is not running: %s", entry.Name, ended(store.Status(entry))),
			"\"refrain status " + entry.Name + "\" tells how it ended, and how to go on", statusFailed,
		}
	}
	if run.Socket = holder.Socket; run.Socket == "" {
		return run, failure{entry.Name + " takes no commands", "it is just starting, or could not open its socket: look at \"refrain status\"", statusFailed}
	}
	return run, nil
}

// liveHere is the run that "resume" lets go on. Without RUN one of another work tree
// is meant only while it is held up: else the latest one here is to be started again.
func (sh *shell) liveHere(ref string) (history.LiveRun, error) {
	run, err := sh.live(ref)
	if err != nil || ref != "" {
		return run, err
	}
	here, err := sh.store()
	if err != nil {
		return run, err
	}
	if run.Tree != here.Tree && !heldUp(run) {
		return run, failure{run.Name + " runs in " + run.Tree, "", statusFailed}
	}
	return run, nil
}

// heldUp tells whether a live run is paused, is about to be, or waits.
func heldUp(run history.LiveRun) bool {
	pausing := false
	for _, e := range run.Tail {
		if p, ok := e.Payload.(*loop.CommandReceived); ok && !p.Refused {
			switch p.Command {
			case control.Pause:
				pausing = true
			case control.Resume:
				pausing = false
			}
		}
	}
	s := run.Store.Status(run.Entry)
	return pausing || s == loop.Paused || s == loop.Waiting
}

// onMachine is the only live run of this user that a reference can mean.
func onMachine(ref string) (history.LiveRun, error) {
	list, err := everyLive()
	if err != nil {
		return history.LiveRun{}, err
	}
	list = slices.DeleteFunc(list, func(r history.LiveRun) bool { return ref != "" && ref != r.Name && ref != r.Procedure })
	run, ok, err := pick(list, "")
	switch {
	case err != nil || ok:
		return run, err
	case ref == "":
		return run, failure{"nothing is running on this machine", "\"refrain ls --machine\" lists what ran", statusFailed}
	}
	return run, failure{fmt.Sprintf("no run %q is live on this machine", ref), "\"refrain ls --machine\" lists all of them", statusFailed}
}

// everyLive lists the live runs of all projects of this user, the latest first.
func everyLive() ([]history.LiveRun, error) {
	stores, err := history.Stores()
	if err != nil {
		return nil, err
	}
	var list []history.LiveRun
	for _, s := range stores {
		list = append(list, history.Live(s)...)
	}
	slices.SortStableFunc(list, func(a, b history.LiveRun) int { return b.StartedAt.Compare(a.StartedAt) })
	return list, nil
}

// pick is the run of a work tree, or else the only one. Of several, a person has to
// say which.
func pick(list []history.LiveRun, here string) (run history.LiveRun, ok bool, err error) {
	for _, r := range list {
		if r.Tree == here {
			return r, true, nil
		}
	}
	switch len(list) {
	case 0:
		return run, false, nil
	case 1:
		return list[0], true, nil
	}
	return run, false, &severalError{list}
}

// severalError says that several runs are alive, and nobody has said which is meant.
type severalError struct{ runs []history.LiveRun }

func (e *severalError) Error() string { return fmt.Sprintf("%d runs are live", len(e.runs)) }

// failure asks for one of them.
func (e *severalError) failure() failure {
	how := "name the one that you mean"
	var said []string
	for i, r := range e.runs {
		if slices.ContainsFunc(e.runs[:i], func(o history.LiveRun) bool { return o.Name == r.Name }) {
			how = "say which one you mean: -C DIR, and its name"
		}
		said = append(said, r.Name+" in "+r.Tree)
	}
	return failure{e.Error() + ": " + strings.Join(said, ", "), how, statusUsage}
}

// table has a row for each of them.
func (e *severalError) table() *lines.Table {
	table := &lines.Table{Columns: []lines.Column{{}, {}, {Rank: 1}, {Wraps: true}}, Indent: 2}
	for _, r := range e.runs {
		run := lookAt(r.Store, r.Entry)
		table.Add(r.Name, view.People(run.State, run.Level()), atOf(run), r.Tree)
	}
	return table
}

// addMachine has a command look for live runs everywhere.
func (sh *shell) addMachine(cmd *cobra.Command, does string) {
	cmd.Flags().BoolVar(&sh.machine, "machine", false, does)
}

const findsMachine = "find a live run in any project of yours, not only in this repository"

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
	return history.LookNow(store, entry)
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

// page tells people at this shell of a run.
func (sh *shell) page(store journal.Store, entry journal.Entry) show.Page {
	return show.Page{
		Out: sh.out, Err: sh.err, Look: sh.look(), Program: "refrain", Called: entry.Name,
		Store: store, Entry: entry, Run: func() *view.Run { return lookClosely(store, entry) },
	}
}

// printJSON writes a value for scripts.
func printJSON(w io.Writer, v any) error { return show.JSON(w, v) }

func addJSON(cmd *cobra.Command) *bool { return show.AddJSON(cmd.Flags()) }

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
