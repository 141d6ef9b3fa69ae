package git

import (
	"context"
	"fmt"
	"strings"
)

const branches = "refs/heads/"

// Branch is the branch that is checked out, also one without a commit yet;
// empty when HEAD is at a commit and no branch.
func (t *Tree) Branch(ctx context.Context) (string, error) {
	return t.branchOf(ctx, Command{})
}

func (t *Tree) branchOf(ctx context.Context, of Command) (string, error) {
	// The short form that git gives is a longer one where a tag has the same name.
	ref, err := t.git.line(ctx, of, "symbolic-ref", "-q", "HEAD")
	return strings.TrimPrefix(ref, branches), err
}

// StartBranch makes a branch at HEAD and switches to it. Files and index stay as
// they are. When the branch is checked out already, as on resume, all is well;
// one that exists otherwise is somebody's work, and refused.
func (t *Tree) StartBranch(ctx context.Context, name string) error {
	if !t.isGit {
		return refuseWithoutGit(t.dir)
	}
	if err := t.checkBranchName(ctx, name); err != nil {
		return err
	}
	current, err := t.Branch(ctx)
	if err != nil || current == name {
		return err
	}
	exists, err := t.hasBranch(ctx, name)
	if err != nil {
		return err
	}
	if exists {
		return &RefusedError{
			what: fmt.Sprintf("there is a branch %q already", name),
			hint: fmt.Sprintf("choose another name, or go on with it: git switch %s", name),
		}
	}
	return t.git.runHooks(ctx, Command{}, "switch", "-q", "--no-track", "-c", name)
}

func (t *Tree) checkBranchName(ctx context.Context, name string) error {
	good, err := t.git.says(ctx, Command{}, "check-ref-format", branches+name)
	if err != nil {
		return err
	}
	// Git itself makes no branches like these two.
	if !good || strings.HasPrefix(name, "-") || name == "HEAD" {
		return &RefusedError{
			what: fmt.Sprintf("%q cannot be the name of a branch", name),
			hint: "use letters, digits, and - . / between them",
		}
	}
	return nil
}

func (t *Tree) hasBranch(ctx context.Context, name string) (bool, error) {
	return t.git.says(ctx, Command{}, "show-ref", "--verify", "--quiet", branches+name)
}
