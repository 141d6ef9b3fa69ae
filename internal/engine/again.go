package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/refrain-loop/refrain/internal/hook"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proof"
)

// mostAgain is how often a claim is judged again. What changes the files every
// time, the work is not.
const mostAgain = 2

// proveAgain judges a claim that was taken once more, when the tree is no longer
// the one that was judged: a hook of the user's, or of git's when the work was
// committed, or a gate in the work tree, has changed it. What a run leaves behind
// is what was proven.
func (e *Engine) proveAgain(ctx context.Context, a *attempt, o *loop.Outcome, committed bool) {
	if o.Proof == nil || o.Proof.Tree == "" || e.Store == nil || !committed && !e.disturbed(o) {
		return
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer e.watch(cancel)()
	for range mostAgain {
		now := e.look(ctx)
		switch {
		case ctx.Err() != nil:
			a.open = true
			return
		case now == nil || now.kept == nil:
			o.Proof = weaker(o.Proof, "the files could not be looked at after they were judged")
			o.Claim.Proven = false
			return
		case e.sameFiles(ctx, o, now, committed):
			return
		}
		e.record(&loop.Warning{Text: "the files are no longer those that were judged: the claim is judged again", Hint: "a hook or a gate has changed them"})
		if e.noteCheckpoint(now, false); !e.judgeAgain(ctx, a, o, now) {
			return
		}
		e.warnUncommitted(ctx)
	}
	o.Proof = weaker(o.Proof, "the files are changed each time that they are judged")
	o.Claim.Proven = false
}

// disturbed tells whether something ran in the work tree after the agent.
func (e *Engine) disturbed(o *loop.Outcome) bool {
	return len(e.Scripts) > 0 || e.Hooks.Set.Has(hook.PostIteration) ||
		slices.ContainsFunc(o.Gates, func(g loop.Gate) bool { return g.Where == loop.InWorkspace })
}

// sameFiles tells whether the tree is what was judged. What gates only add in the
// work tree, a report or a cache, is no part of the work.
func (e *Engine) sameFiles(ctx context.Context, o *loop.Outcome, now *sight, committed bool) bool {
	if now.kept.Tree == o.Proof.Tree {
		return true
	}
	if committed || e.Hooks.Set.Has(hook.PostIteration) || len(e.Scripts) > 0 {
		return false
	}
	judged, err := e.Store.Load(ctx, o.Checkpoint)
	if err != nil {
		return false
	}
	changes, err := e.Store.Changes(ctx, judged, *now.kept)
	return err == nil && !slices.ContainsFunc(changes.Paths, func(p loop.PathChange) bool { return p.Change != "created" })
}

// judgeAgain judges the claim on another tree, and tells whether it was taken.
func (e *Engine) judgeAgain(ctx context.Context, a *attempt, o *loop.Outcome, now *sight) bool {
	a.after = now
	o.Tree, o.Checkpoint = now.kept.Tree, now.kept.ID
	o.Gates, o.Proof, o.Claim.Proven = nil, nil, false
	r := untilKept(ctx, func() proof.Ruling { return e.bench(ctx, a).Claim(ctx, e.snapshot(), *now.kept, nil) })
	e.addSpent(o)
	if r.Interrupted {
		a.open = true
		return false
	}
	e.weighResults(ctx, a, o, r)
	e.settle(o, r)
	return o.Proof != nil
}

// addSpent adds what reviewers used.
func (e *Engine) addSpent(o *loop.Outcome) {
	if e.Judge.Spent == nil {
		return
	}
	if used := e.Judge.Spent(); used != nil {
		sum := o.Usage.Plus(used)
		o.Usage = &sum
	}
}

// weaker is a proof that does not hold for what is left behind.
func weaker(p *loop.Proof, why string) *loop.Proof {
	less := *p
	if less.Level == loop.LevelProven {
		less.Level, less.Why = loop.LevelKept, "the gates pass, but "+why
	}
	return &less
}

// warnUncommitted says that the runner's commit does not hold all that was
// judged.
func (e *Engine) warnUncommitted(ctx context.Context) {
	if !e.Commits.Enabled {
		return
	}
	if n, err := e.Tree.Dirty(ctx); err == nil && n > 0 {
		e.record(&loop.Warning{
			Text: fmt.Sprintf("what was judged is not all committed: %d %s differ from the last commit", n, noun(n, "file")),
			Hint: "look at git status; a hook of git's has changed files after they were added",
		})
	}
}
