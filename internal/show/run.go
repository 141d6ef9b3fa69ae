package show

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/term"
	"github.com/refrain-loop/refrain/internal/testlist"
	"github.com/refrain-loop/refrain/internal/view"
)

// usualIterations is how many iterations of a run are listed.
const usualIterations = 100

// Wanted is what somebody wants to be shown of a run.
type Wanted struct {
	JSON                       *bool
	all, tests, later, refused *bool
}

// ShowFlags are the flags of a command that shows a run.
func ShowFlags(f *pflag.FlagSet) Wanted {
	return Wanted{
		JSON:    AddJSON(f),
		all:     f.Bool("all", false, fmt.Sprintf("list every iteration, not only the last %d; with --tests, every test", usualIterations)),
		tests:   f.Bool("tests", false, "list the tests of an iteration with their status, time and message"),
		later:   f.Bool("later", false, "list the files that run by themselves and were changed during the run"),
		refused: f.Bool("refused", false, "list what the sandbox of the run has refused, with the setting that would allow each"),
	}
}

// Plain is what is wanted where nobody has said more.
func Plain(asJSON bool) Wanted {
	no := false
	return Wanted{JSON: &asJSON, all: &no, tests: &no, later: &no, refused: &no}
}

// Show shows the run, or one iteration of it.
func (p Page) Show(ctx context.Context, iter int, w Wanted) error {
	last := usualIterations
	if *w.all {
		last = 0
	}
	switch {
	case *w.later && *w.tests:
		return mistake("--later and --tests are two lists", "ask for one of them")
	case *w.refused && (*w.later || *w.tests):
		return mistake("--refused is a list of its own", "ask for one of them")
	case *w.refused && iter > 0:
		return mistake("--refused is about a whole run, not an iteration", p.command("show", " --refused"))
	case *w.refused:
		return p.refused(*w.JSON)
	case *w.tests && iter == 0:
		return mistake("--tests is about one iteration", p.command("show", fmt.Sprintf("/%d --tests", max(1, p.Entry.State.Totals.Iterations))))
	case *w.tests:
		return p.testsOf(ctx, iter, last, *w.JSON)
	case *w.later && iter > 0:
		return mistake("--later is about a whole run, not an iteration", p.command("show", " --later"))
	case *w.later:
		return p.runsLater(*w.JSON)
	case iter > 0:
		return p.iteration(iter, *w.JSON)
	}
	return p.run(last, *w.JSON)
}

func (p Page) run(last int, asJSON bool) error {
	run := p.Run()
	ask := last
	if last > 0 {
		ask++ // one more, to see whether there are more
	}
	iterations, err := p.Store.Iterations(p.Entry.Name, ask)
	if err != nil {
		return err
	}
	more := last > 0 && len(iterations) > last
	if more {
		iterations = iterations[1:]
	}
	if asJSON {
		settings, err := history.Settings(p.Entry)
		if err != nil {
			return err
		}
		return JSON(p.Out, struct {
			view.Status
			Settings   map[string]any `json:"settings,omitempty"`
			Fleet      any            `json:"fleet,omitempty"`
			Iterations []shown        `json:"iterations"`
		}{run.Status(time.Now()), history.Set(settings), p.Also, shownOf(iterations)})
	}
	fmt.Fprint(p.Out, term.Card(run, p.Look))
	if len(iterations) == 0 {
		return nil
	}
	fmt.Fprintln(p.Out)
	if more {
		fmt.Fprintf(p.Out, "the last %d attempts (--all lists every one)\n", last)
	}
	fmt.Fprint(p.Out, term.Attempts(iterations, p.Look))
	return nil
}

// runsLater shows what the run has changed that runs by itself.
func (p Page) runsLater(asJSON bool) error {
	run := p.Run()
	if asJSON {
		return JSON(p.Out, struct {
			Run string `json:"run"`
			loop.Later
		}{run.Name, run.Sum.Later})
	}
	fmt.Fprint(p.Out, term.Later(run, p.Look))
	return nil
}

