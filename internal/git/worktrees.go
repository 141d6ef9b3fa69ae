package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
)

// Worktrees lists the work trees that AddWorktree made.
func (t *Tree) Worktrees(ctx context.Context) ([]Worktree, error) {
	if !t.isGit {
		return nil, refuseWithoutGit(t.dir)
	}
	common, err := t.git.commonFolder(ctx)
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(common, "worktrees")
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list work trees: %w", err)
	}
	main, err := t.mainCommits(ctx, common)
	if err != nil {
		return nil, err
	}
	var list []Worktree
	for _, e := range entries {
		git := filepath.Join(folder, e.Name())
		w, err := t.readMark(git)
		if errors.Is(err, fs.ErrNotExist) {
			continue // not ours
		}
		if err == nil {
			err = t.inspect(ctx, &w, e.Name(), main)
		}
		if err != nil {
			return nil, fmt.Errorf("look at work tree %s: %w", e.Name(), err)
		}
		list = append(list, w)
	}
	return list, nil
}

// readMark reads which work tree the git folder belongs to, if it is ours.
func (t *Tree) readMark(git string) (Worktree, error) {
	branch, err := files.ReadFile(context.Background(), filepath.Join(git, mark), SmallFile)
	if err != nil {
		return Worktree{}, err
	}
	link, err := files.ReadFile(context.Background(), filepath.Join(git, "gitdir"), SmallFile)
	if err != nil {
		return Worktree{}, err
	}
	entry := filepath.FromSlash(strings.TrimSuffix(string(link), "\n"))
	if !filepath.IsAbs(entry) {
		entry = filepath.Join(git, entry)
	}
	return t.worktreeAt(filepath.Dir(entry), strings.TrimSuffix(string(branch), "\n")), nil
}

// inspect finds what would be lost with the work tree that git calls name.
func (t *Tree) inspect(ctx context.Context, w *Worktree, name string, main []string) error {
	var err error
	if w.head, err = t.git.commit(ctx, "worktrees/"+name+"/HEAD"); err != nil {
		return err
	}
	tip, err := t.git.commit(ctx, branches+w.Branch)
	if err != nil {
		return err
	}
	if w.Unmerged, err = t.lacking(ctx, main, w.head, tip); err != nil {
		return err
	}
	if _, err := os.Lstat(filepath.Join(w.Dir, ".git")); errors.Is(err, fs.ErrNotExist) {
		w.Gone = true
		return nil
	}
	w.Uncommitted, err = t.at(w.Dir).Dirty(ctx)
	return err
}

// lacking counts the commits that are behind the tips and not behind main.
func (t *Tree) lacking(ctx context.Context, main []string, tips ...string) (int, error) {
	tips = slices.DeleteFunc(tips, func(tip string) bool { return tip == "" })
	if len(tips) == 0 {
		return 0, nil
	}
	args := slices.Concat([]string{"rev-list", "--count"}, tips, []string{"--not"}, main)
	count, err := t.git.line(ctx, Command{}, args...)
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(count)
	if err != nil {
		return 0, fmt.Errorf("count commits: %w", err)
	}
	return n, nil
}

// mainCommits are where the main work tree is and where the branch is that it
// follows, as far as there are such.
func (t *Tree) mainCommits(ctx context.Context, common string) ([]string, error) {
	branch, err := t.branchOf(ctx, Command{Env: []string{"GIT_DIR=" + common}})
	if err != nil {
		return nil, err
	}
	refs := []string{"main-worktree/HEAD"}
	if branch != "" {
		upstream, err := t.git.line(ctx, Command{}, "for-each-ref", "--format=%(upstream)", branches+branch)
		if err != nil {
			return nil, err
		}
		if upstream != "" {
			refs = append(refs, upstream)
		}
	}
	var commits []string
	for _, ref := range refs {
		commit, err := t.git.commit(ctx, ref)
		if err != nil {
			return nil, err
		}
		if commit != "" {
			commits = append(commits, commit)
		}
	}
	return commits, nil
}

// RemoveWorktree removes a work tree that AddWorktree made, if all its work is
// committed and merged, and its branch with it; else a *KeptError says what
// would be lost. One whose work is committed and not merged is removed when
// unmerged says so, and the commits stay on the branch.
func (t *Tree) RemoveWorktree(ctx context.Context, w Worktree, unmerged bool) error {
	w, err := t.again(ctx, w.Dir)
	if err != nil {
		return err
	}
	if w.Dirty() || !w.Merged() && !unmerged {
		return &KeptError{w}
	}
	if err := t.removable(ctx, w); err != nil {
		return err
	}
	// Without force, git too looks once more for files that are not committed.
	there := t
	if !w.Gone {
		there = t.at(w.Dir)
	}
	c, err := there.git.unfiltered(ctx)
	if err != nil {
		return err
	}
	if _, err := t.git.RunWith(ctx, c, "worktree", "remove", w.Dir); err != nil {
		return err
	}
	if !w.Merged() {
		return nil
	}
	exists, where, err := t.whereBranch(ctx, w.Branch)
	if err != nil || !exists || where != "" {
		return err
	}
	_, err = t.git.Run(ctx, "branch", "-q", "-D", w.Branch)
	return err
}

// again looks at a work tree once more: what was listed may be long ago.
func (t *Tree) again(ctx context.Context, dir string) (Worktree, error) {
	list, err := t.Worktrees(ctx)
	if err != nil {
		return Worktree{}, err
	}
	for _, w := range list {
		if w.Dir == dir {
			return w, nil
		}
	}
	return Worktree{}, &RefusedError{
		what: dir + " is not a work tree that was made for a loop",
		hint: fmt.Sprintf("remove your own with: git worktree remove %s", dir),
	}
}

// removable refuses to take away the folder that we stand in, and commits that
// nothing else leads to.
func (t *Tree) removable(ctx context.Context, w Worktree) error {
	root, err := t.git.top(ctx)
	if err != nil {
		return err
	}
	if root == w.Dir {
		return &RefusedError{what: w.Dir + " is the work tree that you are in", hint: "remove it from the main one"}
	}
	if w.Merged() || w.head == "" {
		return nil
	}
	holders, err := t.git.line(ctx, Command{}, "for-each-ref", "--count=1", "--contains="+w.head, "refs/heads", "refs/tags", "refs/remotes")
	if err != nil || holders != "" {
		return err
	}
	return &RefusedError{
		what: fmt.Sprintf("%s is at commit %.12s, which is on no branch", w.Dir, w.head),
		hint: fmt.Sprintf("keep it with: git branch NAME %.12s", w.head),
	}
}

// KeptError says that a work tree was not removed since work would be lost.
type KeptError struct {
	Worktree Worktree
}

func (e *KeptError) Error() string {
	return fmt.Sprintf("%s is kept: %s", e.Worktree.Dir, e.Worktree.Unsaved())
}

// Hint says what to do.
func (e *KeptError) Hint() string {
	return fmt.Sprintf("commit what is in there, and merge %s", e.Worktree.Branch)
}
