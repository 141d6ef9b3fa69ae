package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/refrain-loop/refrain/internal/config"
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
	return nil, w, errors.Join(err, here.files.RemoveWorktree(context.WithoutCancel(ctx), w, true))
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