// refused shows what the sandbox of the run has refused. The status keeps only the
// first of it, so the whole journal is read.
func (p Page) refused(asJSON bool) error {
	list := []*loop.SandboxRefused{}
	for e, err := range p.Store.Read(p.Entry.Name, journal.Reading{Types: []loop.Type{"sandbox.refused"}}) {
		if err != nil {
			return err
		}
		// A runner that goes on may tell what the one before it has told.
		if r, ok := e.Payload.(*loop.SandboxRefused); ok && !slices.ContainsFunc(list, r.Same) {
			list = append(list, r)
		}
	}
	run := p.Run()
	if asJSON {
		return JSON(p.Out, struct {
			Run     string                 `json:"run"`
			Sandbox *loop.Sandbox          `json:"sandbox,omitempty"`
			Refused []*loop.SandboxRefused `json:"sandbox_refused"`
		}{run.Name, run.Sum.Sandbox, list})
	}
	fmt.Fprint(p.Out, term.Refused(run, list, p.Look))
	return nil
}

// testsOf shows the tests of the last attempt at an iteration, one by one.
func (p Page) testsOf(ctx context.Context, iter, most int, asJSON bool) error {
	e, _, err := p.finished(iter)
	if err != nil {
		return err
	}
	looks, unread := testlist.Read(ctx, p.Store.AttemptDir(p.Entry.Name, e.Iter, e.Attempt))
	gates := e.Payload.(*loop.IterationFinished).Outcome.Gates
	at := func(l testlist.Look) int {
		return slices.IndexFunc(gates, func(g loop.Gate) bool { return g.Name == l.Gate })
	}
	slices.SortStableFunc(looks, func(a, b testlist.Look) int { return cmp.Compare(at(a), at(b)) }) // as they ran
	switch {
	case asJSON:
		err = JSON(p.Out, struct {
			Run     string          `json:"run"`
			Iter    int             `json:"iter"`
			Attempt int             `json:"attempt"`
			Looks   []testlist.Look `json:"looks"`
		}{p.Entry.Name, e.Iter, e.Attempt, append([]testlist.Look{}, looks...)})
	case len(looks) > 0:
		fmt.Fprint(p.Out, term.Looks(looks, most, p.Look))
	case unread == nil:
		fmt.Fprintln(p.Out, noTests(fmt.Sprintf("%s/%d", p.Called, e.Iter), gates))
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

// shown is one finished attempt, for scripts: the journal's own names.
type shown struct {
	Iter    int          `json:"iter"`
	Attempt int          `json:"attempt"`
	Outcome loop.Outcome `json:"outcome"`
	Verdict loop.Verdict `json:"verdict"`
	Dir     string       `json:"dir,omitempty"`
}

func shownOf(events []loop.Event) []shown {
	list := make([]shown, 0, len(events))
	for _, e := range events {
		f := e.Payload.(*loop.IterationFinished)
		list = append(list, shown{Iter: e.Iter, Attempt: e.Attempt, Outcome: f.Outcome, Verdict: f.Verdict})
	}
	return list
}

// iteration shows the last attempt at one iteration.
func (p Page) iteration(iter int, asJSON bool) error {
	e, events, err := p.finished(iter)
	if err != nil {
		return err
	}
	dir := p.Store.AttemptDir(p.Entry.Name, e.Iter, e.Attempt)
	if asJSON {
		one := shownOf([]loop.Event{e})[0]
		one.Dir = dir
		return JSON(p.Out, one)
	}
	attempt := term.Attempt{Run: p.Called, End: e, Events: events, Dir: dir, Program: p.Program}
	for _, name := range []string{"prompt.md", "stdout", "stderr", "gates"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			attempt.Files = append(attempt.Files, name)
		}
	}
	fmt.Fprint(p.Out, term.Sheet(attempt, p.Look))
	return nil
}

// finished is the last attempt at an iteration that has finished: its end, and all that
// the journal has of it.
func (p Page) finished(iter int) (end loop.Event, events []loop.Event, err error) {
	for e, err := range p.Store.Read(p.Entry.Name, journal.Reading{Iteration: iter}) {
		if err != nil {
			return end, nil, err
		}
		if events = append(events, e); e.Type() == (*loop.IterationFinished)(nil).Type() {
			end = e
		}
	}
	if end.Payload == nil {
		return end, nil, mistake(fmt.Sprintf("%s has no finished iteration %d", p.Called, iter),
			fmt.Sprintf("it has %d; %q lists them", p.Entry.State.Totals.Iterations, p.command("show", "")))
	}
	events = slices.DeleteFunc(events, func(e loop.Event) bool { return e.Attempt != end.Attempt })
	return end, events, nil
}
