package flow

import (
	"maps"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/refrain-loop/refrain/internal/fleet"
)

// portionTime is how long a portion lasts without a word of its worker.
const portionTime = 30 * time.Second

// drawn is a draw that counts once, be it said again and again until an answer came.
type drawn struct {
	fleet.Draw
	Session string `json:"session"` // of the worker: it counts anew in each
	Number  int    `json:"number"`
}

// book is what the workflow of an account knows.
type book struct {
	Account fleet.Account       `json:"account"`
	Read    map[string]bookmark `json:"read,omitempty"` // by worker
}

// bookmark is the draw of a worker that was counted last.
type bookmark struct {
	Session string `json:"session"`
	Number  int    `json:"number"`
}

// draw is the pure part: what a worker gets.
func (b *book) draw(d drawn, now time.Time) fleet.Portion {
	if mark, ok := b.Read[d.Worker]; ok && mark.Session == d.Session && d.Number <= mark.Number {
		d.Spent, d.Tokens = 0, 0
	}
	var p fleet.Portion
	b.Account, p = b.Account.Deal(d.Draw, now, portionTime)
	read := map[string]bookmark{d.Worker: {Session: d.Session, Number: d.Number}}
	for worker := range b.Account.Portions {
		if mark, ok := b.Read[worker]; ok && worker != d.Worker {
			read[worker] = mark
		}
	}
	b.Read = read
	return p
}

// Account is the workflow of what the runs of one queue share.
func Account(ctx workflow.Context, b book) error {
	asked := func() (fleet.Account, error) { return b.Account, nil }
	if err := workflow.SetQueryHandler(ctx, standingQuery, asked); err != nil {
		return err
	}
	draw := func(ctx workflow.Context, d drawn) (fleet.Portion, error) { return b.draw(d, workflow.Now(ctx)), nil }
	if err := workflow.SetUpdateHandler(ctx, drawUpdate, draw); err != nil {
		return err
	}
	allow := func(_ workflow.Context, w fleet.Allowance) (fleet.Account, error) {
		b.Account = b.Account.Allow(w)
		return b.Account, nil
	}
	if err := workflow.SetUpdateHandler(ctx, allowUpdate, allow); err != nil {
		return err
	}
	full := func() bool {
		return workflow.GetInfo(ctx).GetContinueAsNewSuggested() && workflow.AllHandlersFinished(ctx)
	}
	if err := workflow.Await(ctx, full); err != nil {
		return err
	}
	return workflow.NewContinueAsNewError(ctx, accountType, b)
}

// live is an account without the portions that have ended.
func live(a fleet.Account, now time.Time) fleet.Account {
	a.Portions = maps.Clone(a.Portions)
	maps.DeleteFunc(a.Portions, func(_ string, p fleet.Portion) bool { return !now.Before(p.Ends) })
	return a
}
