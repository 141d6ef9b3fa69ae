package engine

import (
	"errors"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

// tampered ends a run whose records somebody else has written to: nobody can tell
// any more what they are worth.
func tampered(what string) loop.Verdict {
	return loop.Verdict{Action: loop.Stop, Rule: "tampered", State: loop.Aborted, Reason: loop.ByTampering, Why: "the records of the run were changed by somebody else: " + what}
}

// Tampered is the end of a run whose records somebody else has written to.
func Tampered(past journal.Past) loop.RunFinished {
	v := tampered(past.Tampered)
	return loop.RunFinished{State: v.State, Reason: v.Reason, Why: v.Why, Elapsed: past.State.Live, Totals: past.State.Totals}
}

// believed is the verdict that the run ends with, unless its records are no longer
// what it has written.
func (e *Engine) believed(v loop.Verdict, err error) (loop.Verdict, error) {
	var found *journal.TamperedError
	if err == nil && e.Tampered == "" {
		err = e.Journal.Verify()
	}
	if errors.As(err, &found) {
		return tampered(found.What), nil
	}
	for _, name := range e.Journal.PutBack() {
		e.record(&loop.Warning{Text: name + " was changed or removed by somebody else while the run was live, and was put back", Hint: "the run went by what it knew, and not by the file"})
	}
	return v, err
}
