package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/term"
	"github.com/refrain-loop/refrain/internal/testlist"
	"github.com/refrain-loop/refrain/internal/view"
)

// shownIterations is how many iterations of a run are listed; --all lists more.
const shownIterations = 100

func showCommand(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:               "show [RUN[/N]]",
		Short:             "Show a run with its iterations, or one iteration in full",
		Example:           "  refrain show\n  refrain show build-7/3\n  refrain show build-7/3 --tests\n  refrain show build-7 --later\n  refrain show build-7 --refused",
		Args:              atMost(1),
		ValidArgsFunction: completeRuns(sh),
	}
	asJSON := addJSON(cmd)
	all := cmd.Flags().Bool("all", false, fmt.Sprintf("list every iteration, not only the last %d; with --tests, every test", shownIterations))
	tests := cmd.Flags().Bool("tests", false, "list the tests of an iteration with their status, time and message")
	later := cmd.Flags().Bool("later", false, "list the files that run by themselves and were changed during the run")
	refused := cmd.Flags().Bool("refused", false, "list what the sandbox of the run has refused, with the setting that would allow each")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ref, iter, err := iterationRef(first(args))
		if err != nil {
			return err
		}
		store, entry, err := sh.find(ref)
		if err != nil {
			return err
		}
		last := shownIterations
		if *all {
			last = 0
		}
		switch {
		case *later && *tests:
			return usage("--later and --tests are two lists", "ask for one of them")
		case *refused && (*later || *tests):
			return usage("--refused is a list of its own", "ask for one of them")
		case *refused && iter > 0:
			return usage("--refused is about a whole run, not an iteration", "refrain show "+entry.Name+" --refused")
		case *refused:
			return showRefused(sh, store, entry, *asJSON)
		case *tests && iter == 0:
			return usage("--tests is about one iteration", fmt.Sprintf("refrain show %s/%d --tests", entry.Name, max(1, entry.State.Totals.Iterations)))
		case *tests:
			return showTests(cmd.Context(), sh, store, entry, iter, last, *asJSON)
		case *later && iter > 0:
			return usage("--later is about a whole run, not an iteration", "refrain show "+entry.Name+" --later")
		case *later:
			return showLater(sh, store, entry, *asJSON)
		case iter > 0:
			return showIteration(sh, store, entry, iter, *asJSON)
		}
		return showRun(sh, store, entry, last, *asJSON)
	}
	return cmd
}

func showRun(sh *shell, store journal.Store, entry journal.Entry, last int, asJSON bool) error {
	run := lookClosely(store, entry)
	ask := last
	if last > 0 {
		ask++ // one more, to see whether there are more
	}
	iterations, err := store.Iterations(entry.Name, ask)
	if err != nil {
		return err
	}
	more := last > 0 && len(iterations) > last
	if more {
		iterations = iterations[1:]
	}
	if asJSON {
		settings, err := history.Settings(entry)
		if err != nil {
			return err
		}
		return printJSON(sh.out, struct {
			view.Status
			Settings   map[string]any   `json:"settings,omitempty"`
			Iterations []shownIteration `json:"iterations"`
		}{run.Status(time.Now()), history.Set(settings), shown(iterations)})
	}
	fmt.Fprint(sh.out, term.Card(run, sh.look()))
	if len(iterations) == 0 {
		return nil
	}
	fmt.Fprintln(sh.out)
	if more {
		fmt.Fprintf(sh.out, "the last %d attempts (--all lists every one)\n", last)
	}
	fmt.Fprint(sh.out, term.Attempts(iterations, sh.look()))
	return nil
}

// showLater shows what a run has changed that runs by itself.
func showLater(sh *shell, store journal.Store, entry journal.Entry, asJSON bool) error {
	run := lookClosely(store, entry)
	if asJSON {
		return printJSON(sh.out, struct {
			Run string `json:"run"`
			loop.Later
		}{run.Name, run.Sum.Later})
	}
	fmt.Fprint(sh.out, term.Later(run, sh.look()))
	return nil
}

