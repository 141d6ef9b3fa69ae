package flow

import (
	"slices"

	"go.temporal.io/sdk/workflow"

	"github.com/refrain-loop/refrain/internal/fleet"
)

// ears is what the leg that is asked for has been told beside its turn.
type ears struct {
	handed  string        // the order to end that it has
	refused []fleet.Order // that it does not take: the next leg may
	deaf    bool          // it does not hear us: it may just be ending
	telling bool          // an order is on its way to it
}

// catchUp tells legs that are live what no leg has heard yet: what was ordered after they
// were asked for, and what the leg before did not hear any more.
func (r *run) catchUp(ctx workflow.Context) {
	for {
		if workflow.Await(ctx, func() bool { _, ok := r.unheard(); return ok }) != nil {
			return
		}
		o, _ := r.unheard()
		r.telling = true
		a, heard := r.tell(ctx, o)
		r.telling = false
		switch {
		case !heard:
			r.deaf = true
		case !a.OK:
			r.refused = append(r.refused, o)
		case o.Command == r.Stopping:
			r.handed = o.Command
		default:
			r.drop(o)
		}
		r.show(ctx, r.now)
	}
}

// unheard is what the live leg is told next.
func (r *run) unheard() (o fleet.Order, ok bool) {
	if r.live.Host == "" || r.deaf {
		return o, false
	}
	orders := r.Orders
	if r.Stopping != r.handed {
		orders = append(slices.Clone(orders), fleet.Order{Command: r.Stopping})
	}
	for _, o := range orders {
		if !slices.Contains(r.refused, o) {
			return o, true
		}
	}
	return o, false
}

// drop takes out an order that was heard. Until then it is kept, so that no end of a leg
// or of a history loses it.
func (r *run) drop(o fleet.Order) {
	if i := slices.Index(r.Orders, o); i >= 0 {
		r.Orders = slices.Delete(slices.Clone(r.Orders), i, i+1)
	}
}

// told waits for what comes of an order that is on its way, so that the next leg is not
// given what this one has heard.
func (r *run) told(ctx workflow.Context) error {
	if r.over() {
		return nil
	}
	return workflow.Await(ctx, func() bool { return !r.telling })
}
