package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/repo"
)

// Commits says how the runner commits the work of each iteration.
type Commits struct {
	Enabled   bool
	Template  string
	Procedure string
}

// commit keeps the work of an iteration that counts as a commit of the user's.
// One that fails is told and survived: the checkpoint has the work.
func (e *Engine) commit(ctx context.Context, o *loop.Outcome) {
	s := e.snapshot()
	if !e.Commits.Enabled || s.Undone(*o) || !counts(o.Result) {
		return
	}
	name := e.Journal.Meta().Name
	message, err := repo.Expand(e.Commits.Template, map[string]string{
		"iteration": fmt.Sprint(e.iter), "run": name, "procedure": e.Commits.Procedure,
		"summary": o.Summary, "timestamp": time.Now().Format("20060102-150405"),
	})
	var sha string
	if err == nil {
		sha, err = e.Tree.Commit(ctx, repo.CommitOptions{
			Message:  message,
			Trailers: []string{"Refrain-Run: " + name, fmt.Sprintf("Refrain-Iteration: %d", e.iter)},
		})
	}
	switch {
	case err != nil:
		e.record(&loop.Warning{
			Text: fmt.Sprintf("could not commit iteration %d: %v", e.iter, err),
			Hint: "the work is in the work tree, and the next iteration's commit takes it along",
		})
	case sha != "":
		e.untouched = nil // its commit is not the next agent's
		e.record(&loop.CommitMade{Commit: sha, Subject: message})
		if o.Changes == nil {
			o.Changes = &loop.Changes{}
		}
		o.Changes.Commits++
	}
}

// counts tells whether an attempt with this result is an iteration.
func counts(r loop.Result) bool {
	switch r {
	case loop.OK, loop.Failed, loop.TimedOut, loop.Idle:
		return true
	}
	return false
}

// restore puts the work tree back as it was at its best, when the verdict says
// so. What was there stays in its checkpoint.
func (e *Engine) restore(ctx context.Context, o *loop.Outcome, v loop.Verdict) {
	if v.Restore == nil || e.Store == nil {
		return
	}
	high := e.snapshot().High
	best, err := e.Store.Load(ctx, high.Checkpoint)
	var kept repo.Checkpoint
	if err == nil {
		kept, _, err = e.Store.Restore(ctx, best)
	}
	e.untouched = nil
	if err != nil {
		e.record(&loop.Warning{
			Text: fmt.Sprintf("could not undo iteration %d: %v", e.iter, err),
			Hint: fmt.Sprintf("undo it with: refrain rollback %s/%d", e.Journal.Meta().Name, high.Iteration),
		})
		return
	}
	e.record(&loop.CheckpointRestored{Checkpoint: best.ID, Iteration: high.Iteration, Kept: kept.ID, Why: worse(high, o)})
}

// worse says in what an outcome falls behind the best.
func worse(high *loop.High, o *loop.Outcome) string {
	for _, g := range o.Gates {
		if !g.OK && g.Why != "" {
			return fmt.Sprintf("gate %s failed (%s), and was better before", g.Name, g.Why)
		}
	}
	return fmt.Sprintf("%d tests passed and %d failed; before, %d passed and %d failed", o.Tests.Passed, o.Tests.Failed, high.Tests.Passed, high.Tests.Failed)
}

// pass hands on what the next agent should know of the gates. An attempt that
// did not count leaves what was there before.
func (e *Engine) pass(a *attempt, o *loop.Outcome) {
	if !counts(o.Result) {
		return
	}
	e.told = a.told
	a.dir.WriteFeedback(a.told)
}
