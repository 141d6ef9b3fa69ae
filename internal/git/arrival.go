package git

import (
	"context"
	"fmt"
	"strings"
)

// Arrival is a commit that has come from elsewhere, on its way into a work tree, and the
// branch that is to be at it; no branch: HEAD alone.
type Arrival struct {
	Tree   *Tree
	From   string // a repository of ours that has it
	Ref    string // by which it is there
	Commit string
	Branch string
}

// NotOnTopError says that a branch here has commits that the one that comes has not.
type NotOnTopError struct{ Branch string }

func (e *NotOnTopError) Error() string {
	return fmt.Sprintf("the branch %s here has commits that the one of the run has not", e.Branch)
}

// Hint says what to do.
func (e *NotOnTopError) Hint() string {
	return "give yours another name, and try again: git branch -m " + e.Branch + " " + e.Branch + "-here"
}

// Fits refuses an arrival that would lose commits of the user's, or move a branch that
// another work tree is on.
func (a Arrival) Fits(ctx context.Context) error {
	t := a.Tree
	current, err := t.Branch(ctx)
	if err != nil {
		return err
	}
	if current == "" {
		if err := a.keepsHead(ctx); err != nil {
			return err
		}
	}
	if a.Branch == "" {
		return nil
	}
	if err := t.git.checkBranchName(ctx, a.Branch); err != nil {
		return err
	}
	exists, where, err := t.git.whereBranch(ctx, a.Branch)
	if err != nil || !exists {
		return err
	}
	if current != a.Branch && where != "" {
		return &RefusedError{what: fmt.Sprintf("the branch %s of the run is checked out in %s", a.Branch, where), hint: "fetch the run there, or switch that work tree to another branch"}
	}
	onTop, err := a.isOnTopOf(ctx, branches+a.Branch)
	if err == nil && !onTop {
		err = &NotOnTopError{Branch: a.Branch}
	}
	return err
}

// isOnTopOf tells whether the arrival has all that a commit here has.
func (a Arrival) isOnTopOf(ctx context.Context, commit string) (bool, error) {
	theirs := Command{Env: []string{"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + quotedPath(a.From+"/objects")}}
	return a.Tree.git.says(ctx, theirs, "merge-base", "--is-ancestor", commit, a.Commit)
}

// keepsHead refuses an arrival where HEAD alone is at commits of the user's.
func (a Arrival) keepsHead(ctx context.Context) error {
	onTop, err := a.isOnTopOf(ctx, "HEAD")
	if err != nil || onTop {
		return err
	}
	known, err := a.Tree.git.Run(ctx, "for-each-ref", "--count=1", "--contains", "HEAD", branches, "refs/tags/", "refs/remotes/")
	if err == nil && len(known) == 0 {
		err = &RefusedError{what: "there are commits here that no branch has", hint: "keep them: git branch NAME"}
	}
	return err
}

// quotedPath is a folder in a list of folders.
func quotedPath(path string) string {
	if strings.ContainsAny(path, `:;"`) {
		return QuoteConfig(path)
	}
	return path
}

// TakeUp brings a commit into the repository, has the branch and HEAD be at it, and the
// index hold what it holds. The files stay as they are: who calls brings them. What was
// cut short can be done again.
func (a Arrival) TakeUp(ctx context.Context) error {
	t := a.Tree
	if err := straight(ctx, t.git, append(writtenFor(a.Branch), "index")...); err != nil {
		return err
	}
	local := Command{writes: true, Env: []string{"GIT_ALLOW_PROTOCOL=file"}}
	const arrived = "refs/refrain/arrived"
	if _, err := t.git.RunWith(ctx, local, "-c", "maintenance.auto=false", "fetch", "-q", "--no-tags", "--no-write-fetch-head", "--end-of-options", a.From, "+"+a.Ref+":"+arrived); err != nil {
		return fmt.Errorf("take in the commits of the run: %w", err)
	}
	do := func(args ...string) error {
		_, err := t.git.RunWith(context.WithoutCancel(ctx), Command{writes: true}, args...)
		return err
	}
	const why = "refrain: a run was fetched"
	var err error
	if a.Branch == "" {
		err = do("update-ref", "--no-deref", "-m", why, "HEAD", a.Commit)
	} else if err = do("update-ref", "--create-reflog", "-m", why, branches+a.Branch, a.Commit); err == nil {
		err = do("symbolic-ref", "-m", why, "HEAD", branches+a.Branch)
	}
	if err == nil {
		err = do("read-tree", "--reset", a.Commit)
	}
	if err != nil {
		return fmt.Errorf("bring the branch of the run to %s: %w", a.Commit, err)
	}
	return do("update-ref", "-d", arrived)
}
