package lookout

import (
	"context"

	"github.com/refrain-loop/refrain/internal/control"
	"github.com/refrain-loop/refrain/internal/fleet"
)

// Do hands an order to the run, wherever it is. The error is a *control.Refused when it
// did not take it.
func (r *Run) Do(ctx context.Context, c control.Command) (control.Answer, error) {
	o := fleet.Order{Command: c.Command, Text: c.Text, Key: c.Key, Value: c.Value, Question: c.Question}
	row := r.Row()
	if !row.EndedAt.IsZero() { // another run may have its name by now
		return control.Answer{}, &fleet.OverError{Run: row.Run, State: row.State}
	}
	a, err := r.of.service.Order(ctx, row.Run, o)
	if err != nil {
		return control.Answer{}, err
	}
	if !a.OK {
		return control.Answer{State: a.State, Why: a.Why}, &control.Refused{Command: c.Command, State: a.State, Why: a.Why}
	}
	return control.Answer{OK: true, Effect: a.Effect, State: a.State}, nil
}
