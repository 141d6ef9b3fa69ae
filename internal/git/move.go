package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/text"
)

// Mover moves branches of a work tree's repository to commits that were made apart.
type Mover struct{ tree *Tree }

// Goal is a branch that commits are made for.
type Goal struct {
	Branch string // empty: HEAD is at a commit and no branch
	Tip    string // where it is; empty for a branch that is not there yet
	At     string // the root of the work tree that is on it; empty for none
	Here   bool   // which is this one
	New    bool   // it is made, and where Here is set this work tree goes over to it
	From   string // where HEAD is, for a new one
	Was    string // and the branch that it is on
}

// Here is what is checked out here.
func (m Mover) Here(ctx context.Context) (Goal, error) {
	if !m.tree.isGit {
		return Goal{}, refuseWithoutGit(m.tree.dir)
	}
	branch, err := m.tree.Branch(ctx)
	if err != nil {
		return Goal{}, err
	}
	tip, err := m.tree.git.commit(ctx, "HEAD")
	return Goal{Branch: branch, Tip: tip, At: m.tree.Top(), Here: true}, err
}

// Branch is a branch that is there.
func (m Mover) Branch(ctx context.Context, name string) (Goal, error) {
	here, err := m.Here(ctx)
	if err != nil || here.Branch == name {
		return here, err
	}
	exists, at, err := m.tree.git.whereBranch(ctx, name)
	if err != nil {
		return Goal{}, err
	}
	if !exists {
		return Goal{}, &RefusedError{what: fmt.Sprintf("there is no branch %q", name), hint: fmt.Sprintf("name one that \"git branch\" lists, or make it with --branch %s", name)}
	}
	tip, err := m.tree.git.commit(ctx, branches+name)
	return Goal{Branch: name, Tip: tip, At: filepath.FromSlash(at)}, err
}

// New is a branch that is made.
func (m Mover) New(ctx context.Context, name string) (Goal, error) {
	here, err := m.Here(ctx)
	if err != nil {
		return here, err
	}
	if err := m.tree.git.checkBranchName(ctx, name); err != nil {
		return here, err
	}
	exists, err := m.tree.git.hasBranch(ctx, name)
	if err != nil {
		return here, err
	}
	if exists || here.Branch == name {
		return here, &RefusedError{what: fmt.Sprintf("there is a branch %q already", name), hint: fmt.Sprintf("choose another name, or add to it with --onto %s", name)}
	}
	return Goal{Branch: name, New: true, Here: true, At: here.At, From: here.Tip, Was: here.Branch}, nil
}

// Can refuses a goal that must not be moved now: something is under way in its
// work tree.
func (m Mover) Can(ctx context.Context, g Goal) error {
	switch {
	case g.At == "":
		return nil
	case g.Here:
		return m.tree.settled(ctx)
	}
	return m.tree.at(g.At).settled(ctx)
}

// Staged is a staged file that the index would lose on its way to a commit, empty for
// none: it is neither what the commit has nor what the work tree has.
func (m Mover) Staged(ctx context.Context, g Goal, to string) (string, error) {
	if !g.Here {
		return "", nil // git itself looks, before it touches a file
	}
	closed, err := m.tree.git.unfiltered(ctx)
	if err != nil {
		return "", err
	}
	count := map[string]int{}
	for _, from := range [][]string{{"--cached"}, {"--cached", to}, {}} {
		args := slices.Concat([]string{"diff", "--name-only", "-z", "--no-renames", "--ignore-submodules=dirty", "--no-ext-diff", "--no-textconv"}, from, []string{"--"})
		out, err := m.tree.git.RunWith(ctx, closed, args...)
		if err != nil {
			return "", err
		}
		for _, name := range SplitNUL(out) {
			count[name]++
		}
	}
	before := g.Tip
	if g.New {
		before = g.From
	}
	paths, err := m.tree.git.differing(ctx, before, to)
	for _, name := range paths {
		if count[name] == 3 {
			return name, err
		}
	}
	return "", err
}

