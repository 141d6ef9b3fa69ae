package engine

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"

	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// Commits says how the runner commits the work of each iteration.
type Commits struct {
	Enabled   bool
	Template  string
	Procedure string
	Branch    string // the run's own; empty is any
}

// commit keeps the work of an iteration as a commit of the user's. One that
// fails is told and survived: the checkpoint has the work. It tells whether there
// is one now.
func (e *Engine) commit(ctx context.Context, a *attempt, o *loop.Outcome) bool {
	if a.committed != "" {
		o.Changes = o.Changes.Committed()
		return true
	}
	s := e.snapshot()
	if !e.Commits.Enabled || s.Undone(*o) || !s.Counts(*o) || o.Result == loop.Skipped {
		return false
	}
	why, cut := e.notToCommit(ctx)
	if cut {
		a.open = true
		return false
	}
	if why != nil {
		why.Text = fmt.Sprintf("iteration %d is not committed: %s", e.iter, why.Text)
		e.record(why)
		return false
	}
	e.untouched = nil // what a hook of git's writes, and the commit, are not the next agent's
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer e.watch(cancel)()
	name := e.Journal.Meta().Name
	message, err := git.Expand(e.Commits.Template, map[string]string{
		"iteration": fmt.Sprint(e.iter), "run": name, "procedure": e.Commits.Procedure,
		"summary": o.Summary, "timestamp": e.Clock.Now().Format("20060102-150405"),
	})
	var sha string
	if err == nil {
		sha, err = e.commitUnlocked(ctx, a, git.CommitOptions{Message: message, Trailers: e.trailers(), Scratch: e.commitScratch()})
		e.leftByHooks(ctx)
	}
	switch {
	case err != nil && sha == "" && ctx.Err() != nil:
		a.open = true
	case err != nil:
		e.record(&loop.Warning{Text: fmt.Sprintf("could not commit iteration %d: %v", e.iter, err), Hint: e.afterFailedCommit(context.WithoutCancel(ctx), err)})
	}
	if sha != "" {
		e.committed(sha, message)
		o.Changes = o.Changes.Committed()
	}
	return sha != ""
}

// commitScratch is where a commit is put together. It is in the run's own folder,
// where the next runner finds what a dead one has left.
func (e *Engine) commitScratch() string { return filepath.Join(e.Journal.Dir(), "commit") }

// trailers are the last lines of a commit's message, by which it is known.
func (e *Engine) trailers() []string {
	return []string{"Refrain-Run: " + e.Journal.Meta().Name, fmt.Sprintf("Refrain-Iteration: %d", e.iter)}
}

func (e *Engine) committed(sha, message string) {
	e.last.commit = sha
	e.record(&loop.CommitMade{Commit: sha, Subject: message})
}

// commitUnlocked commits, and takes the locks out of the way that gates and hooks
// have left, or git itself. A git that somebody has killed is tried once more.
func (e *Engine) commitUnlocked(ctx context.Context, a *attempt, o git.CommitOptions) (sha string, err error) {
	for range 2 {
		e.dropLocks(ctx, a.born)
		if sha, err = e.Tree.Commit(ctx, o); sha != "" || !git.Killed(err) || ctx.Err() != nil {
			break
		}
	}
	if err == nil {
		return sha, nil
	}
	ctx = context.WithoutCancel(ctx)
	e.dropLocks(ctx, a.born)
	if sha != "" { // the index may be behind
		if made, _, followed := e.Tree.Made(ctx, o.Trailers); made == sha && followed == nil {
			err = nil
		}
	}
	return sha, err
}

// notToCommit says why the work must not become a commit; nil when it may. That
// nobody could look, for the run is to end, is no reason: cut says so.
func (e *Engine) notToCommit(ctx context.Context) (why *loop.Warning, cut bool) {
	// Gates run what the agent wrote, and may have changed what a commit runs.
	same, cut := e.guardGit(ctx)
	if cut {
		return nil, true
	}
	if !same {
		return withheld("the repository is not as the run found it"), false
	}
	if strange, cut := e.strangeRuns(ctx); strange != nil || cut {
		return strange, cut
	}
	switch touched, err := e.touched(ctx); {
	case err != nil:
		return withheld(err.Error()), false
	case len(touched) > 0:
		return withheld("protected files changed: " + text.FirstFew(touched)), false
	}
	if e.Commits.Branch == "" {
		return nil, false
	}
	switch now, err := e.Tree.Branch(ctx); {
	case err != nil:
		return withheld(err.Error()), false
	case now != e.Commits.Branch:
		return withheld(fmt.Sprintf("the run works on branch %s, and the work tree is on %s", e.Commits.Branch, cmp.Or(now, "no branch"))), false
	}
	return nil, false
}

func withheld(why string) *loop.Warning {
	return &loop.Warning{Text: why, Hint: "the checkpoint has the work"}
}

// restore puts the work tree back as it was at its best, when the verdict says
// so. Where no agent had touched that, it is what the attempt found: people and
// hooks may have added to it. What was there stays in its checkpoint.
func (e *Engine) restore(ctx context.Context, a *attempt, o *loop.Outcome, v loop.Verdict) {
	if v.Restore == nil || e.Store == nil {
		return
	}
	ctx, done := e.hurrying(ctx)
	defer done()
	before := e.snapshot()
	high := before.High
	best, err := e.Store.Load(ctx, high.Checkpoint)
	if a.onHigh && a.base != nil && a.base.kept != nil {
		best = *a.base.kept
	}
	e.untouched = nil
	if err == nil {
		// Said before it is done: a runner that dies in between finds it, and
		// does not take a tree that is half put back for the agent's work.
		e.record(&loop.CheckpointRestored{Checkpoint: best.ID, Iteration: &high.Iteration, Kept: o.Checkpoint, Why: before.Worse(*o)})
		_, _, err = e.Store.Restore(ctx, best)
	}
	if err != nil {
		e.record(&loop.Warning{
			Text: fmt.Sprintf("could not undo iteration %d: %v", e.iter, err),
			Hint: fmt.Sprintf("undo it with: refrain rollback %s/%d", e.Journal.Meta().Name, high.Iteration),
		})
	}
}

// pass hands on what the next agent should know of the gates. An attempt that
// no gate looked at leaves what was there before.
func (e *Engine) pass(a *attempt, o *loop.Outcome) {
	if s := e.snapshot(); s.Counts(*o) && o.Result != loop.Skipped && (len(o.Gates) > 0 || len(a.told) > 0 || o.Result == loop.OK) {
		e.told = a.told
	}
	a.dir.WriteFeedback(e.told)
}
