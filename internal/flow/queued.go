package flow

import (
	"context"
	"time"

	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/text"
)

// whyTime is how long people wait for the reason of a wait: a list is not held up by it.
const whyTime = 2 * time.Second

// queued says of rows why no worker has them yet, as far as the accounts of their queues
// know that: the run itself knows only that it has asked.
func (s *Service) queued(ctx context.Context, rows []fleet.Row) {
	ctx, cancel := context.WithTimeout(ctx, whyTime)
	defer cancel()
	asked := map[string]*fleet.Account{}
	for i, row := range rows {
		if row.State != fleet.Queued || row.Live || !row.EndedAt.IsZero() {
			continue
		}
		a, ok := asked[row.Queue]
		if !ok {
			if got, err := s.Account(ctx, row.Queue, nil); err == nil {
				a = &got
			}
			asked[row.Queue] = a
		}
		if a != nil {
			rows[i] = held(row, *a, time.Now())
		}
	}
}

// held is a queued row with what holds it back.
func held(row fleet.Row, a fleet.Account, now time.Time) fleet.Row {
	a = live(a, now)
	busy, slots := 0, 0
	for _, p := range a.Portions {
		busy, slots = busy+p.Busy, slots+p.Slots
	}
	switch {
	case len(a.Portions) == 0:
		row.Why = "no worker of the queue " + text.Line(row.Queue) + " has asked for work lately"
	case a.Broke():
		row.Why = spentAll
	case now.Before(a.Until):
		row.Why, row.WaitUntil = `a limit holds its queue back; "refrain fleet resume" has the run go on all the same`, a.Until
	case a.Slots > 0 && busy >= a.Slots:
		row.Why = "as many agents are at work as its account allows: " + text.Plural(a.Slots, "agent")
	case slots > 0 && busy >= slots:
		row.Why = "all workers of its queue are at work"
	}
	return row
}
