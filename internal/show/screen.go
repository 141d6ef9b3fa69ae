package show

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/refrain-loop/refrain/internal/control"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/tests"
	"github.com/refrain-loop/refrain/internal/tui"
)

// MostShown is more of a text than anybody reads on a screen.
const MostShown = 4 << 20

// Papers gives a full-screen view what the records of a run have: what happened before,
// what attempts were told, and what their gates printed.
func Papers(o *tui.Options, store journal.Store) {
	o.Past = store.AllEvents
	o.Prompt = func(ctx context.Context, run string, iteration, attempt int) (string, error) {
		b, err := files.ReadFile(ctx, filepath.Join(store.AttemptDir(run, iteration, attempt), "prompt.md"), MostShown)
		if errors.Is(err, fs.ErrNotExist) {
			return "", errors.New("its prompt is not there: it is just being made, or is no longer kept")
		}
		return string(b), err
	}
	o.Gates = func(ctx context.Context, run string, iteration, attempt int) ([]tui.GateOutput, error) {
		return gateLogs(ctx, filepath.Join(store.AttemptDir(run, iteration, attempt), "gates"))
	}
}

// recent is of how many iterations all that the agents said is read at once. That
// of earlier ones is read when somebody opens them.
const recent = 10

// Past gives the events of a run to look back on: its journal, with what the
// agents of its last iterations said, and what comes for as long as it is alive.
func Past(ctx context.Context, store journal.Store, run string) iter.Seq2[loop.Event, error] {
	return func(yield func(loop.Event, error) bool) {
		var at int64
		last, err := store.Iterations(run, recent)
		if err != nil {
			yield(loop.Event{}, err)
			return
		}
		if len(last) == recent {
			at = last[0].Seq
			for e, err := range store.Events(run, 0) {
				if err == nil && e.Seq > at {
					break
				}
				if ctx.Err() != nil || !yield(e, err) || err != nil {
					return
				}
			}
		}
		for e, err := range control.Follow(ctx, store, run, at) {
			if !yield(e, err) {
				return
			}
		}
	}
}

// gateLogs is what the gates of an attempt printed. Before a run has any, there is no
// folder for them.
func gateLogs(ctx context.Context, dir string) ([]tui.GateOutput, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var list []tui.GateOutput
	for _, e := range entries {
		name, isLog := strings.CutSuffix(e.Name(), ".log")
		if !isLog {
			continue
		}
		b, err := files.ReadFile(ctx, filepath.Join(dir, e.Name()), MostShown)
		if err != nil {
			return list, err
		}
		if gate, clean := strings.CutSuffix(name, ".clean"); clean {
			name = gate + " in a clean checkout"
		}
		if len(strings.TrimSpace(string(b))) > 0 {
			list = append(list, tui.GateOutput{Name: name, Text: string(b), Failing: failing(string(b))})
		}
	}
	return list, err
}

// failing is what the tests say that fail in the output of a gate.
func failing(output string) []tui.Failure {
	report, _ := tests.Read(output)
	var list []tui.Failure
	for _, f := range report.Failing {
		list = append(list, tui.Failure{Test: f.Name, Said: f.Message})
	}
	return list
}
