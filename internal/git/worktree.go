package git

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/files"
)

// Worktrees makes work trees for loops, beside the repository of a tree, and removes
// them.
type Worktrees struct {
	tree *Tree
	exec func(dir string) Exec // who runs what the user's hooks start in a new one; nil: the tree's own
}

// Worktree is a work tree beside the repository, made for a loop.
type Worktree struct {
	Dir    string // its root
	Work   string // the folder in it that is what the tree's own is here
	Branch string // made for it; the agent may have left it since

	Unmerged    int  // commits on its branch, or at its HEAD, that the main work tree lacks
	Uncommitted int  // changed and new files
	Gone        bool // the folder was deleted by hand

	head string // the commit that it is at, if any
}

// Merged tells whether the main work tree, or the branch that this follows, has
// every commit.
func (w Worktree) Merged() bool { return w.Unmerged == 0 }

// Dirty tells whether files are not committed.
func (w Worktree) Dirty() bool { return w.Uncommitted > 0 }

// Unsaved says what only this work tree has, empty for nothing.
func (w Worktree) Unsaved() string {
	var what []string
	if n := w.Uncommitted; n > 0 {
		what = append(what, plural(n, "file is", "files are")+" not committed")
	}
	if n := w.Unmerged; n > 0 {
		what = append(what, plural(n, "commit is", "commits are")+" not merged")
	}
	return strings.Join(what, ", ")
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// markFile is a file in the folder that git keeps for a linked work tree. It says
// that we made the work tree, and names its branch; git moves, repairs and
// deletes it together with the rest.
const markFile = "refrain"

// Add makes the work tree REPOSITORY-NAME beside the repository, with a branch
// checked out: a new one at HEAD, or without a name for it loop/NAME, which may be
// one that was left. An empty name of the work tree is made up.
func (k Worktrees) Add(ctx context.Context, name, branch string) (Worktree, error) {
	if !k.tree.isGit {
		return Worktree{}, refuseWithoutGit(k.tree.dir)
	}
	head, err := k.tree.git.commit(ctx, "HEAD")
	if err != nil {
		return Worktree{}, err
	}
	if head == "" {
		return Worktree{}, &RefusedError{
			what: "there is no commit yet that a work tree could begin with",
			hint: `make the first one with "git commit"`,
		}
	}
	w, err := k.place(ctx, name, branch)
	if err != nil {
		return Worktree{}, err
	}
	if branch != "" {
		if err := k.tree.git.refuseKnown(ctx, branch); err != nil {
			return Worktree{}, err
		}
	}
	reuse, err := k.claim(ctx, w)
	if err != nil {
		return Worktree{}, err
	}
	if err := straight(ctx, k.tree.git, append(writtenFor(w.Branch), "worktrees")...); err != nil {
		return Worktree{}, err
	}
	// Its hook runs when there is a place to hold it in.
	args := []string{"-c", "core.hooksPath=" + os.DevNull, "worktree", "add", "-q", "--no-track", "-b", w.Branch, w.Dir, head}
	if reuse {
		args = []string{"-c", "core.hooksPath=" + os.DevNull, "worktree", "add", "-q", w.Dir, w.Branch}
	}
	err = k.tree.git.runHooks(ctx, Command{}, args...)
	if err == nil {
		err = k.mark(ctx, w)
	}
	if err == nil {
		err = k.hook(ctx, w)
	}
	if err != nil {
		return Worktree{}, errors.Join(err, k.undo(context.WithoutCancel(ctx), w, reuse))
	}
	return w, nil
}

// hook runs what the user has git run after a checkout, in the new work tree. An agent
// may have written it, so it is held as a commit is.
func (k Worktrees) hook(ctx context.Context, w Worktree) error {
	there := k.tree.at(w.Dir)
	if k.exec != nil {
		there = there.Through(k.exec(w.Dir))
	}
	head, err := there.git.commit(ctx, "HEAD")
	if err != nil {
		return err
	}
	return there.git.runHooks(ctx, Command{}, "hook", "run", "--ignore-missing", "post-checkout", "--", strings.Repeat("0", len(head)), head, "1")
}

// Through has what the user's hooks start in a new work tree be run by whom exec names
// for its folder.
func (k Worktrees) Through(exec func(dir string) Exec) Worktrees {
	k.exec = exec
	return k
}

// place says where the work tree of a name goes.
func (k Worktrees) place(ctx context.Context, name, branch string) (Worktree, error) {
	if name == "" {
		// Names of one day differ by chance, one in a billion.
		name = time.Now().Format("20060102-") + strings.ToLower(rand.Text()[:6])
	}
	if strings.ContainsAny(name, `/\`) {
		return Worktree{}, &RefusedError{
			what: fmt.Sprintf("%q cannot be the name of a work tree: it would be in another folder", name),
			hint: "leave out the slashes",
		}
	}
	root, err := k.tree.git.top(ctx)
	if err != nil {
		return Worktree{}, err
	}
	w := k.at(root+"-"+name, cmp.Or(branch, "loop/"+name))
	return w, k.tree.git.checkBranchName(ctx, w.Branch)
}

func (k Worktrees) at(dir, branch string) Worktree {
	return Worktree{Dir: dir, Work: filepath.Join(dir, filepath.FromSlash(k.tree.prefix)), Branch: branch}
}

// claim makes the folder of a work tree, unless folder or branch are taken, and
// tells whether the branch exists. Of two who claim the same at once, one gets
// it, and the other must not clean up after itself in there.
func (k Worktrees) claim(ctx context.Context, w Worktree) (exists bool, err error) {
	exists, where, err := k.tree.git.whereBranch(ctx, w.Branch)
	if err != nil {
		return false, err
	}
	if where != "" {
		return false, &RefusedError{
			what: fmt.Sprintf("the branch %q is in use at %s", w.Branch, where),
			hint: `choose another name; if that folder is no more, run "git worktree prune"`,
		}
	}
	err = os.Mkdir(w.Dir, 0o777)
	if errors.Is(err, fs.ErrExist) {
		return false, &RefusedError{
			what: "there is something at " + w.Dir + " already",
			hint: "choose another name, or go on in there with -C " + w.Dir,
		}
	}
	if err != nil {
		return false, fmt.Errorf("make work tree: %w", err)
	}
	return exists, nil
}

func (k Worktrees) mark(ctx context.Context, w Worktree) error {
	git, err := k.tree.at(w.Dir).git.folder(ctx)
	if err != nil {
		return err
	}
	if err := files.Replace(filepath.Join(git, markFile), []byte(w.Branch+"\n"), 0o600, files.NoSync); err != nil {
		return fmt.Errorf("mark work tree %s: %w", w.Dir, err)
	}
	return nil
}

// undo takes away what is there of a work tree that could not be made.
func (k Worktrees) undo(ctx context.Context, w Worktree, keepBranch bool) error {
	var failed []error
	if err := os.Remove(w.Dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		// Forced once for its files, and once more for git's own lock on it.
		_, err := k.tree.git.Run(ctx, "worktree", "remove", "--force", "--force", w.Dir)
		failed = append(failed, err)
	}
	exists, err := k.tree.git.hasBranch(ctx, w.Branch)
	failed = append(failed, err)
	if exists && !keepBranch {
		_, err := k.tree.git.Run(ctx, "branch", "-q", "-D", w.Branch)
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}