// Move brings a goal to a commit, in one step: the branch, and the work tree that is
// on it, unless it is this one, whose index has to GoOver or Follow. A branch that is
// no longer where it was is refused, and so is a work tree whose own changes would be
// overwritten, or whose index is locked; then nothing has changed.
func (m Mover) Move(ctx context.Context, g Goal, to, why string) error {
	refused := func(err error) error {
		var failed *Error
		if errors.As(err, &failed) {
			return &RefusedError{what: fmt.Sprintf("%s was not moved: %s", g.Name(), strings.TrimPrefix(text.Fold(failed.complaint), "error: ")), hint: "no commit was made; mend that, and try again"}
		}
		return err
	}
	if g.At != "" && !g.Here {
		// The commits have passed their hooks. What the run has put in the place of
		// others would come with them, and run.
		there := m.tree.at(g.At)
		return refused(there.git.runHooks(context.WithoutCancel(ctx), Command{}, "-c", "core.hooksPath="+os.DevNull, "merge", "-q", "--ff-only", to))
	}
	ref, old := branches+g.Branch, g.Tip
	if g.Branch == "" {
		ref = "HEAD"
	}
	if old == "" {
		old = strings.Repeat("0", len(to))
	}
	if g.Here {
		if err := m.tree.git.indexUnlocked(ctx); err != nil {
			return err
		}
	}
	if err := straight(ctx, m.tree.git, writtenFor(g.Branch)...); err != nil {
		return err
	}
	_, err := m.tree.git.RunWith(context.WithoutCancel(ctx), Command{writes: true}, "update-ref", "--no-deref", "--create-reflog", "-m", why, ref, to, old)
	return refused(err)
}

// GoOver makes a branch the one that is checked out, and leaves the files as they
// are.
func (m Mover) GoOver(ctx context.Context, branch, before, to, why string) error {
	if err := straight(ctx, m.tree.git, writtenFor(branch)...); err != nil {
		return err
	}
	if _, err := m.tree.git.RunWith(ctx, Command{writes: true}, "symbolic-ref", "-m", why, "HEAD", branches+branch); err != nil {
		return err
	}
	return m.Follow(ctx, before, to)
}

// Named is where a branch is, empty for none.
func (m Mover) Named(ctx context.Context, branch string) (string, error) {
	return m.tree.git.commit(ctx, branches+branch)
}

// Follow brings the index to a commit that HEAD has moved to, and only the paths in
// which it differs from the one before.
func (m Mover) Follow(ctx context.Context, before, to string) error {
	return m.tree.git.followCommit(ctx, before, to, true)
}

// At tells where HEAD is now, empty before the first commit.
func (m Mover) At(ctx context.Context) (string, error) { return m.tree.git.commit(ctx, "HEAD") }

// Name is the goal for people.
func (g Goal) Name() string {
	if g.Branch == "" {
		return "HEAD"
	}
	return g.Branch
}

// Holds tells whether a commit, or one before it, is another.
func (m Mover) Holds(ctx context.Context, commit, other string) (bool, error) {
	if other == "" || commit == other {
		return true, nil
	}
	return m.tree.git.says(ctx, Command{}, "merge-base", "--is-ancestor", other, commit)
}

// Shared tells whether commits since another are on a remote, as far as this
// repository knows.
func (m Mover) Shared(ctx context.Context, since, until string) (bool, error) {
	args := []string{"rev-list", "--count", until}
	if since != "" {
		args = append(args, "^"+since)
	}
	all, err := m.tree.git.Run(ctx, append(args, "--")...)
	if err != nil {
		return false, err
	}
	own, err := m.tree.git.Run(ctx, append(args, "--not", "--remotes", "--")...)
	return string(all) != string(own), err
}

// KeepRef keeps a commit that no branch will have, under a name of ours that none of
// git's own lists show, and gives that.
func (m Mover) KeepRef(ctx context.Context, name, commit string) (string, error) {
	for n := 1; ; n++ {
		ref := "refs/refrain/before/" + name
		if n > 1 {
			ref += fmt.Sprintf("-%d", n)
		}
		have, err := m.tree.git.commit(ctx, ref)
		if err != nil || have == commit {
			return ref, err
		}
		if have == "" {
			if err := straight(ctx, m.tree.git, ref, "packed-refs"); err != nil {
				return ref, err
			}
			_, err := m.tree.git.RunWith(ctx, Command{writes: true}, "update-ref", ref, commit)
			return ref, err
		}
	}
}
