package flow

import (
	"maps"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/refrain-loop/refrain/internal/fleet"
)

const (
	// portionTime is how long a portion lasts without a word of its worker.
	portionTime = 30 * time.Second
	// readTime is how long a draw is known that may be said again: a worker that was cut
	// off has no portion any more when it does.
	readTime = 24 * time.Hour
)

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
	Session string    `json:"session"`
	Number  int       `json:"number"`
	At      time.Time `json:"at"`
}

// draw is the pure part: what a worker gets.
func (b *book) draw(d drawn, now time.Time) fleet.Portion {
	mark := bookmark{Session: d.Session, Number: d.Number, At: now}
	if before, ok := b.Read[d.Worker]; ok && before.Session == d.Session && d.Number <= before.Number {
		d.Spent, d.Tokens, mark.Number = 0, 0, before.Number
	}
	var p fleet.Portion
	b.Account, p = b.Account.Deal(d.Draw, now, portionTime)
	b.Read = maps.Clone(b.Read)
	if b.Read == nil {
		b.Read = map[string]bookmark{}
	}
	maps.DeleteFunc(b.Read, func(_ string, m bookmark) bool { return now.Sub(m.At) >= readTime })
	b.Read[d.Worker] = mark
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
