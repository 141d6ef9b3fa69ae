package app

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/prompt"
	"github.com/refrain-loop/refrain/internal/request"
)

// PrepareWorktree makes a new work tree beside the repository around dir, and
// gets a request ready there. Everything is checked here first, and a work tree
// that turns out to be of no use is taken away again.
func PrepareWorktree(ctx context.Context, dir, name string, req request.Request) (*Job, git.Worktree, error) {
	here, err := Prepare(ctx, dir, req)
	if err != nil {
		return nil, git.Worktree{}, err
	}
	if !here.files.Git() {
		return nil, git.Worktree{}, &request.UsageError{What: "--worktree needs git, and this folder is in no repository", Hint: "run \"git init\" here, or leave it out"}
	}
	w, err := here.files.Worktrees().Through(here.agency.elsewhere).Add(ctx, name, here.Config().Git.Branch.Name)
	if err != nil {
		return nil, w, &request.UsageError{What: err.Error(), Hint: request.HintOf(err)}
	}
	if err = committedAs(ctx, here, w.Work); err == nil {
		var job *Job
		if job, err = Prepare(ctx, w.Work, req); err == nil {
			if branch := &job.Settings.Config.Git.Branch; branch.New {
				branch.Name = w.Branch // a second one would leave this one behind
			}
			return job, w, nil
		}
	}
	return nil, w, errors.Join(err, here.files.Worktrees().Remove(context.WithoutCancel(ctx), w, true))
}

// maxCompared is more than any prompt, plan or file of settings may have.
const maxCompared = 64 << 20

// committedAs refuses settings, a prompt or a plan that is not committed as it is:
// the new work tree would quietly run with another one, or with none.
func committedAs(ctx context.Context, here *Job, there string) error {
	for _, name := range append([]string{config.FileName, here.Config().Done.Plan}, promptFiles(here.prompt)...) {
		if name == "" || filepath.IsAbs(name) {
			continue
		}
		mine, err := files.ReadFile(ctx, filepath.Join(here.Tree, name), maxCompared)
		if err != nil {
			continue // one that is needed and missing was refused before
		}
		theirs, err := files.ReadFile(ctx, filepath.Join(there, name), maxCompared)
		if err != nil || !bytes.Equal(mine, theirs) {
			return &request.UsageError{
				What: name + " is not committed as it is, so the new work tree would run with another one",
				Hint: "commit it first",
			}
		}
	}
	return nil
}

// promptFiles are the files of the work tree that the prompt is made of.
func promptFiles(b *prompt.Builder) []string {
	var list []string
	if b != nil {
		for _, p := range b.Pieces {
			list = append(list, p.Path)
		}
	}
	return list
}
