package app

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/parts"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/text"
)

// repository is the user's repository as a run uses it: branches, commits, locks.
type repository struct {
	request.Assignment
	files *git.Tree
}

// names is what the templates may name.
func (r repository) names(iteration int) map[string]string {
	return map[string]string{
		"iteration": fmt.Sprint(iteration), "procedure": r.Request.Name(), "run": "", "summary": "", "task": "",
		"timestamp": time.Now().Format("20060102-150405"),
	}
}

// startBranch puts the run on a branch of its own, if that is wanted. What the user has
// git run then is run aside.
func (r repository) startBranch(ctx context.Context, aside git.Exec) (string, error) {
	c := r.Config().Git
	if !c.Branch.New {
		return "", nil
	}
	name := c.Branch.Name
	if name == "" {
		var err error
		if name, err = text.Expand(c.BranchTemplate, r.names(0)); err != nil {
			return "", &request.UsageError{What: fmt.Sprintf("git.branch_template: %v", err), Hint: "use {timestamp} and {procedure}"}
		}
	}
	if err := r.files.Through(aside).StartBranch(ctx, name); err != nil {
		return "", &request.UsageError{What: err.Error(), Hint: request.HintOf(err)}
	}
	return name, nil
}

// onBranch refuses to go on elsewhere than on the run's own branch.
func (r repository) onBranch(ctx context.Context, branch string) error {
	if branch == "" {
		return nil
	}
	now, err := r.files.Branch(ctx)
	if err != nil {
		return err
	}
	if now == branch {
		return nil
	}
	return &request.UsageError{
		What: fmt.Sprintf("the run works on branch %s, and the work tree is on %s", branch, cmp.Or(now, "no branch")),
		Hint: "switch to it first: git switch " + branch,
	}
}

// uncommitted warns of the user's own changes, which the first commit of the run
// would take along.
func (r repository) uncommitted(ctx context.Context) []loop.Warning {
	if !r.Config().Git.Commit {
		return nil
	}
	n, err := r.files.Dirty(ctx)
	if err != nil || n == 0 {
		return nil // a git that fails says so when it is to commit
	}
	return []loop.Warning{{
		Text: fmt.Sprintf("changes of yours are not committed (files: %d): the first iteration's commit takes them along", n),
		Hint: "commit them yourself first to keep them apart",
	}}
}

// canCommit refuses to start a run whose iterations could not be committed, or
// would sweep up what the user has staged.
func (r repository) canCommit(ctx context.Context) error {
	if !r.Config().Git.Commit {
		return nil
	}
	if err := r.files.CanCommit(ctx); err != nil {
		return &request.UsageError{What: "git.commit: " + err.Error(), Hint: request.HintOf(err)}
	}
	return nil
}

// branch is the one that the work tree is on; empty when nobody can tell.
func (r repository) branch(ctx context.Context) string {
	if !r.files.Git() {
		return ""
	}
	name, err := r.files.Branch(ctx)
	if err != nil {
		return ""
	}
	return name
}

// dropLocks removes the git locks that the runner of a run which is dead has left,
// or its agent: those that came since the last thing that it had begun. It belongs
// after cleanUp, for somebody who lives may hold them.
func (r repository) dropLocks(ctx context.Context, past journal.Past) []loop.Warning {
	locks, err := r.files.Locks(ctx)
	if err != nil {
		return nil // a broken repository is told of by who needs it
	}
	if w := parts.LocksDropped(locks.Drop(ctx, lastBegun(past))); w != nil {
		return []loop.Warning{*w}
	}
	return nil
}
