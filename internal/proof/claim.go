package proof

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/gate"
	"github.com/refrain-loop/refrain/internal/glob"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// claim is one claim of done while it is judged.
type claim struct {
	*Judge
	state loop.State
	at    checkpoint.Checkpoint
	rooms *rooms
	tree  string        // what is judged: that of the checkpoint, less what tools cached
	found []gate.Result // what gates have found in the work tree already
}

// Claim judges a claim of done on the tree at a checkpoint: every gate, where it
// judges claims; then, when all pass, what that tells. What gates have already
// found in the work tree is not asked again there.
func (j *Judge) Claim(ctx context.Context, s loop.State, at checkpoint.Checkpoint, found []gate.Result) Ruling {
	c := &claim{Judge: j, state: s, at: at, rooms: newRooms(j), found: found}
	defer func() { c.rooms.close() }() // they may be others by then
	r := c.gates(ctx)
	if !r.Interrupted && r.Why == "" && r.Person == "" {
		r = c.weigh(ctx, r)
	}
	if ctx.Err() != nil { // whatever was found on the way, it was not to the end
		return Ruling{Results: r.Results, Interrupted: true}
	}
	return r.orPerson(s)
}

// orPerson calls a person when a claim was refused for the same want as often as
// is of any use.
func (r Ruling) orPerson(s loop.State) Ruling {
	if r.Lacks != "" && r.Person == "" && s.Lacking.What == r.Lacks && s.Lacking.Times >= loop.MaxRefusals {
		r.Person = fmt.Sprintf("claims were refused %d times for the same reason: %s", s.Lacking.Times, r.Why)
		r.Why = ""
	}
	return r
}

// gates runs every gate where it judges claims. A gate that is red in the clean
// checkout and green in the work tree means that the checkout lacks something,
// or that the gate is not steady: it is made anew, and then a person is needed.
func (c *claim) gates(ctx context.Context) Ruling {
	r := c.once(ctx)
	if r.Interrupted || r.Why != "" {
		return r
	}
	red := failing(r.Results)
	if len(red) == 0 {
		return r
	}
	here, guilty := c.alsoHere(ctx, red)
	switch {
	case interrupted(here):
		r.Interrupted = true
		return r
	case guilty != "":
		r.Why = guilty
		return r
	}
	c.rooms.close()
	c.rooms = newRooms(c.Judge)
	again := c.once(ctx)
	switch red = failing(again.Results); {
	case again.Interrupted, again.Why != "":
		return again
	case len(red) == 0:
		for _, one := range failing(r.Results) { // two answers of one tree
			c.state.Flaky = append(slices.Clip(c.state.Flaky), one.Name)
		}
		return again
	case slices.ContainsFunc(red, func(one gate.Result) bool { return c.named(one.Name).Review }):
		again.Why = refusal(red)
		return again
	}
	again.Person = disagreement(red[0])
	for _, one := range here { // as it is where the agent worked
		if i := slices.IndexFunc(again.Results, func(other gate.Result) bool { return other.Name == one.Name }); i >= 0 {
			again.Results[i] = one
		}
	}
	return again
}

// once runs every gate. Why is set when the claim cannot stand whatever they say.
func (c *claim) once(ctx context.Context) Ruling {
	red := len(failing(c.found)) > 0
	r := Ruling{Results: c.run(func(g Gate) gate.Result { return c.firstFound(ctx, g) }, func(g Gate) bool {
		return !red || c.where(c.state, g) == loop.InClean || among(c.found, g)
	})}
	if r.Interrupted = interrupted(r.Results); r.Interrupted {
		return r
	}
	var err error
	r.Pinned, err = c.changedPins(ctx, c.at)
	unpinnable := c.beyond(r.Pinned)
	inTree := slices.ContainsFunc(c.Gates, func(g Gate) bool { return len(g.Pin) > 0 && c.where(c.state, g) == loop.InWorkspace })
	switch red := failing(r.Results); {
	case len(red) > 0 && !c.anyClean():
		r.Why = refusal(red)
	case err != nil:
		r.Why = err.Error()
	case inTree && len(r.Pinned)+len(unpinnable) > 0 && !c.anyClean():
		r.Pinned = append(r.Pinned, unpinnable...)
		r.Why = "pinned files were changed (" + text.FirstFew(r.Pinned) + "), and there is no clean checkout to judge them as they were"
	case len(unpinnable) > 0:
		r.Why = "pinned files that git ignores were changed: " + text.FirstFew(unpinnable)
	case c.rooms.problem() != "" && c.state.SetUp:
		r.Why = "the clean checkout can no longer be set up: " + c.rooms.problem()
	}
	return r
}

// anyClean tells whether a gate judges claims in a clean checkout.
func (c *claim) anyClean() bool {
	return slices.ContainsFunc(c.Gates, func(g Gate) bool { return c.where(c.state, g) == loop.InClean })
}

