package mcp

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/view"
)

// theRun says which run a tool is about.
type theRun struct {
	Run string `json:"run,omitempty" jsonschema:"name of the run, such as build-7, or of a procedure for its latest run; left out: the live run, else the latest"`
}

// find is the run that is meant, if it is one of this work tree.
func (f face) find(ref string) (journal.Store, journal.Entry, error) {
	store, err := f.Store()
	if err != nil {
		return store, journal.Entry{}, err
	}
	asked := ref
	if h, held := store.Holder(); held && ref == "" {
		asked = h.Run
	}
	entry, err := store.Find(asked)
	switch {
	case err != nil:
		return store, entry, err
	case entry.Tree == store.Tree:
		return store, entry, nil
	case ref == "":
		return store, entry, &journal.NotFoundError{}
	}
	return store, entry, &advice{
		fmt.Sprintf("%s belongs to another work tree: %s", entry.Name, entry.Tree),
		"this server is for " + store.Tree + " only; \"refrain mcp -C " + entry.Tree + "\" is for that one",
	}
}

type listRunsIn struct {
	Limit int `json:"limit,omitempty" jsonschema:"how many of them; left out: 20"`
}

type listRunsOut struct {
	Runs       []runRow `json:"runs" jsonschema:"the latest first"`
	More       int      `json:"more,omitempty" jsonschema:"older runs that are not listed"`
	Unreadable []string `json:"unreadable,omitempty" jsonschema:"runs that are there and cannot be read"`
}

// runRow is what a list says of a run. The names are those of view.Status.
type runRow struct {
	Run           string      `json:"run"`
	State         loop.Status `json:"state" jsonschema:"alive: running, waiting, paused, rebooting; over: done, exhausted, aborted, stopped, failed, crashed"`
	Phase         loop.Phase  `json:"phase,omitempty"`
	Iteration     int         `json:"iteration,omitempty"`
	MaxIterations int         `json:"max_iterations,omitempty"`
	StartedAt     time.Time   `json:"started_at"`
	Elapsed       loop.Span   `json:"elapsed_ms"`
	Reason        loop.Reason `json:"reason,omitempty"`
	Why           string      `json:"why,omitempty" jsonschema:"of the end, or of the wait"`
	Proven        *bool       `json:"proven,omitempty" jsonschema:"only when it is over: true when the level of its proof is proven"`
	Level         loop.Level  `json:"level,omitempty" jsonschema:"only when it is done: proven, kept (nothing broke), tests_changed or claimed (unproven); get_run has the proof"`
	Files         int         `json:"files,omitempty" jsonschema:"that differ from before the first iteration"`
	Agent         string      `json:"agent,omitempty"`
	Tokens        int         `json:"tokens,omitempty"`
	CostUSD       float64     `json:"cost_usd,omitempty"`
}

const usualRuns = 20

func (f face) listRuns(_ context.Context, in listRunsIn) (listRunsOut, error) {
	out := listRunsOut{Runs: []runRow{}}
	store, err := f.Store()
	if err != nil {
		return out, err
	}
	entries, bad, err := store.List()
	if err != nil {
		return out, err
	}
	for _, b := range bad {
		if b.Tree == store.Tree || b.Tree == "" {
			out.Unreadable = append(out.Unreadable, b.Name)
		}
	}
	limit := orUsual(in.Limit, usualRuns)
	for _, e := range slices.Backward(entries) {
		switch {
		case e.Tree != store.Tree:
		case len(out.Runs) == limit:
			out.More++
		default:
			out.Runs = append(out.Runs, rowOf(f.Look(store, e).Status(time.Now())))
		}
	}
	return out, nil
}

func rowOf(s view.Status) runRow {
	return runRow{
		Run: s.Run, State: s.State, Phase: s.Phase, Iteration: s.Iteration, MaxIterations: s.MaxIterations,
		StartedAt: s.StartedAt, Elapsed: s.Elapsed, Reason: s.Reason, Why: s.Why, Proven: s.Proven, Level: view.Level(s.Proof), Files: view.Changed(s.Net, s.Totals).Files,
		Agent: s.Agent, Tokens: s.Totals.Tokens, CostUSD: s.Totals.CostUSD,
	}
}

// runNow is the run in full, as "refrain status --json" has it.
type runNow struct {
	view.Status
	Seq int64 `json:"seq" jsonschema:"number of the latest event in the journal: watch_run goes on from it"`
}

func (f face) getRun(_ context.Context, in theRun) (runNow, error) {
	store, entry, err := f.find(in.Run)
	if err != nil {
		return runNow{}, err
	}
	return runNow{f.Look(store, entry).Status(time.Now()), entry.Seq()}, nil
}

// orUsual is a number that was asked for, or the usual one.
func orUsual(asked, usual int) int {
	if asked <= 0 {
		return usual
	}
	return asked
}
