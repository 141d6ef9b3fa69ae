package history

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/journal"
)

// unfinished is what a review was about to do, noted in the folder of its run before
// the first file or branch is touched: who is killed in the middle of it leaves half,
// and the next review makes it whole.
type unfinished struct {
	Drop *dropping `json:"drop,omitempty"`
	Move *moving   `json:"move,omitempty"`
	Undo string    `json:"undo,omitempty"` // the command that takes the move back
}

type dropping struct {
	Paths []string `json:"paths,omitempty"`
	Rests []Rest   `json:"rests,omitempty"`
	Kept  string   `json:"kept,omitempty"` // the checkpoint of what was there
}

// moving is a branch that goes to a commit, and the index of its work tree with it.
type moving struct {
	New  string `json:"new,omitempty"` // a branch that is made, and gone over to
	From string `json:"from"`
	To   string `json:"to"`
}

func (h *History) unfinishedFile() string { return filepath.Join(h.entry.Dir, "review.json") }

func (h *History) begin(u unfinished) error {
	text, err := json.Marshal(u)
	if err == nil {
		err = files.Replace(h.unfinishedFile(), text, 0o600, files.SyncFile)
	}
	if err != nil {
		return fmt.Errorf("note what the review is about to do: %w", err)
	}
	return nil
}

func (h *History) done() { _ = os.Remove(h.unfinishedFile()) } // at worst it is done again, which changes nothing

// CutShort tells whether a review that was killed has left something to Finish.
func (h *History) CutShort() bool {
	_, err := os.Stat(h.unfinishedFile())
	return err == nil
}

// Finished is what was left to do of a review, and the command that takes all of it
// back; empty for nothing. Its JSON names are a promise to scripts.
type Finished struct {
	What string `json:"finished"`
	Undo string `json:"undo,omitempty"`
}

// Finish makes whole what a review that was killed has begun. Doing it twice changes
// nothing.
func (h *History) Finish(ctx context.Context) (f Finished, err error) {
	text, err := files.ReadFile(ctx, h.unfinishedFile(), maxUnfinished)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return f, err
	}
	var u unfinished
	if err := json.Unmarshal(text, &u); err != nil {
		return f, fmt.Errorf("read %s: %w", h.unfinishedFile(), err)
	}
	lock, err := h.runs.At(h.entry.Tree).Lock(journal.Self("", ""))
	if err != nil {
		return f, err
	}
	defer func() { _ = lock.Unlock() }() // the system lets go of it in any case
	switch {
	case u.Drop != nil:
		u.Undo = fmt.Sprintf("refrain rollback %s/%s", h.entry.Name, u.Drop.Kept)
		f.What, err = h.finishDrop(ctx, *u.Drop)
	case u.Move != nil:
		f.What, err = h.finishMove(ctx, *u.Move)
	}
	if err == nil {
		h.done()
	}
	if f.What != "" {
		f.Undo = u.Undo
	}
	return f, err
}

// maxUnfinished is far more than what a review drops parts of.
const maxUnfinished = 256 << 20

// finishDrop puts back what is not yet, unless the journal has not heard of it: then
// no file was touched. What somebody has changed since is theirs.
func (h *History) finishDrop(ctx context.Context, d dropping) (string, error) {
	w, err := h.work()
	if err != nil {
		return "", err
	}
	if _, heard := w.before[d.Kept]; !heard {
		return "", nil
	}
	for _, path := range d.Paths {
		if then, gone := w.gone[path]; !gone || then < len(w.steps) { // taken back, or the run went on
			return "", nil
		}
	}
	for _, r := range d.Rests {
		if !w.cut[r.Path] {
			return "", nil
		}
	}
	first, err := h.At(ctx, 0)
	if err != nil {
		return "", err
	}
	kept, err := h.Kept.Load(ctx, d.Kept)
	if err != nil {
		return "", err
	}
	was, err := h.Kept.Trees().Paths(ctx, kept.Tree)
	if err != nil {
		return "", err
	}
	now, err := h.Kept.Checkpoint(ctx)
	if err != nil {
		return "", err
	}
	there, err := h.Kept.Trees().Paths(ctx, now.Tree)
	if err != nil {
		return "", err
	}
	changed := func(path string) bool { name := h.Tree.Prefix() + path; return was[name] != there[name] }
	paths := slices.DeleteFunc(slices.Clone(d.Paths), changed)
	var patches []checkpoint.Patch
	for _, r := range d.Rests {
		if !changed(r.Path) {
			patches = append(patches, checkpoint.Patch{Path: r.Path, File: there[h.Tree.Prefix()+r.Path], Content: append([]byte{}, r.Content...)})
		}
	}
	if len(paths)+len(patches) == 0 {
		return "", nil
	}
	to, err := h.Kept.With(ctx, now, first, paths, patches...)
	if err != nil {
		return "", err
	}
	_, changes, err := h.Kept.Restore(ctx, to)
	if len(changes.Paths) == 0 {
		return "", err
	}
	return "dropped files were put back", err
}

// finishMove brings the index to where the branch is, if that has moved.
func (h *History) finishMove(ctx context.Context, m moving) (string, error) {
	mover := h.Tree.Mover()
	at, err := mover.At(ctx)
	if err != nil {
		return "", err
	}
	if at == m.From && m.New != "" { // a branch that was made, and not gone over to
		made, err := mover.Named(ctx, m.New)
		if err != nil || made != m.To {
			return "", err
		}
		return "the work tree went over to " + m.New, mover.GoOver(ctx, m.New, m.From, m.To, reflog)
	}
	if at != m.To {
		return "", nil
	}
	return "the index followed the commits", mover.Follow(ctx, m.From, m.To)
}
