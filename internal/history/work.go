package history

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

// step is an attempt whose work is still there: the work tree that it found and the
// one that it left. What happened between the steps was somebody else's doing.
type step struct {
	iter       int
	tasks      []string // of the plan, which it ticked off
	summary    string
	base, left string // checkpoints
	commit     string // that the runner made of it
}

// work is what is left of a run, by what its journal says.
type work struct {
	steps []step
	now   string          // the checkpoint of all of it, without what people wrote since
	gone  map[string]int  // dropped files, by how many steps there were then: what later ones did is there
	cut   map[string]bool // of these, only what is in now

	before map[string]work // as it was when something was put back, by the checkpoint that was kept then
}

// work adds up the journal. What was put back, by the runner or by a person, is not
// there any more; what a person has fetched back is.
func (h *History) work() (work, error) {
	if h.known != nil {
		return h.known.copied(), nil
	}
	w, err := h.readWork()
	if err == nil {
		known := w.copied()
		h.known = &known
	}
	return w, err
}

func (h *History) readWork() (work, error) {
	w := work{now: h.entry.State.FirstCheckpoint, gone: map[string]int{}, cut: map[string]bool{}, before: map[string]work{}}
	undone, commit := false, ""
	for e, err := range h.runs.Read(h.entry.Name, journal.Reading{Brief: true}) {
		if err != nil {
			return w, err
		}
		switch p := e.Payload.(type) {
		case *loop.IterationStarted:
			undone, commit = false, ""
		case *loop.CommitMade:
			commit = p.Commit
		case *loop.CheckpointRestored:
			if e.Iter > 0 { // the ratchet
				undone, w.now = true, p.Checkpoint
				continue
			}
			w.before[p.Kept] = w.copied()
			w = w.putBack(p, h.entry.State.FirstCheckpoint)
		case *loop.IterationFinished:
			o := &p.Outcome
			if undone || o.Checkpoint == "" {
				continue
			}
			s := step{iter: e.Iter, summary: o.Summary, base: w.now, left: o.Checkpoint, commit: commit}
			if o.Plan != nil {
				s.tasks = o.Plan.Ticked
			}
			if made, err := journal.ChangesOf(h.runs.AttemptDir(h.entry.Name, e.Iter, e.Attempt), *o); err == nil && made.Base != "" {
				s.base = made.Base
			}
			w.steps, w.now = append(w.steps, s), o.Checkpoint
		}
	}
	return w, nil
}

func (w work) copied() work {
	w.steps, w.gone, w.cut = slices.Clone(w.steps), maps.Clone(w.gone), maps.Clone(w.cut)
	return w
}

// putBack is what is left once a person has put files back.
func (w work) putBack(p *loop.CheckpointRestored, first string) work {
	was, undo := w.before[p.Checkpoint]
	switch {
	case p.Work != "" && len(p.Dropped)+len(p.Cut) > 0:
		w.now = p.Work
		for _, path := range p.Dropped {
			w.gone[path] = len(w.steps)
			delete(w.cut, path)
		}
		for _, path := range p.Cut {
			w.cut[path] = true
		}
		return w
	case undo && p.Checkpoint != p.Kept:
		return was.copied()
	}
	to := slices.IndexFunc(w.steps, func(s step) bool { return s.left == p.Checkpoint }) + 1
	if to > 0 || p.Checkpoint == first {
		w.steps = w.steps[:to]
	}
	w.now, w.gone, w.cut = p.Checkpoint, map[string]int{}, map[string]bool{}
	return w
}

// Part is the work for some tasks of the plan: what becomes a commit of its own.
type Part struct {
	Tasks      []string       `json:"tasks,omitempty"`
	Iterations []int          `json:"iterations"`
	Summary    string         `json:"-"` // what the last agent said of it
	Edits      []git.TreeEdit `json:"-"`
}

// Parts cuts what is left of the run's work by tasks: each ends with the attempt that
// ticked one off, and what comes after the last has none. Files that came and went
// are in none of them, and neither is what others wrote in between.
func (h *History) Parts(ctx context.Context) ([]Part, error) {
	w, err := h.work()
	if err != nil {
		return nil, err
	}
	var parts []Part
	var own ownEdits
	open := false
	for n, s := range w.steps {
		if !open {
			parts, open = append(parts, Part{}), true
		}
		part := &parts[len(parts)-1]
		if !slices.Contains(part.Iterations, s.iter) {
			part.Iterations = append(part.Iterations, s.iter)
		}
		if s.summary != "" {
			part.Summary = s.summary
		}
		edits, err := h.between(ctx, s.base, s.left)
		if err != nil {
			return nil, err
		}
		for _, e := range edits {
			if rel, below := h.Tree.Below(e.Path); below && n >= w.gone[rel] && !h.Tree.Skips(rel) {
				own.add(len(parts)-1, e)
			}
		}
		if len(s.tasks) > 0 {
			part.Tasks, open = slices.Clone(s.tasks), false
		}
	}
	if err := h.cutEdits(ctx, w, &own); err != nil {
		return nil, err
	}
	own.give(parts)
	return slices.DeleteFunc(parts, func(p Part) bool { return len(p.Edits) == 0 }), nil
}

