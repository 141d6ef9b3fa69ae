package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/refrain-loop/refrain/internal/hook"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/repo"
)

// guards is what guarded files held when the run began: the protected ones, and
// those that each gate pins.
type guards map[string]repo.Guarded

// changedPins is every pinned file that differs from when the run began.
func (j *Judge) changedPins(ctx context.Context, at repo.Checkpoint) ([]string, error) {
	var list []string
	for _, g := range j.Gates {
		pins, err := j.pinned(ctx, at, g)
		if err != nil {
			return nil, err
		}
		list = append(list, pins...)
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// pinned is the pinned files of a gate that differ: by the checkpoint, or where
// there are none, by what lies there now.
func (j *Judge) pinned(ctx context.Context, at repo.Checkpoint, g Gate) ([]string, error) {
	switch {
	case len(g.Pin) == 0:
		return nil, nil
	case j.Store == nil || !j.Store.CanRestore():
		return j.guardedNow(ctx, g)
	case j.first == nil:
		return nil, fmt.Errorf("the pinned files of gate %s cannot be compared: the first checkpoint is not known", g.Name())
	}
	list, err := j.Store.Pinned(ctx, at, repo.Pin{Patterns: g.Pin, First: *j.first})
	if err != nil {
		return nil, fmt.Errorf("compare the pinned files of gate %s: %w", g.Name(), err)
	}
	return list, nil
}

// changedBeyond is pinned files that differ and that no checkpoint has: git
// ignores them, so nothing can put them back for a proof.
func (j *Judge) changedBeyond(ctx context.Context, at repo.Checkpoint) ([]string, error) {
	var list []string
	for _, g := range j.Gates {
		if len(g.Pin) == 0 {
			continue
		}
		now, err := j.guardedNow(ctx, g)
		if err != nil {
			return nil, err
		}
		kept, err := j.pinned(ctx, at, g)
		if err != nil {
			return nil, err
		}
		for _, name := range now {
			if !slices.Contains(kept, name) {
				list = append(list, name)
			}
		}
	}
	return list, nil
}

// guardedNow is the pinned files that lie there other than they did.
func (j *Judge) guardedNow(ctx context.Context, g Gate) ([]string, error) {
	patterns, err := repo.ParsePatterns(g.Pin)
	if err != nil {
		return nil, err
	}
	now, err := j.Tree.Guard(ctx, patterns)
	if err != nil {
		return nil, err
	}
	return now.Against(j.notes[g.Name()]), nil
}

// guardFrom takes note of protected and pinned files as they are before the
// first iteration; a runner that goes on reads what the first one noted.
func (e *Engine) guardFrom(ctx context.Context) error {
	before := e.Journal.Attempt(0, 1)
	defer before.Close()
	notes := guards{}
	before.ReadGuarded(&notes)
	known := len(notes)
	if e.Accepted {
		delete(notes, hookFiles)
		known = -1
	}
	if _, ok := notes[hookFiles]; !ok {
		files, err := e.hookFiles(ctx)
		if err != nil {
			return err
		}
		notes[hookFiles] = files
	}
	if _, ok := notes[guard]; !ok && len(e.Protect) > 0 {
		files, err := e.Tree.Guard(ctx, e.Protect)
		if err != nil {
			return err
		}
		notes[guard] = files
	}
	for _, g := range e.Judge.Gates {
		if _, ok := notes[g.Name()]; ok || len(g.Pin) == 0 {
			continue
		}
		patterns, err := repo.ParsePatterns(g.Pin)
		if err != nil {
			return err
		}
		files, err := e.Tree.Guard(ctx, patterns)
		if err != nil {
			return err
		}
		if len(files) == 0 {
			e.record(&loop.Warning{Text: fmt.Sprintf("the pin of gate %s matches no file", g.Name()), Hint: "write patterns as in a .gitignore file, from the work tree"})
		}
		notes[g.Name()] = files
	}
	if len(notes) > known {
		before.WriteGuarded(notes)
	}
	e.Judge.Tree, e.Judge.notes = e.Tree, notes
	return nil
}

// hookFiles is under what name the hooks are noted. No gate can be called so.
const hookFiles = "hooks/"

// hookFiles is the files that would be executed as hooks.
func (e *Engine) hookFiles(ctx context.Context) (repo.Guarded, error) {
	patterns, err := repo.ParsePatterns([]string{"/" + hook.Folder + "/"})
	if err != nil {
		return nil, err
	}
	return e.Tree.Guard(ctx, patterns)
}

// strange names the hooks that are not what they were when the run began: an
// agent may have written them, and they would run outside of whatever it is
// held in.
func (e *Engine) strange(ctx context.Context) []string {
	now, err := e.hookFiles(ctx)
	if err != nil {
		return []string{err.Error()}
	}
	return now.Against(e.Judge.notes[hookFiles])
}
