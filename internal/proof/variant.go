package proof

import (
	"context"

	"github.com/refrain-loop/refrain/internal/gate"
	"github.com/refrain-loop/refrain/internal/loop"
)

// variant runs a gate on another tree than the one that is claimed to be done,
// in a clean checkout of its own, and tells whether it came to its end there.
func (j *Judge) variant(ctx context.Context, g Gate, tree, with string) (gate.Result, bool) {
	rooms := j.rooms()
	defer rooms.close()
	r := j.variantIn(ctx, g, rooms, tree, with)
	return r, ended(g, r) && rooms.problem() == ""
}

func (j *Judge) variantIn(ctx context.Context, g Gate, rooms *rooms, tree, with string) gate.Result {
	log := j.Log(g.Name()+"."+with, loop.InClean)
	defer log.Close()
	room, err := rooms.enter(ctx, tree, log)
	if err != nil {
		return gate.Result{Gate: loop.Gate{Name: g.Name(), Where: loop.InClean, Why: "no clean checkout: " + err.Error()}, Interrupted: ctx.Err() != nil}
	}
	room.used = true
	j.Tell(&loop.GateStarted{Name: g.Name(), Where: loop.InClean, With: with})
	r := g.Check(ctx, rooms.place(room, log))
	r.Tree = tree
	j.Tell(&loop.GateFinished{Gate: r.Gate, With: with})
	return r
}

// ended tells whether a gate came to its end. What did not says nothing.
func ended(g Gate, r gate.Result) bool {
	return !r.Interrupted && (r.OK || r.Exit != nil || g.Line == "")
}

// passesByItself tells whether a gate is green, and not only no worse than it was.
func passesByItself(r gate.Result) bool {
	return r.OK && (r.Exit == nil || *r.Exit == 0) && (r.Tests == nil || r.Tests.Failed == 0)
}
