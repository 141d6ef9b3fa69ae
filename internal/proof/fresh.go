package proof

import (
	"context"
	"fmt"
	"slices"

	"github.com/refrain-loop/refrain/internal/gate"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/tests"
)

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
