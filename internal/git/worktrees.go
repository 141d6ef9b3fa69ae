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

// List lists the work trees that Add made.
func (k Worktrees) List(ctx context.Context) ([]Worktree, error) {
	if !k.tree.isGit {
		return nil, refuseWithoutGit(k.tree.dir)
	}
	common, err := k.tree.git.commonFolder(ctx)
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(common, "worktrees")
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list work trees: %w", err)
	}
	main, err := k.mainCommits(ctx, common)
	if err != nil {
		return nil, err
	}
	var list []Worktree
	for _, e := range entries {
		git := filepath.Join(folder, e.Name())
		w, err := k.readMark(git)
		if errors.Is(err, fs.ErrNotExist) {
			continue // not ours
		}
		if err == nil {
			err = k.inspect(ctx, &w, e.Name(), main)
		}
		if err != nil {
			return nil, fmt.Errorf("look at work tree %s: %w", e.Name(), err)
		}
		list = append(list, w)
	}
	return list, nil
}

// readMark reads which work tree the git folder belongs to, if it is ours.
func (k Worktrees) readMark(git string) (Worktree, error) {
	branch, err := files.ReadFile(context.Background(), filepath.Join(git, markFile), SmallFile)
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
	return k.at(filepath.Dir(entry), strings.TrimSuffix(string(branch), "\n")), nil
}

// inspect finds what would be lost with the work tree that git calls name.
func (k Worktrees) inspect(ctx context.Context, w *Worktree, name string, main []string) error {
	var err error
	if w.head, err = k.tree.git.commit(ctx, "worktrees/"+name+"/HEAD"); err != nil {
		return err
	}
	tip, err := k.tree.git.commit(ctx, branches+w.Branch)
	if err != nil {
		return err
	}
	if w.Unmerged, err = k.lacking(ctx, main, w.head, tip); err != nil {
		return err
	}
	if _, err := os.Lstat(filepath.Join(w.Dir, ".git")); errors.Is(err, fs.ErrNotExist) {
		w.Gone = true
		return nil
	}
	w.Uncommitted, err = k.tree.at(w.Dir).Dirty(ctx)
	return err
}

// lacking counts the commits that are behind the tips and not behind main.
func (k Worktrees) lacking(ctx context.Context, main []string, tips ...string) (int, error) {
	tips = slices.DeleteFunc(tips, func(tip string) bool { return tip == "" })
	if len(tips) == 0 {
		return 0, nil
	}
	args := slices.Concat([]string{"rev-list", "--count"}, tips, []string{"--not"}, main)
	count, err := k.tree.git.line(ctx, Command{}, args...)
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
func (k Worktrees) mainCommits(ctx context.Context, common string) ([]string, error) {
	branch, err := k.tree.git.branch(ctx, Command{Env: []string{"GIT_DIR=" + common}})
	if err != nil {
		return nil, err
	}
	refs := []string{"main-worktree/HEAD"}
	if branch != "" {
		upstream, err := k.tree.git.line(ctx, Command{}, "for-each-ref", "--format=%(upstream)", branches+branch)
		if err != nil {
			return nil, err
		}
		if upstream != "" {
			refs = append(refs, upstream)
		}
	}
	var commits []string
	for _, ref := range refs {
		commit, err := k.tree.git.commit(ctx, ref)
		if err != nil {
			return nil, err
		}
		if commit != "" {
			commits = append(commits, commit)
		}
	}
	return commits, nil
}

// Remove removes a work tree that Add made, if all its work is
// committed and merged, and its branch with it; else a *KeptError says what
// would be lost. One whose work is committed and not merged is removed when
// unmerged says so, and the commits stay on the branch.
func (k Worktrees) Remove(ctx context.Context, w Worktree, unmerged bool) error {
	w, err := k.again(ctx, w.Dir)
	if err != nil {
		return err
	}
	if w.Dirty() || !w.Merged() && !unmerged {
		return &KeptError{w}
	}
	if err := k.removable(ctx, w); err != nil {
		return err
	}
	// Without force, git too looks once more for files that are not committed.
	there := k.tree
	if !w.Gone {
		there = k.tree.at(w.Dir)
	}
	c, err := there.git.unfiltered(ctx)
	if err != nil {
		return err
	}
	if _, err := k.tree.git.RunWith(ctx, c, "worktree", "remove", w.Dir); err != nil {
		return err
	}
	if !w.Merged() {
		return nil
	}
	exists, where, err := k.tree.git.whereBranch(ctx, w.Branch)
	if err != nil || !exists || where != "" {
		return err
	}
	_, err = k.tree.git.Run(ctx, "branch", "-q", "-D", w.Branch)
	return err
}

// again looks at a work tree once more: what was listed may be long ago.
func (k Worktrees) again(ctx context.Context, dir string) (Worktree, error) {
	list, err := k.List(ctx)
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
func (k Worktrees) removable(ctx context.Context, w Worktree) error {
	root, err := k.tree.git.top(ctx)
	if err != nil {
		return err
	}
	if root == w.Dir {
		return &RefusedError{what: w.Dir + " is the work tree that you are in", hint: "remove it from the main one"}
	}
	if w.Merged() || w.head == "" {
		return nil
	}
	holders, err := k.tree.git.line(ctx, Command{}, "for-each-ref", "--count=1", "--contains="+w.head, "refs/heads", "refs/tags", "refs/remotes")
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

// commonFolder is the git folder that all work trees share.
func (p Program) commonFolder(ctx context.Context) (string, error) {
	dir, err := p.line(ctx, Command{}, "rev-parse", "--git-common-dir")
	if dir = filepath.FromSlash(dir); err == nil && !filepath.IsAbs(dir) {
		dir = filepath.Join(p.dir, dir)
	}
	return dir, err
}
