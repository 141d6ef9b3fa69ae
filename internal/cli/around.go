package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/plan"
	"github.com/refrain-loop/refrain/internal/tui"
	"github.com/refrain-loop/refrain/internal/view"
)

// surround gives a full-screen view what stands around a run: its plan, and the other
// runs that are alive.
func surround(o *tui.Options, store journal.Store) {
	o.Tasks = func(_ context.Context, run string) ([]tui.Task, error) { return tasksOf(store, run) }
	o.Runs = func(context.Context) ([]tui.LiveRun, error) { return liveRuns(store) }
}

// tasksOf are the tasks of a run's plan as they stand in its work tree now; none when
// it has no plan.
func tasksOf(store journal.Store, run string) ([]tui.Task, error) {
	entry, err := store.Load(run)
	if err != nil {
		return nil, err
	}
	var settings map[string]config.Stored
	if err := json.Unmarshal(entry.Config, &settings); err != nil {
		return nil, fmt.Errorf("read the settings of %s: %w", run, err)
	}
	var path string
	if err := json.Unmarshal(settings["done.plan"].Value, &path); err != nil || path == "" {
		return nil, nil
	}
	named := files.Named{Path: filepath.FromSlash(path)}
	if !filepath.IsAbs(named.Path) {
		named.Path, named.Tree = filepath.Join(entry.Tree, named.Path), entry.Tree
	}
	list, err := plan.Read(named)
	if err != nil {
		return nil, err
	}
	tasks := make([]tui.Task, 0, len(list))
	for _, t := range list {
		tasks = append(tasks, tui.Task{Title: t.Title(), Text: strings.Repeat("  ", t.Depth) + t.Title(), Done: t.Status == plan.Done, Doing: t.Status == plan.InProgress})
	}
	return tasks, nil
}

// liveRuns are the live runs of this user, those of the repository first.
func liveRuns(here journal.Store) ([]tui.LiveRun, error) {
	all, err := everyLive()
	if err != nil {
		return nil, err
	}
	var list, others []tui.LiveRun
	for _, r := range all {
		run := lookAt(r.Store, r.Entry)
		said := tui.LiveRun{Name: r.Name, Tree: r.Tree, State: view.People(run.State, run.Level()), At: atOf(run)}
		if r.Store.Dir == here.Dir {
			list = append(list, said)
		} else {
			others = append(others, said)
		}
	}
	return append(list, others...), nil
}

// atOf is the iteration that a live run is at, of how many.
func atOf(run *view.Run) string {
	if run.Max() > 0 {
		return fmt.Sprintf("%d/%d", run.Iteration, run.Max())
	}
	return fmt.Sprint(run.Iteration)
}

// goBack has a full-screen view go on with a run that is over, and put files back. Both
// are done by the commands of that name, which look at everything that matters.
func goBack(o *tui.Options, tree string) {
	self := func(ctx context.Context, args ...string) (*exec.Cmd, error) {
		program, err := os.Executable()
		if err != nil {
			return nil, err
		}
		return exec.CommandContext(ctx, program, append([]string{"-C", tree}, args...)...), nil
	}
	o.Resume = func(run string, changed ...string) (*exec.Cmd, error) {
		args := []string{"resume", run, "--detach"}
		for _, c := range changed {
			args = append(args, "--set", c)
		}
		return self(context.Background(), args...)
	}
	o.Review = func(run string) (*exec.Cmd, error) { return self(context.Background(), "review", run) }
	o.RollBack = func(ctx context.Context, run string, iteration int) (string, error) {
		cmd, err := self(ctx, "rollback", fmt.Sprintf("%s/%d", run, iteration), "--yes")
		if err != nil {
			return "", err
		}
		out, err := cmd.CombinedOutput()
		said := strings.Split(strings.TrimSpace(string(out)), "\n")
		if err != nil {
			return "", errors.New(strings.TrimPrefix(said[0], "refrain: "))
		}
		return strings.Join(said, "; "), nil
	}
}
