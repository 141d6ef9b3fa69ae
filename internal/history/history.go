// Package history is what runs have left: their records, the work tree as they
// kept it, their clean checkouts and work trees, and what of it can go.
//
// It reads journals that others write. The only thing that it adds to one is that
// a person has put files back.
package history

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/later"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/stop"
)

// History is the work tree as a run kept it, iteration by iteration.
type History struct {
	Tree *git.Tree
	Kept *checkpoint.Store

	runs  journal.Store
	entry journal.Entry
	known *work // what the journal came to when it was last read
}

// Open opens the checkpoints of a run, also beside its live runner.
func Open(ctx context.Context, runs journal.Store, entry journal.Entry) (*History, error) {
	dir := entry.Tree
	if entry.Gone { // its work tree is; what it kept is not
		dir = runs.Tree
	}
	tree, err := git.OpenKept(ctx, dir)
	if err != nil {
		return nil, err
	}
	if entry.State.FirstCheckpoint == "" && entry.Last == nil && entry.Finished == nil {
		return nil, &request.UsageError{What: entry.Name + " has changed nothing yet", Hint: "its first iteration has not ended"}
	}
	if entry.State.FirstCheckpoint == "" {
		return nil, &request.UsageError{What: entry.Name + " has no checkpoints", Hint: "they are made unless git.checkpoint is false"}
	}
	kept, err := checkpoint.OpenStore(ctx, tree, Checkpoints(entry.Dir), "")
	if err != nil {
		return nil, fmt.Errorf("open the checkpoints of %s: %w", entry.Name, err)
	}
	return &History{Tree: tree, Kept: kept, runs: runs, entry: entry}, nil
}

// Here is what the run came to: the work tree after its last attempt, or as it was
// put back, without what a person has written since.
func (h *History) Here(ctx context.Context) (checkpoint.Checkpoint, error) {
	w, err := h.work()
	if err != nil {
		return checkpoint.Checkpoint{}, err
	}
	return h.Kept.Load(ctx, w.now)
}

// Last is the number of the last iteration that was finished.
func (h *History) Last() int { return h.entry.State.Totals.Iterations }

// Made is what an iteration did, with the checkpoints around it: that of its last
// attempt which the journal knows. Folders alone may be left of a journal that
// was cut. Of a runner that died, the checkpoint after the attempt may be all that
// is known.
func (h *History) Made(iter int) (journal.AttemptChanges, error) {
	attempt, outcome := 0, loop.Outcome{}
	for e, err := range h.runs.Read(h.entry.Name, journal.Reading{Iteration: iter, Types: []loop.Type{"iteration.finished"}, Brief: true}) {
		if err != nil {
			return journal.AttemptChanges{}, err
		}
		if f, ok := e.Payload.(*loop.IterationFinished); ok && e.Iter == iter {
			attempt, outcome = e.Attempt, f.Outcome
		}
	}
	if attempt > 0 {
		made, err := journal.ChangesOf(h.runs.AttemptDir(h.entry.Name, iter, attempt), outcome)
		if !errors.Is(err, fs.ErrNotExist) {
			return made, err
		}
	}
	if outcome.Checkpoint != "" {
		return journal.AttemptChanges{Checkpoint: outcome.Checkpoint}, nil
	}
	return journal.AttemptChanges{}, &request.UsageError{
		What: fmt.Sprintf("%s has no checkpoint of iteration %d", h.entry.Name, iter),
		Hint: fmt.Sprintf("\"refrain show %s\" lists its iterations; /0 is the tree before the first", h.entry.Name),
	}
}

// At is the work tree after an iteration; after 0, as it was before the first.
func (h *History) At(ctx context.Context, iter int) (checkpoint.Checkpoint, error) {
	id := h.entry.State.FirstCheckpoint
	if iter > 0 {
		made, err := h.Made(iter)
		if err != nil {
			return checkpoint.Checkpoint{}, err
		}
		id = made.Checkpoint
	}
	return h.Kept.Load(ctx, id)
}

// Base is the work tree that an iteration found.
func (h *History) Base(ctx context.Context, iter int) (checkpoint.Checkpoint, error) {
	made, err := h.Made(iter)
	if err != nil {
		return checkpoint.Checkpoint{}, err
	}
	if made.Base == "" {
		return h.At(ctx, iter-1) // as far as anybody knows
	}
	return h.Kept.Load(ctx, made.Base)
}

// Undone is what a rollback did.
type Undone struct {
	Kept    string       // the checkpoint of what was there
	Changes loop.Changes // from there to where it is now
	Commits []string     // that stay, newest first
	Since   []string     // files that somebody had changed since the run
}

// RollBack puts the files back as they were at a checkpoint of the run, if confirm
// agrees to what would change. It needs the work tree to itself; the error is a
// *journal.HeldError when a run is live in it. The next agent is told.
func (h *History) RollBack(ctx context.Context, to checkpoint.Checkpoint, iter *int, confirm func(loop.Changes) bool) (*Undone, error) {
	restored := &loop.CheckpointRestored{Iteration: iter, Why: "a person rolled the files back"}
	return h.putBack(ctx, restored, nil, confirm, func() (checkpoint.Checkpoint, checkpoint.Checkpoint, error) {
		w, err := h.work()
		if err != nil {
			return to, to, err
		}
		left, err := h.Kept.Load(ctx, w.putBack(&loop.CheckpointRestored{Checkpoint: to.ID}, h.entry.State.FirstCheckpoint).now)
		return to, left, err
	})
}

