package engine

import (
	"context"
	"fmt"

	"github.com/refrain-loop/refrain/internal/loop"
)

// proveAgain judges a claim that was taken once more, when the tree is no longer
// the one that was judged: a hook of the user's, or of git's when the work was
// committed, has changed it. What a run leaves behind is what was proven.
func (e *Engine) proveAgain(ctx context.Context, a *attempt, o *loop.Outcome) {
	if o.Proof == nil || o.Proof.Tree == "" || e.Store == nil {
		return
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer e.watch(cancel)()
	now := e.look(ctx)
	if now == nil || now.kept == nil || now.kept.Tree == o.Proof.Tree {
		return
	}
	e.record(&loop.Warning{Text: "the files are no longer those that were judged: the claim is judged again", Hint: "a hook has changed them"})
	e.noteCheckpoint(now, false)
	a.after = now
	o.Tree, o.Checkpoint = now.kept.Tree, now.kept.ID
	o.Gates, o.Proof, o.Claim.Proven = nil, nil, false
	r := e.bench(ctx, a).Claim(ctx, e.snapshot(), *now.kept, nil)
	if r.Interrupted {
		o.Result, o.Claim, o.Gates = loop.Interrupted, nil, nil
		return
	}
	e.weighResults(ctx, a, o, r)
	e.settle(o, r)
	e.warnUncommitted(ctx)
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
