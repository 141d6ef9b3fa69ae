package proof

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/gate"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/tests"
)

// steady looks for gates that were red and green on one tree. Such a gate runs
// again, as often as its retries say: it must be green each time. Then it does
// not stand in the way of a claim, and proves nothing.
func (c *claim) steady(ctx context.Context, ruling *Ruling, e *evidence) want {
	for _, r := range ruling.Results {
		g := c.named(r.Name)
		if g.Review || !slices.Contains(c.state.Flaky, r.Name) && !c.state.Said(r.Name, r.Where, r.Tree, false) {
			continue
		}
		if why := c.retry(ctx, g, e); why != "" {
			return want{lacksSteady, why}
		}
	}
	return want{}
}

// retry runs a gate that is not steady until it is, or is seen not to be.
func (c *claim) retry(ctx context.Context, g Gate, e *evidence) string {
	e.flaky = append(e.flaky, g.Name())
	for range g.Retries {
		again := c.runOne(ctx, g)
		switch {
		case again.Interrupted:
			return ""
		case !again.OK:
			return fmt.Sprintf("gate %s is flaky: it passes and fails on the same tree (%s); make it steady", g.Name(), again.Why)
		}
	}
	return ""
}

// confirm runs once more what turned from red to green, or has new tests, when the
// proof rests on it: a gate that is red most of the time is green some of the time.
func (c *claim) confirm(ctx context.Context, ruling *Ruling, e *evidence) want {
	if !e.discriminates() || len(e.changed) > 0 {
		return want{}
	}
	for _, r := range ruling.Results {
		turned := slices.Contains(e.turned, r.Name)
		if !turned && !slices.Contains(e.addedBy, r.Name) || slices.Contains(e.flaky, r.Name) {
			continue
		}
		g := c.named(r.Name)
		again := c.runOne(ctx, g)
		switch {
		case again.Interrupted:
			return want{}
		case again.OK && (!turned || !c.suspicious(r.Name, e)):
			continue
		case again.OK: // would it pass by now without the work?
			switch then, ended := c.variant(ctx, g, c.First.Tree, "before"); {
			case !ended:
				e.unsure = append(e.unsure, r.Name)
			case then.OK:
				e.flaky = append(e.flaky, r.Name)
			}
			continue
		}
		if why := c.retry(ctx, g, e); why != "" {
			return want{lacksSteady, why}
		}
	}
	return want{}
}

// suspicious tells whether a gate may have turned for reasons of its own: it was
// red on other trees of this run too, or nothing but documents was changed.
func (c *claim) suspicious(name string, e *evidence) bool {
	if c.First == nil || !c.Store.CanRestore() {
		return false
	}
	for _, l := range c.state.Looks {
		if l.Gate == name && !l.OK && !strings.HasPrefix(c.First.Tree, l.Tree) {
			return true
		}
	}
	return !slices.ContainsFunc(e.work, func(edit checkpoint.Edit) bool { return !prose(edit.Path) })
}

// variant runs a gate on another tree than the one that is claimed to be done,
// in a clean checkout of its own, and tells whether it came to its end there.
func (j *Judge) variant(ctx context.Context, g Gate, tree, with string) (gate.Result, bool) {
	rooms := newRooms(j)
	defer rooms.close()
	r := j.variantIn(ctx, g, rooms, tree, with)
	return r, ended(g, r) && rooms.problem() == ""
}

func (j *Judge) variantIn(ctx context.Context, g Gate, rooms *rooms, tree, with string) gate.Result {
	log, _ := j.File(g.Name()+"."+with, loop.InClean, logKind)
	defer log.Close()
	room, err := rooms.enter(ctx, tree, log)
	if err != nil {
		return gate.Result{Gate: loop.Gate{Name: g.Name(), Where: loop.InClean, Why: "no clean checkout: " + err.Error()}, Interrupted: ctx.Err() != nil}
	}
	room.used = true
	j.Tell(&loop.GateStarted{Name: g.Name(), Where: loop.InClean, With: with})
	r := j.ask(ctx, g, rooms.place(room, j.Proof.below(g), log))
	r.Tree, r.Dir = tree, g.Dir
	j.Tell(&loop.GateFinished{Gate: r.Gate, With: with, TestsFile: j.list(r, with)})
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

// newOnFirst runs new tests on the work as it was: one that passes there too says
// nothing of the work. They run there twice, for one that fails now and then says
// nothing either.
func (c *claim) newOnFirst(ctx context.Context, ruling *Ruling, e *evidence) want {
	if e.discriminates() || len(e.changed) > 0 || e.blind || len(e.tests) == 0 || !c.Store.CanRestore() {
		return want{}
	}
	tree, err := e.onFirst(ctx, c.Store.Trees(), c.First.Tree)
	if err != nil {
		return cannot(fmt.Errorf("put the new tests on the work as it was: %w", err))
	}
	for _, r := range ruling.Results {
		g := c.named(r.Name)
		if g.Review || c.where(c.state, g) != loop.InClean {
			continue
		}
		fresh := c.newTests(g, r)
		for range 2 {
			if len(fresh) > 0 && ctx.Err() == nil {
				fresh = c.failingThere(ctx, g, tree, fresh)
			}
		}
		if len(fresh) > 0 {
			e.added, e.addedBy = append(e.added, fresh...), append(e.addedBy, r.Name)
		}
	}
	return want{}
}

// newTests is the tests of a gate that came in the run. Those without names are
// one.
func (c *claim) newTests(g Gate, r gate.Result) []string {
	now, b := tally(r), c.known.Before[g.key()]
	fresh := versions{before: b, now: now}.fresh()
	if more := now.Passed - b.Passed - b.Failed; len(fresh) == 0 && more > 0 && !now.Complete {
		fresh = []string{fmt.Sprintf("%s: %d new", r.Name, more)}
	}
	return fresh
}

// failingThere is which of new tests fail on another tree.
func (c *claim) failingThere(ctx context.Context, g Gate, tree string, fresh []string) []string {
	then, ended := c.variant(ctx, g, tree, "on-first")
	if !ended || then.OK {
		return nil
	}
	there := tally(then)
	// Where an old test fails, too, new ones may not have had their turn.
	cut := false
	for name, status := range c.known.Before[g.key()].Names {
		cut = cut || status == tests.Passed && there.Names[name] == tests.Failed
	}
	return slices.DeleteFunc(slices.Clone(fresh), func(name string) bool {
		status, ran := there.Names[name]
		return status != tests.Failed && (ran || cut)
	})
}