func among(found []gate.Result, g Gate) bool {
	return slices.ContainsFunc(found, func(r gate.Result) bool { return r.Name == g.Name() })
}

// firstFound is what a gate finds, in the work tree what it has found already.
func (c *claim) firstFound(ctx context.Context, g Gate) gate.Result {
	if c.where(c.state, g) == loop.InWorkspace {
		if i := slices.IndexFunc(c.found, func(r gate.Result) bool { return r.Name == g.Name() }); i >= 0 {
			return c.found[i]
		}
	}
	return c.runOne(ctx, g)
}

// runOne runs one gate where it judges claims, on the tests as they are.
func (c *claim) runOne(ctx context.Context, g Gate) gate.Result {
	if c.where(c.state, g) == loop.InWorkspace {
		return c.here(ctx, c.state, g, c.at)
	}
	tree, err := c.pinnedTree(ctx, g)
	if err != nil {
		return gate.Result{Gate: loop.Gate{Name: g.Name(), Where: loop.InClean, Why: "no clean checkout: " + err.Error()}}
	}
	return c.there(ctx, c.state, g, c.rooms, tree, c.at)
}

// pinnedTree is what a gate judges: the work, with what it pins as it was.
func (c *claim) pinnedTree(ctx context.Context, g Gate) (string, error) {
	if c.tree == "" {
		tree, err := c.withoutCaches(ctx, c.at.Tree)
		if err != nil {
			return "", err
		}
		c.tree = tree
	}
	if len(g.Pin) == 0 || c.First == nil {
		return c.tree, nil
	}
	at := c.at
	at.Tree = c.tree
	return c.Store.Trees().PinnedTree(ctx, at, checkpoint.Pin{Patterns: g.Pin, First: *c.First})
}

// alsoHere runs red gates in the work tree, until one says that the agent is to
// blame.
func (c *claim) alsoHere(ctx context.Context, red []gate.Result) (here []gate.Result, guilty string) {
	for _, bad := range red {
		g := c.named(bad.Name)
		pins, err := c.pinned(ctx, c.at, g)
		switch {
		case err != nil:
			return here, err.Error()
		case len(pins) > 0:
			return here, refusal(red) + " with the pinned files as they were when the run began (changed: " + text.FirstFew(pins) + ")"
		case bad.Known, g.Review, bad.Where == loop.InWorkspace: // red in both places all along, or a matter of opinion
			return here, refusal(red)
		}
		r := c.here(ctx, c.state, g, c.at)
		here = append(here, r)
		if !r.OK {
			return here, refusal(red)
		}
	}
	return here, ""
}

func disagreement(r gate.Result) string {
	if r.NoSpace {
		return fmt.Sprintf("gate %s passes in the work tree, and nobody can tell what it says in a clean checkout: the disk is full; free some space, then resume", r.Name)
	}
	missing := r.Why
	if r.Telling != "" {
		missing += ": " + r.Telling
	}
	return fmt.Sprintf("gate %s passes in the work tree and fails in a clean checkout of it (%s); give the checkout what it lacks with proof.setup or proof.copy, or let the work tree do with done.proof = \"workspace\", then resume with --accept-config", r.Name, missing)
}

// changedPins is every pinned file that differs from when the run began.
func (j *Judge) changedPins(ctx context.Context, at checkpoint.Checkpoint) ([]string, error) {
	var list []string
	for _, g := range j.Gates {
		pins, err := j.pinned(ctx, at, g)
		if err != nil {
			return nil, err
		}
		list = append(list, pins...)
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// pinned is the pinned files of a gate that differ: by the checkpoint, or where
// there are none, by what agents have done to them.
func (j *Judge) pinned(ctx context.Context, at checkpoint.Checkpoint, g Gate) ([]string, error) {
	switch {
	case len(g.Pin) == 0:
		return nil, nil
	case j.Store == nil || !j.Store.CanRestore():
		patterns, err := glob.Parse(g.Pin)
		if err != nil {
			return nil, err
		}
		return slices.DeleteFunc(j.spoiled(), func(name string) bool { return !patterns.Match(name) }), nil
	case j.First == nil:
		return nil, fmt.Errorf("the pinned files of gate %s cannot be compared: the first checkpoint is not known", g.Name())
	}
	list, err := j.Store.Trees().Pinned(ctx, at, checkpoint.Pin{Patterns: g.Pin, First: *j.First})
	if err != nil {
		return nil, fmt.Errorf("compare the pinned files of gate %s: %w", g.Name(), err)
	}
	return list, nil
}

// beyond is pinned files that agents have changed and that no checkpoint has:
// git ignores them, so nothing can put them back for a proof.
func (j *Judge) beyond(kept []string) []string {
	return slices.DeleteFunc(j.spoiled(), func(name string) bool { return slices.Contains(kept, name) })
}

// spoiled names the pinned files that agents have changed.
func (j *Judge) spoiled() []string { return slices.Sorted(maps.Keys(j.Spoiled)) }
