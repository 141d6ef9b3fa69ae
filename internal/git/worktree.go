package git

import (
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

// mark is a file in the folder that git keeps for a linked work tree. It says
// that we made the work tree, and names its branch; git moves, repairs and
// deletes it together with the rest.
const mark = "refrain"

// AddWorktree makes the work tree REPOSITORY-NAME beside the repository, with
// the branch loop/NAME checked out: a new one at HEAD, or one that was left. An
// empty name is made up.
func (t *Tree) AddWorktree(ctx context.Context, name string) (Worktree, error) {
	if !t.isGit {
		return Worktree{}, refuseWithoutGit(t.dir)
	}
	head, err := t.git.commit(ctx, "HEAD")
	if err != nil {
		return Worktree{}, err
	}
	if head == "" {
		return Worktree{}, &RefusedError{
			what: "there is no commit yet that a work tree could begin with",
			hint: `make the first one with "git commit"`,
		}
	}
	w, err := t.placeWorktree(ctx, name)
	if err != nil {
		return Worktree{}, err
	}
	reuse, err := t.claim(ctx, w)
	if err != nil {
		return Worktree{}, err
	}
	args := []string{"worktree", "add", "-q", "--no-track", "-b", w.Branch, w.Dir, head}
	if reuse {
		args = []string{"worktree", "add", "-q", w.Dir, w.Branch}
	}
	err = t.git.runHooks(ctx, Command{}, args...)
	if err == nil {
		err = t.markWorktree(ctx, w)
	}
	if err != nil {
		return Worktree{}, errors.Join(err, t.undoWorktree(context.WithoutCancel(ctx), w, reuse))
	}
	return w, nil
}

// placeWorktree says where the work tree of a name goes.
func (t *Tree) placeWorktree(ctx context.Context, name string) (Worktree, error) {
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
	root, err := t.git.top(ctx)
	if err != nil {
		return Worktree{}, err
	}
	w := t.worktreeAt(root+"-"+name, "loop/"+name)
	return w, t.checkBranchName(ctx, w.Branch)
}

func (t *Tree) worktreeAt(dir, branch string) Worktree {
	return Worktree{Dir: dir, Work: filepath.Join(dir, filepath.FromSlash(t.prefix)), Branch: branch}
}

// claim makes the folder of a work tree, unless folder or branch are taken, and
// tells whether the branch exists. Of two who claim the same at once, one gets
// it, and the other must not clean up after itself in there.
func (t *Tree) claim(ctx context.Context, w Worktree) (exists bool, err error) {
	exists, where, err := t.whereBranch(ctx, w.Branch)
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

// whereBranch tells whether a branch exists, and which work tree is on it.
func (t *Tree) whereBranch(ctx context.Context, name string) (exists bool, where string, err error) {
	out, err := t.git.Run(ctx, "for-each-ref", "--format=%(worktreepath)", branches+name)
	return len(out) > 0, strings.TrimSuffix(string(out), "\n"), err
}

func (t *Tree) markWorktree(ctx context.Context, w Worktree) error {
	git, err := t.at(w.Dir).git.folder(ctx)
	if err != nil {
		return err
	}
	if err := files.Replace(filepath.Join(git, mark), []byte(w.Branch+"\n"), 0o600, files.NoSync); err != nil {
		return fmt.Errorf("mark work tree %s: %w", w.Dir, err)
	}
	return nil
}

// undoWorktree takes away what is there of a work tree that could not be made.
func (t *Tree) undoWorktree(ctx context.Context, w Worktree, keepBranch bool) error {
	var failed []error
	if err := os.Remove(w.Dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		// Forced once for its files, and once more for git's own lock on it.
		_, err := t.git.Run(ctx, "worktree", "remove", "--force", "--force", w.Dir)
		failed = append(failed, err)
	}
	exists, err := t.hasBranch(ctx, w.Branch)
	failed = append(failed, err)
	if exists && !keepBranch {
		_, err := t.git.Run(ctx, "branch", "-q", "-D", w.Branch)
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

// at is the tree at another folder, the root of a work tree.
func (t *Tree) at(dir string) *Tree {
	there := *t
	there.dir, there.prefix, there.git = dir, "", t.git.In(dir)
	there.git.above = filepath.Dir(dir)
	return &there
}