// showTests shows the tests of the last attempt at an iteration, one by one.
func showTests(ctx context.Context, sh *shell, store journal.Store, entry journal.Entry, iter, most int, asJSON bool) error {
	e, _, err := iterationOf(store, entry, iter)
	if err != nil {
		return err
	}
	looks, unread := testlist.Read(ctx, store.AttemptDir(entry.Name, e.Iter, e.Attempt))
	gates := e.Payload.(*loop.IterationFinished).Outcome.Gates
	at := func(l testlist.Look) int {
		return slices.IndexFunc(gates, func(g loop.Gate) bool { return g.Name == l.Gate })
	}
	slices.SortStableFunc(looks, func(a, b testlist.Look) int { return cmp.Compare(at(a), at(b)) }) // as they ran
	switch {
	case asJSON:
		err = printJSON(sh.out, struct {
			Run     string          `json:"run"`
			Iter    int             `json:"iter"`
			Attempt int             `json:"attempt"`
			Looks   []testlist.Look `json:"looks"`
		}{entry.Name, e.Iter, e.Attempt, append([]testlist.Look{}, looks...)})
	case len(looks) > 0:
		fmt.Fprint(sh.out, term.Looks(looks, most, sh.look()))
	case unread == nil:
		fmt.Fprintln(sh.out, noTests(fmt.Sprintf("%s/%d", entry.Name, e.Iter), gates))
	}
	return cmp.Or(unread, err)
}

// noTests says why there is no list of tests.
func noTests(place string, gates []loop.Gate) string {
	if slices.ContainsFunc(gates, func(g loop.Gate) bool { return g.Tests > 0 }) {
		return place + ": its tests were counted, and not kept one by one: an earlier version ran it, or its files are gone"
	}
	return place + ": no gate ran tests that could be counted"
}

// shownIteration is one finished attempt, for scripts: the journal's own names.
type shownIteration struct {
	Iter    int          `json:"iter"`
	Attempt int          `json:"attempt"`
	Outcome loop.Outcome `json:"outcome"`
	Verdict loop.Verdict `json:"verdict"`
	Dir     string       `json:"dir,omitempty"`
}

func shown(events []loop.Event) []shownIteration {
	list := make([]shownIteration, 0, len(events))
	for _, e := range events {
		f := e.Payload.(*loop.IterationFinished)
		list = append(list, shownIteration{Iter: e.Iter, Attempt: e.Attempt, Outcome: f.Outcome, Verdict: f.Verdict})
	}
	return list
}

// showIteration shows the last attempt at one iteration.
func showIteration(sh *shell, store journal.Store, entry journal.Entry, iter int, asJSON bool) error {
	e, events, err := iterationOf(store, entry, iter)
	if err != nil {
		return err
	}
	dir := store.AttemptDir(entry.Name, e.Iter, e.Attempt)
	if asJSON {
		one := shown([]loop.Event{e})[0]
		one.Dir = dir
		return printJSON(sh.out, one)
	}
	attempt := term.Attempt{Run: entry.Name, End: e, Events: events, Dir: dir}
	for _, name := range []string{"prompt.md", "stdout", "stderr", "gates"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			attempt.Files = append(attempt.Files, name)
		}
	}
	fmt.Fprint(sh.out, term.Sheet(attempt, sh.look()))
	return nil
}

// iterationOf is the last attempt at an iteration that has finished: its end, and all
// that the journal has of it.
func iterationOf(store journal.Store, entry journal.Entry, iter int) (end loop.Event, events []loop.Event, err error) {
	for e, err := range store.Read(entry.Name, journal.Reading{Iteration: iter}) {
		if err != nil {
			return end, nil, err
		}
		if events = append(events, e); e.Type() == (*loop.IterationFinished)(nil).Type() {
			end = e
		}
	}
	if end.Payload == nil {
		return end, nil, usage(fmt.Sprintf("%s has no finished iteration %d", entry.Name, iter),
			fmt.Sprintf("it has %d; \"refrain show %s\" lists them", entry.State.Totals.Iterations, entry.Name))
	}
	events = slices.DeleteFunc(events, func(e loop.Event) bool { return e.Attempt != end.Attempt })
	return end, events, nil
}
