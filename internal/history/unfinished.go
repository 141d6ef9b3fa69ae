package history

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

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
}

type dropping struct {
	Paths []string `json:"paths,omitempty"`
	Rests []Rest   `json:"rests,omitempty"`
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

// Finish makes whole what a review that was killed has begun, and says what that
// was; empty for nothing. Doing it twice changes nothing.
func (h *History) Finish(ctx context.Context) (what string, err error) {
	text, err := files.ReadFile(ctx, h.unfinishedFile(), maxUnfinished)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	var u unfinished
	if err := json.Unmarshal(text, &u); err != nil {
		return "", fmt.Errorf("read %s: %w", h.unfinishedFile(), err)
	}
	lock, err := h.runs.At(h.entry.Tree).Lock(journal.Self("", ""))
	if err != nil {
		return "", err
	}
	defer func() { _ = lock.Unlock() }() // the system lets go of it in any case
	switch {
	case u.Drop != nil:
		what, err = "dropped files were put back", h.finishDrop(ctx, *u.Drop)
	case u.Move != nil:
		what, err = h.finishMove(ctx, *u.Move)
	}
	if err == nil {
		h.done()
	}
	return what, err
}

// maxUnfinished is far more than what a review drops parts of.
const maxUnfinished = 256 << 20

// finishDrop puts back what is not yet, unless the journal has not heard of it: then
// no file was touched.
func (h *History) finishDrop(ctx context.Context, d dropping) error {
	w, err := h.work()
	if err != nil {
		return err
	}
	for _, path := range d.Paths {
		if _, gone := w.gone[path]; !gone {
			return nil
		}
	}
	for _, r := range d.Rests {
		if !w.cut[r.Path] {
			return nil
		}
	}
	first, err := h.At(ctx, 0)
	if err != nil {
		return err
	}
	now, err := h.Kept.Checkpoint(ctx)
	if err != nil {
		return err
	}
	there, err := h.Kept.Trees().Paths(ctx, now.Tree)
	if err != nil {
		return err
	}
	var patches []checkpoint.Patch
	for _, r := range d.Rests {
		patches = append(patches, checkpoint.Patch{Path: r.Path, File: there[h.Tree.Prefix()+r.Path], Content: append([]byte{}, r.Content...)})
	}
	to, err := h.Kept.With(ctx, now, first, d.Paths, patches...)
	if err != nil {
		return err
	}
	_, _, err = h.Kept.Restore(ctx, to)
	return err
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
