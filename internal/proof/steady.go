package proof

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/loop"
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

// tellFlaky warns of gates that are not steady.
func (j *Judge) tellFlaky(names []string) {
	for _, name := range names {
		j.Tell(&loop.Warning{
			Text: fmt.Sprintf("gate %s is flaky: it passed and failed on the same tree, so it proves nothing", name),
			Hint: "make its tests steady; it was run again and passed each time",
			Key:  "flaky." + name,
		})
	}
}
