package parts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// Commits keeps the work of each iteration as a commit of the user's.
type Commits struct {
	*engine.Kit
	CommitSettings
	Files  *git.Tree
	Tree   *Tree
	Git    *Git
	Guards *Guards
}

// CommitSettings says how the runner commits.
type CommitSettings struct {
	Enabled   bool
	Template  string
	Procedure string
	Branch    string // the run's own; empty is any
	Scratch   string // a folder where git may write in its sandbox; empty: that of the run
}

// Tidy removes what a dead runner has left of a commit.
func (c *Commits) Tidy(context.Context) error {
	_ = files.RemoveTree(c.scratch()) // it only costs room
	return nil
}

// scratch is where a commit is put together. It is in the run's own folder, or in one
// that is the run's, where the next runner finds what a dead one has left.
func (c *Commits) scratch() string {
	return filepath.Join(cmp.Or(c.Scratch, c.Journal.Dir()), "commit")
}

// Recover finds the commit that the runner had made of the attempt, be it that it
// did not live to write it down.
func (c *Commits) Recover(ctx context.Context, a *engine.Attempt) error {
	if a.Committed = a.Left.Commit; a.Committed != "" || !c.Enabled {
		return nil
	}
	sha, message, err := c.Files.Made(ctx, c.trailers(a))
	if err != nil || sha == "" || c.Tree.base != nil && c.Tree.base.checkpoint != nil && c.Tree.base.checkpoint.Head == sha {
		return nil // it is made now
	}
	c.made(a, sha, message)
	return nil
}

// Commit commits the work of an attempt. That it fails is told and survived: the
// checkpoint has the work.
func (c *Commits) Commit(ctx context.Context, a *engine.Attempt, o *loop.Outcome) {
	if a.Committed != "" {
		o.Changes = o.Changes.Committed()
		return
	}
	s := c.State()
	if !c.Enabled || s.Undone(*o) || !s.Counts(*o) || o.Result == loop.Skipped {
		return
	}
	why, cut := c.whyNot(ctx)
	if cut {
		a.CutShort = true
		return
	}
	if why != nil {
		why.Text = fmt.Sprintf("iteration %d is not committed: %s", a.Iter, why.Text)
		c.Record(why)
		return
	}
	a.Touched = true // what a hook of git's writes, and the commit, are not the next agent's
	ctx, done := c.UntilStopped(ctx)
	defer done()
	message, err := text.Expand(c.Template, map[string]string{
		"iteration": fmt.Sprint(a.Iter), "run": c.Journal.Meta().Name, "procedure": c.Procedure,
		"task": taskDone(a.Iter, o), "summary": o.Summary, "timestamp": c.Clock.Now().Format("20060102-150405"),
	})
	var sha string
	if err == nil {
		sha, err = c.commitUnlocked(ctx, a, git.CommitOptions{Message: message, Trailers: c.trailers(a), Scratch: c.scratch()})
		c.Git.noteLeftByHooks(ctx)
	}
	switch {
	case err != nil && sha == "" && ctx.Err() != nil:
		a.CutShort = true
	case err != nil:
		c.Record(&loop.Warning{Text: fmt.Sprintf("could not commit iteration %d: %v", a.Iter, err), Hint: c.afterFailure(context.WithoutCancel(ctx), err)})
	}
	if sha != "" {
		c.made(a, sha, message)
		o.Changes = o.Changes.Committed()
	}
}

// taskDone names a commit by the task of the plan that the iteration ticked off, or
// else by its number.
func taskDone(iter int, o *loop.Outcome) string {
	if o.Plan == nil || len(o.Plan.Ticked) == 0 {
		return fmt.Sprintf("loop: iteration %d", iter)
	}
	said := text.Line(o.Plan.Ticked[0])
	if more := len(o.Plan.Ticked) - 1; more > 0 {
		said += fmt.Sprintf(" (and %s)", text.Plural(more, "more task"))
	}
	return said
}

// trailers are the last lines of a commit's message, by which it is known.
func (c *Commits) trailers(a *engine.Attempt) []string {
	return []string{"Refrain-Run: " + c.Journal.Meta().Name, fmt.Sprintf("Refrain-Iteration: %d", a.Iter)}
}

func (c *Commits) made(a *engine.Attempt, sha, message string) {
	a.Committed = sha
	c.Tree.sawHead(sha)
	c.Record(&loop.CommitMade{Commit: sha, Subject: message})
}

// commitUnlocked commits, and takes the locks out of the way that gates and hooks
// have left, or git itself. A git that somebody has killed is tried once more.
func (c *Commits) commitUnlocked(ctx context.Context, a *engine.Attempt, o git.CommitOptions) (sha string, err error) {
	for range 2 {
		c.Git.dropLocks(ctx, a.Iter, a.Born)
		if sha, err = c.Files.Commit(ctx, o); sha != "" || !git.Killed(err) || ctx.Err() != nil {
			break
		}
	}
	if err == nil {
		return sha, nil
	}
	ctx = context.WithoutCancel(ctx)
	c.Git.dropLocks(ctx, a.Iter, a.Born)
	if sha != "" { // the index may be behind
		if made, _, followed := c.Files.Made(ctx, o.Trailers); made == sha && followed == nil {
			err = nil
		}
	}
	return sha, err
}

// whyNot says why the work must not become a commit; nil when it may. That
// nobody could look, for the run is to end, is no reason: cut says so.
func (c *Commits) whyNot(ctx context.Context) (why *loop.Warning, cut bool) {
	// Gates run what the agent wrote, and may have changed what a commit runs.
	same, cut := c.Git.putBack(ctx)
	if cut {
		return nil, true
	}
	if !same {
		return withheld("the repository is not as the run found it"), false
	}
	if changed, cut := c.Git.changedRuns(ctx); changed != nil || cut {
		return changed, cut
	}
	switch changed, err := c.Guards.changedProtected(ctx); {
	case err != nil:
		return withheld(err.Error()), false
	case len(changed) > 0:
		return withheld("protected files changed: " + text.FirstFew(changed)), false
	}
	if c.Branch == "" {
		return nil, false
	}
	switch now, err := c.Files.Branch(ctx); {
	case err != nil:
		return withheld(err.Error()), false
	case now != c.Branch:
		return withheld(fmt.Sprintf("the run works on branch %s, and the work tree is on %s", c.Branch, cmp.Or(now, "no branch"))), false
	}
	return nil, false
}

func withheld(why string) *loop.Warning {
	return &loop.Warning{Text: why, Hint: "the checkpoint has the work"}
}

// afterFailure says what to do about a commit that was not made.
func (c *Commits) afterFailure(ctx context.Context, err error) string {
	const takesAlong = "the work is in the work tree, and the next iteration's commit takes it along"
	if left := c.Git.gitLocks(ctx).Left(); len(left) > 0 {
		return fmt.Sprintf("if no other git works here, one died: remove %s; %s", text.FirstFew(left), takesAlong)
	}
	var refused *git.RefusedError
	if errors.As(err, &refused) {
		return refused.Hint() + "; " + takesAlong
	}
	return takesAlong
}

// TellUncommitted says that the runner's commit does not hold all that was judged.
func (c *Commits) TellUncommitted(ctx context.Context) {
	if !c.Enabled {
		return
	}
	if n, err := c.Files.Dirty(ctx); err == nil && n > 0 {
		c.Record(&loop.Warning{
			Text: fmt.Sprintf("what was judged is not all committed: %d %s differ from the last commit", n, text.OneOrMany(n, "file", "files")),
			Hint: "look at git status; a hook of git's has changed files after they were added",
		})
	}
}