// putBack makes the files those of the checkpoint that choose gives, and writes down
// that and why. The second that it gives is what is left of the run's work then.
func (h *History) putBack(ctx context.Context, restored *loop.CheckpointRestored, begun *unfinished, confirm func(loop.Changes) bool, choose func() (to, left checkpoint.Checkpoint, err error)) (*Undone, error) {
	lock, err := h.runs.At(h.entry.Tree).Lock(journal.Self("", ""))
	if err != nil {
		return nil, err
	}
	defer func() { _ = lock.Unlock() }() // the system lets go of it in any case
	to, left, err := choose()
	if err != nil {
		return nil, err
	}
	if confirm != nil {
		now, err := h.Kept.Checkpoint(ctx)
		if err != nil {
			return nil, err
		}
		changes, err := h.Kept.Changes(ctx, now, to)
		if err != nil || !confirm(changes) {
			return nil, err
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	ctx = context.WithoutCancel(ctx) // half of it would be neither before nor after
	kept, changes, err := h.Kept.RestoreNoting(ctx, to, func(kept checkpoint.Checkpoint) error {
		if begun != nil {
			begun.Drop.Kept = kept.ID
			if err := h.begin(*begun); err != nil {
				return err
			}
		}
		// Said before it is done, so that who goes on after a crash knows of it.
		restored.Checkpoint, restored.Kept = to.ID, kept.ID
		restored.Work, restored.Net, restored.Later = left.ID, h.net(ctx, left), h.runsLater(ctx, to, restored.Iteration)
		h.known = nil
		return h.noteRestored(restored)
	})
	if err != nil {
		return nil, err
	}
	if begun != nil {
		h.done()
	}
	u := &Undone{Kept: kept.ID, Changes: changes, Commits: []string{}}
	if commits, err := h.Tree.Since(ctx, to.Head); err == nil { // else nobody can tell, and the files are back
		u.Commits = append(u.Commits, commits...)
	}
	return u, nil
}

// net is what is left of the run's changes in the files that are put back; nil
// where nobody can tell: they come back all the same.
func (h *History) net(ctx context.Context, to checkpoint.Checkpoint) *loop.Changes {
	first, err := h.Kept.Load(ctx, h.entry.State.FirstCheckpoint)
	if err != nil {
		return nil
	}
	net, err := h.Kept.Net(ctx, first, to)
	if err != nil {
		return nil
	}
	return &net
}

// runsLater is what runs by itself in the files that are put back, and did not when
// the run began. Where nobody can tell, nothing is said: the files come back all
// the same.
func (h *History) runsLater(ctx context.Context, to checkpoint.Checkpoint, iter *int) loop.Later {
	first, err := h.Kept.Load(ctx, h.entry.State.FirstCheckpoint)
	if err != nil || !h.Kept.CanRestore() {
		return loop.Later{}
	}
	finder := later.Finder{Trees: h.Kept.Trees(), First: first.Tree}
	if settings, err := Settings(h.entry); err == nil {
		_ = json.Unmarshal(settings["loop.dir"].Value, &finder.Below) // else it is the work tree
		for key, stored := range settings {
			name, ok := strings.CutPrefix(key, "gate.")
			name, run := strings.CutSuffix(name, ".run")
			var line string
			if ok && run && json.Unmarshal(stored.Value, &line) == nil && line != "" {
				finder.Commands = append(finder.Commands, later.Command{Of: "gate " + name, Line: line})
			}
		}
		slices.SortFunc(finder.Commands, func(a, b later.Command) int { return cmp.Compare(a.Of, b.Of) })
	}
	found, err := finder.Find(ctx, to.Tree)
	if err != nil {
		return loop.Later{}
	}
	if found = found.After(h.entry.State.Later); iter != nil {
		found = found.Until(*iter)
	}
	return found
}

// noteRestored writes into the journal of a run that files were put back. Where
// nobody can tell what the journal is worth, nothing is written: the files come
// back all the same.
func (h *History) noteRestored(restored *loop.CheckpointRestored) error {
	run, past, err := h.runs.Resume(h.entry.Name)
	var lost *journal.LostKeyError
	if errors.As(err, &lost) {
		return nil
	}
	if err != nil {
		return err
	}
	defer run.Close()
	if past.Tampered != "" { // the run does not go on, and one that is done stays so
		if past.Finished != nil && past.Finished.State == loop.Done {
			return nil
		}
		v := stop.Tampered(past.Tampered)
		run.Append(loop.Event{Time: now(), Payload: &loop.RunFinished{
			State: v.State, Reason: v.Reason, Why: v.Why, Elapsed: past.State.Live, Totals: past.State.Totals, Later: past.State.Later,
		}})
	}
	run.Append(loop.Event{Time: now(), Payload: restored})
	return nil
}

// now is the time as the journal writes it.
func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

// Around is the work tree before and after an attempt that changed it.
func (h *History) Around(ctx context.Context, iter, attempt int) (base, left checkpoint.Checkpoint, err error) {
	made, err := journal.ReadChanges(h.runs.AttemptDir(h.entry.Name, iter, attempt))
	if err != nil {
		return base, left, err
	}
	if base, err = h.Kept.Load(ctx, made.Base); err == nil {
		left, err = h.Kept.Load(ctx, made.Checkpoint)
	}
	return base, left, err
}
