package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/repo"
)

// PrepareWorktree makes a new work tree beside the repository around dir, and
// gets a request ready there. Everything is checked here first, and a work tree
// that turns out to be of no use is taken away again.
func PrepareWorktree(ctx context.Context, dir, name string, req Request) (*Job, repo.Worktree, error) {
	here, err := Prepare(ctx, dir, req)
	if err != nil {
		return nil, repo.Worktree{}, err
	}
	if !here.files.Git() {
		return nil, repo.Worktree{}, &UsageError{What: "--worktree needs git, and this folder is in no repository", Hint: "run \"git init\" here, or leave it out"}
	}
	w, err := here.files.AddWorktree(ctx, name)
	if err != nil {
		return nil, w, &UsageError{What: err.Error(), Hint: hintOf(err)}
	}
	if err = sameSettings(here.Tree, w.Work); err == nil {
		var job *Job
		if job, err = Prepare(ctx, w.Work, req); err == nil {
			return job, w, nil
		}
	}
	return nil, w, errors.Join(err, here.files.RemoveWorktree(context.WithoutCancel(ctx), w, false))
}

// sameSettings refuses settings that are not committed: the new work tree would
// quietly run with others.
func sameSettings(here, there string) error {
	mine, err := os.ReadFile(filepath.Join(here, config.FileName))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the settings: %w", err)
	}
	theirs, err := os.ReadFile(filepath.Join(there, config.FileName))
	if err == nil && bytes.Equal(mine, theirs) {
		return nil
	}
	return &UsageError{
		What: config.FileName + " is not committed as it is, so the new work tree would run with other settings",
		Hint: "commit it first",
	}
}

// Worktrees lists the work trees that runs were given of their own.
func Worktrees(ctx context.Context, dir string) ([]repo.Worktree, error) {
	tree, err := repo.Open(ctx, dir, nil)
	if err != nil || !tree.Git() {
		return nil, err
	}
	return tree.Worktrees(ctx)
}

// DropWorktree removes a work tree that no live run is using: one whose work is
// merged, or any when forced; then its branch stays. A reason not to is a
// *repo.KeptError.
func DropWorktree(ctx context.Context, runs journal.Store, w repo.Worktree, force bool) error {
	if h, held := (journal.Store{Dir: runs.Dir, Tree: w.Work}).Holder(); held {
		return &journal.HeldError{Holder: h}
	}
	tree, err := repo.Open(ctx, runs.Tree, nil)
	if err != nil {
		return err
	}
	return tree.RemoveWorktree(ctx, w, force)
}

// DropProof removes the clean checkout of a run whose records are deleted.
func DropProof(entry journal.Entry) error { return dropProof(entry.Tree, entry.ID) }