// between is what differs between two checkpoints, file by file.
func (h *History) between(ctx context.Context, from, to string) ([]git.TreeEdit, error) {
	var trees []string
	for _, id := range []string{from, to} {
		c, err := h.Kept.Load(ctx, id)
		if err != nil {
			return nil, err
		}
		trees = append(trees, c.Tree)
	}
	edits, err := h.Kept.Trees().Edits(ctx, trees[0], trees[1])
	var list []git.TreeEdit
	for _, e := range edits {
		if e.From != "" { // it went there, and came here
			list = append(list, git.TreeEdit{Path: e.From, Was: e.Was})
			e.From, e.Was = "", git.TreeFile{}
		}
		list = append(list, e)
	}
	return list, err
}

// cutEdits makes one edit of all that were made to a file of which only a part is
// left, where it was changed last.
func (h *History) cutEdits(ctx context.Context, w work, own *ownEdits) error {
	if len(w.cut) == 0 {
		return nil
	}
	now, err := h.Kept.Load(ctx, w.now)
	if err != nil {
		return err
	}
	there, err := h.Kept.Trees().Paths(ctx, now.Tree)
	if err != nil {
		return err
	}
	for rel := range w.cut {
		path := h.Tree.Prefix() + rel
		list := own.at[path]
		if len(list) == 0 {
			continue
		}
		last := list[len(list)-1]
		last.edit.Was, last.edit.Is = list[0].edit.Was, there[path]
		own.at[path] = []placed{last}
	}
	return nil
}

// ownEdits is what a run did to each file, in order, and for which part.
type ownEdits struct {
	at    map[string][]placed
	order []string
}

type placed struct {
	part int
	edit git.TreeEdit
}

// add joins an edit to the one before it, if both are for the same part and nobody
// came between them.
func (o *ownEdits) add(part int, e git.TreeEdit) {
	if o.at == nil {
		o.at = map[string][]placed{}
	}
	list, seen := o.at[e.Path]
	if !seen {
		o.order = append(o.order, e.Path)
	}
	if n := len(list); n > 0 && list[n-1].part == part && list[n-1].edit.Is == e.Was {
		list[n-1].edit.Is = e.Is
	} else {
		list = append(list, placed{part, e})
	}
	o.at[e.Path] = list
}

// give hands the edits to their parts, but for those that came to nothing.
func (o *ownEdits) give(parts []Part) {
	for _, path := range o.order {
		list := slices.DeleteFunc(o.at[path], func(p placed) bool { return p.edit.Was == p.edit.Is })
		if n := len(list); n == 0 || list[0].edit.Was == list[n-1].edit.Is {
			continue
		}
		for _, p := range list {
			parts[p.part].Edits = append(parts[p.part].Edits, p.edit)
		}
	}
}

// ownCommits are the commits that a run has made.
type ownCommits struct {
	first string // where the run began
	last  string // where it ended
	made  bool   // there are some
	row   bool   // each attempt found the one that the attempt before it had left
}

// alone tells whether all commits since the run began are its own.
func (o ownCommits) alone(now string) bool { return o.made && o.row && o.last == now }

func (h *History) ownCommits(ctx context.Context) (ownCommits, error) {
	begin, err := h.At(ctx, 0)
	if err != nil {
		return ownCommits{}, err
	}
	w, err := h.work()
	if err != nil {
		return ownCommits{}, err
	}
	own, here := ownCommits{first: begin.Head, last: begin.Head, row: true}, begin.ID
	for _, s := range w.steps {
		base, err := h.Kept.Load(ctx, s.base)
		if err != nil {
			return own, err
		}
		left, err := h.Kept.Load(ctx, s.left)
		if err != nil {
			return own, err
		}
		// A checkpoint that still held was not made again for the runner's own commit.
		own.row = own.row && (base.Head == own.last || s.base == here)
		next := cmp.Or(s.commit, left.Head)
		own.made = own.made || next != own.last
		own.last, here = next, s.left
	}
	return own, nil
}
