package lookout

import (
	"cmp"
	"fmt"
	"time"

	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/redact"
	"github.com/refrain-loop/refrain/internal/view"
)

// View is what is shown of the run: what its records say, and where it is.
func (r *Run) View(store journal.Store, entry journal.Entry) *view.Run {
	row := r.Row()
	run := history.LookNow(store, entry)
	run.Away, run.PID = away(row), 0
	if Over(row) && entry.Finished == nil && row.State != fleet.Carried && (r.whole() || r.Trouble() != nil) {
		r.overrule(run, row)
	}
	if !row.Live && !Over(row) && !run.State.Ended() { // its worker died: the records still have it at work
		run.State, run.Open, run.Phase, run.Gate, run.Wait = row.State, false, "", nil, nil
	}
	return run
}

// overrule has the fleet say how a run stands that ended where no leg was: its records do
// not know.
func (r *Run) overrule(run *view.Run, row fleet.Row) {
	end := &loop.RunFinished{State: row.State, Reason: row.Reason, Why: cmp.Or(row.Wrong, row.Why), Elapsed: run.Sum.Live, Totals: run.Sum.Totals, Later: run.Sum.Later}
	run.Apply(loop.Event{Time: cmp.Or(row.EndedAt, run.Sum.At), Iter: 0, Payload: end})
}

// Blank is what is shown of a run that has no records yet.
func (r *Run) Blank() *view.Run {
	row := r.Row()
	run := view.New()
	run.Name, run.ID, run.Procedure, run.Branch, run.State, run.Away = row.Run, row.ID, row.Procedure, row.Branch, row.State, away(row)
	run.StartedAt = row.StartedAt
	return run
}

// Away is where the run is now.
func (r *Run) Away() *view.Away { return away(r.Row()) }

// away is where a run is.
func away(row fleet.Row) *view.Away {
	return &view.Away{Called: row.Run, Remote: redact.Address(row.Remote), Branch: row.Branch, Who: Whose(row, time.Now()), Over: Over(row)}
}

// Whose says in a few words who has a run, or what it waits for.
func Whose(row fleet.Row, now time.Time) string {
	last := ""
	if row.Worker != "" {
		last = fmt.Sprintf("; leg %d was with %s", row.Leg, row.Worker)
	}
	switch {
	case row.Live:
		return fmt.Sprintf("leg %d, with %s", row.Leg, row.Worker)
	case row.State == fleet.Carried:
		return "somebody has fetched it, and goes on with it elsewhere"
	case row.State == fleet.Failed && row.Wrong != "":
		return "its legs come to nothing: " + row.Wrong + last
	case Over(row):
		return "over" + last
	case row.Paused:
		return "paused" + last
	case row.WaitUntil.After(now):
		return "nobody has to be at it until " + view.Clock(row.WaitUntil, now) + last
	case row.Wrong != "":
		return "it waits for a worker of queue " + row.Queue + ": " + row.Wrong + last
	}
	return "it waits for a worker of queue " + row.Queue + last
}
