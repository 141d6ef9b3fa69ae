package history

import (
	"cmp"
	"context"
	"slices"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/request"
)

// Touched is a file that is not what it was before the run, and who changed it. Its
// JSON names are a promise to scripts.
type Touched struct {
	loop.PathChange
	Iterations []int    `json:"iterations,omitempty"` // that changed it
	Tasks      []string `json:"tasks,omitempty"`      // of the plan, which these ticked off
}

// Touched lists what the run came to, file by file: what is not as it was before,
// however often it was changed in between.
func (h *History) Touched(ctx context.Context) ([]Touched, error) {
	first, err := h.At(ctx, 0)
	if err != nil {
		return nil, err
	}
	here, err := h.Here(ctx)
	if err != nil {
		return nil, err
	}
	net, err := h.Kept.Changes(ctx, first, here)
	if err != nil {
		return nil, err
	}
	list := make([]Touched, len(net.Paths))
	by := map[string]*Touched{}
	for i, p := range net.Paths {
		list[i].PathChange = p
		by[p.Path] = &list[i]
		if p.From != "" {
			by[p.From] = &list[i]
		}
	}
	for e, err := range h.runs.Read(h.entry.Name, journal.Reading{Types: []loop.Type{"iteration.finished"}, Brief: true}) {
		if err != nil {
			return nil, err
		}
		if f, ok := e.Payload.(*loop.IterationFinished); ok {
			h.credit(by, e, &f.Outcome)
		}
	}
	return list, nil
}

// credit notes which files an attempt has changed, and for which tasks.
func (h *History) credit(by map[string]*Touched, e loop.Event, o *loop.Outcome) {
	var paths []loop.PathChange
	if made, err := journal.ReadChanges(h.runs.AttemptDir(h.entry.Name, e.Iter, e.Attempt)); err == nil {
		paths = made.Changes.Paths
	} else if o.Changes != nil { // the first of them
		paths = o.Changes.Paths
	}
	for _, p := range paths {
		for _, name := range []string{p.Path, p.From} {
			t := by[name]
			if t == nil {
				continue
			}
			if !slices.Contains(t.Iterations, e.Iter) {
				t.Iterations = append(t.Iterations, e.Iter)
			}
			if o.Plan == nil {
				continue
			}
			for _, task := range o.Plan.Ticked {
				if !slices.Contains(t.Tasks, task) {
					t.Tasks = append(t.Tasks, task)
				}
			}
		}
	}
}

// Rest is what a file of a run holds once some of its changes are dropped.
type Rest struct {
	Path    string
	Content []byte
}

// Drop puts files of a run back as they were before it, and takes parts out of
// others, and leaves all else as it is, if confirm agrees. What was there is kept as
// a checkpoint, as with RollBack, which can bring it back.
func (h *History) Drop(ctx context.Context, files []Touched, rests []Rest, confirm func(loop.Changes) bool) (*Undone, error) {
	first, err := h.At(ctx, 0)
	if err != nil {
		return nil, err
	}
	restored := &loop.CheckpointRestored{Why: "a person dropped changes of the run"}
	for _, f := range files {
		restored.Dropped = append(restored.Dropped, f.Path)
		if f.From != "" {
			restored.Dropped = append(restored.Dropped, f.From)
		}
	}
	for _, r := range rests {
		restored.Cut = append(restored.Cut, r.Path)
	}
	begun := &unfinished{Drop: &dropping{Paths: restored.Dropped, Rests: rests}}
	var since []string
	undone, err := h.putBack(ctx, restored, begun, confirm, func() (to, left checkpoint.Checkpoint, err error) {
		work, err := h.Here(ctx)
		if err != nil {
			return to, left, err
		}
		now, err := h.Kept.Checkpoint(ctx)
		if err != nil {
			return to, left, err
		}
		made, err := h.Kept.Trees().Paths(ctx, work.Tree)
		if err != nil {
			return to, left, err
		}
		there, err := h.Kept.Trees().Paths(ctx, now.Tree)
		if err != nil {
			return to, left, err
		}
		for _, path := range restored.Dropped {
			if name := h.Tree.Prefix() + path; made[name] != there[name] {
				since = append(since, path)
			}
		}
		patches, err := h.patches(made, there, rests)
		if err != nil {
			return to, left, err
		}
		if left, err = h.Kept.With(ctx, work, first, restored.Dropped, patches...); err != nil {
			return to, left, err
		}
		to, err = h.Kept.With(ctx, now, first, restored.Dropped, patches...)
		return to, left, err
	})
	if undone != nil {
		undone.Since = since
	}
	return undone, err
}

// patches are the files of which a part goes. One that somebody has changed since
// is theirs to change.
func (h *History) patches(made, there map[string]checkpoint.File, rests []Rest) ([]checkpoint.Patch, error) {
	var list []checkpoint.Patch
	for _, r := range rests {
		name := h.Tree.Prefix() + r.Path
		if made[name] != there[name] {
			return nil, &request.UsageError{
				What: r.Path + " was changed since the run, so no part of it is dropped",
				Hint: "edit it yourself, or drop all of it: refrain review " + h.entry.Name + " --drop " + r.Path,
			}
		}
		content := r.Content
		if content == nil {
			content = []byte{}
		}
		list = append(list, checkpoint.Patch{Path: r.Path, File: there[name], Content: content})
	}
	return list, nil
}

// Both is what a file held before the run and what the run left in it; nil for a file
// that was not there, and for what is no plain file.
func (h *History) Both(ctx context.Context, f Touched) (was, is []byte, err error) {
	first, err := h.At(ctx, 0)
	if err != nil {
		return nil, nil, err
	}
	here, err := h.Here(ctx)
	if err != nil {
		return nil, nil, err
	}
	read := func(c checkpoint.Checkpoint, path string) ([]byte, error) {
		there, err := h.Kept.Trees().Paths(ctx, c.Tree)
		if err != nil {
			return nil, err
		}
		file := there[h.Tree.Prefix()+path]
		if !file.There() || file.Link() || file.Mode == git.Gitlink {
			return nil, nil
		}
		return h.Kept.Trees().Read(ctx, file)
	}
	if was, err = read(first, cmp.Or(f.From, f.Path)); err == nil {
		is, err = read(here, f.Path)
	}
	return was, is, err
}
