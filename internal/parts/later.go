package parts

import (
	"context"
	"slices"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/later"
	"github.com/refrain-loop/refrain/internal/loop"
)

// LaterSettings say what the next run would run, beside what runs by convention.
type LaterSettings struct {
	Below    string // the folder of the work tree in which commands run
	Commands []later.Command
}

// NoteLater fills in what the tree has, as the attempt leaves it, that runs by
// itself and did not when the run began. Where that is not known, or without git,
// nothing is said rather than something wrong.
func (t *Tree) NoteLater(ctx context.Context, a *engine.Attempt, o *loop.Outcome) {
	if o.Net == nil || t.after == nil {
		return
	}
	o.Later = t.runsLater(ctx, t.after.checkpoint)
	if t.changes == nil {
		return
	}
	for i, file := range o.RunsLater {
		if slices.ContainsFunc(t.changes.Paths, func(p loop.PathChange) bool { return p.Path == file.Path }) {
			o.RunsLater[i].Iteration = a.Iter
		}
	}
}

// LeaveLater is the same for the tree that the run leaves: gates that ran after the
// last agent have run what that has written.
func (t *Tree) LeaveLater(end *loop.RunFinished) {
	if t.base == nil || t.Store == nil { // no agent has worked
		return
	}
	ctx := context.Background()
	t.seeRest(ctx)
	now := t.untouched
	if now == nil {
		now = t.look(ctx)
	}
	if now != nil {
		end.Later = t.runsLater(ctx, now.checkpoint)
	}
}

// runsLater is what runs later in a checkpoint. The iteration that changed a file is
// what was known of it.
func (t *Tree) runsLater(ctx context.Context, c *checkpoint.Checkpoint) loop.Later {
	known := t.State().Later
	first := t.First(ctx)
	if first == nil || c == nil || !t.Store.CanRestore() {
		return known
	}
	if t.later == nil {
		t.later = &later.Finder{Trees: t.Store.Trees(), First: first.Tree, Below: t.Later.Below, Commands: t.Later.Commands}
	}
	ctx, done := t.ForGit(ctx)
	defer done()
	found, err := t.later.Find(ctx, c.Tree)
	if err != nil {
		if ctx.Err() == nil {
			t.Warn("later", loop.Warning{Text: "cannot tell what of the changes runs later: " + err.Error(), Hint: "look at the diff for hooks, workflows, scripts and settings"})
		}
		return known
	}
	return found.After(known)
}
