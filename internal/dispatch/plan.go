package dispatch

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/refrain-loop/refrain/internal/cli"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/plan"
	"github.com/refrain-loop/refrain/internal/request"
)

// ofPlan is a run for each task of a plan that is open, and has none below it that is.
func (s *site) ofPlan(ctx context.Context, path string, w wanted) ([]fleet.Spec, error) {
	if w.req.Words != "" || w.req.Prompt != "" || w.req.File != "" {
		return nil, cli.UsageError("the tasks of --plan are what is to be done, and so is what was said", "say what holds for all of them with --context")
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	tasks, err := plan.Read(files.Named{Path: full})
	if err != nil {
		return nil, cli.UsageError(err.Error(), request.HintOf(err))
	}
	rel, err := filepath.Rel(straight(s.place.Store.Tree), straight(full))
	if err != nil || !filepath.IsLocal(rel) {
		rel = path
	}
	var specs []fleet.Spec
	for _, task := range single(tasks) {
		one := w
		one.about = task.Title()
		one.req.Words = fmt.Sprintf("Do this task of %s, and no other:\n\n%s", filepath.ToSlash(rel), task.Text)
		if task.Notes != "" {
			one.req.Words += "\n" + task.Notes
		}
		spec, err := s.spec(ctx, one)
		if err != nil {
			return nil, err
		}
		specs = append(specs, spec)
	}
	if len(specs) == 0 {
		return nil, cli.UsageError("no task of "+path+" is open", "write one like: - [ ] Add an export command")
	}
	return specs, nil
}

// single are the open tasks that are done in one go: those with open ones below them
// are done when these are.
func single(tasks plan.Tasks) plan.Tasks {
	var list plan.Tasks
	for i, t := range tasks {
		if t.Status != plan.Open {
			continue
		}
		parent := false
		for _, below := range tasks[i+1:] {
			if below.Depth <= t.Depth || below.File != t.File {
				break
			}
			parent = parent || below.Status != plan.Done
		}
		if !parent {
			list = append(list, t)
		}
	}
	return list
}
