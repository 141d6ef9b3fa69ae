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
	return t.git.branch(ctx, Command{})
}

func (p Program) branch(ctx context.Context, of Command) (string, error) {
	// The short form that git gives is a longer one where a tag has the same name.
	ref, err := p.line(ctx, of, "symbolic-ref", "-q", "HEAD")
	return strings.TrimPrefix(ref, branches), err
}

// Head is the commit that is checked out; empty before the first.
func (t *Tree) Head(ctx context.Context) (string, error) { return t.git.commit(ctx, "HEAD") }

// StartBranch makes a branch at HEAD and switches to it. Files and index stay as
// they are. When the branch is checked out already, as on resume, all is well;
// one that exists otherwise is somebody's work, and refused.
func (t *Tree) StartBranch(ctx context.Context, name string) error {
	if !t.isGit {
		return refuseWithoutGit(t.dir)
	}
	if err := t.git.checkBranchName(ctx, name); err != nil {
		return err
	}
	current, err := t.Branch(ctx)
	if err != nil || current == name {
		return err
	}
	if err := t.git.refuseKnown(ctx, name); err != nil {
		return err
	}
	if err := straight(ctx, t.git, append(writtenFor(name), "index")...); err != nil {
		return err
	}
	return t.git.runHooks(ctx, Command{}, "switch", "-q", "--no-track", "-c", name)
}

// refuseKnown refuses a branch that exists: it is somebody's work.
func (p Program) refuseKnown(ctx context.Context, branch string) error {
	exists, err := p.hasBranch(ctx, branch)
	if err == nil && exists {
		err = &RefusedError{
			what: fmt.Sprintf("there is a branch %q already", branch),
			hint: fmt.Sprintf("choose another name, or go on with it: git switch %s", branch),
		}
	}
	return err
}

func (p Program) checkBranchName(ctx context.Context, name string) error {
	good, err := p.says(ctx, Command{}, "check-ref-format", branches+name)
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

func (p Program) hasBranch(ctx context.Context, name string) (bool, error) {
	return p.says(ctx, Command{}, "show-ref", "--verify", "--quiet", branches+name)
}

// whereBranch tells whether a branch exists, and which work tree is on it.
func (p Program) whereBranch(ctx context.Context, name string) (exists bool, where string, err error) {
	out, err := p.Run(ctx, "for-each-ref", "--format=%(worktreepath)", branches+name)
	return len(out) > 0, strings.TrimSuffix(string(out), "\n"), err
}

// Since lists the commits that HEAD has and an earlier one had not, the newest
// first, each as its short id and its subject; at most a hundred. With no earlier
// one it is every commit, and on a branch without a commit there are none.
func (t *Tree) Since(ctx context.Context, earlier string) ([]string, error) {
	if !t.isGit {
		return nil, nil
	}
	head, err := t.git.line(ctx, Command{}, "rev-parse", "-q", "--verify", "HEAD")
	if err != nil || head == "" {
		return nil, err
	}
	args := []string{"-c", "log.showSignature=false", "log", "--format=%h %s", "--max-count=100", head}
	if earlier != "" {
		args = append(args, "--not", earlier)
	}
	out, err := t.git.Run(ctx, append(args, "--")...)
	if err != nil {
		return nil, err
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' }), nil
}
