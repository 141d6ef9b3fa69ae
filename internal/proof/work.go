package proof

import (
	"context"
	"errors"
	"strings"

	"github.com/refrain-loop/refrain/internal/checkpoint"
)

// Work is what a reviewer judges: all that changed since the run began. The
// judge keeps it up to date.
type Work struct {
	store      *checkpoint.Store
	first, now *checkpoint.Checkpoint
}

// MaxDiff is how much of a diff is handed to a reviewer; one who needs more
// looks at the files.
const MaxDiff = 256 << 10

// Diff is the work as text.
func (w *Work) Diff(ctx context.Context) (string, error) {
	if w.store == nil || w.first == nil || w.now == nil {
		return "", errors.New("there are no checkpoints to compare")
	}
	diff := Excerpt{Room: MaxDiff}
	err := w.store.Diff(ctx, &diff, *w.first, *w.now, checkpoint.DiffOptions{})
	return diff.String(), err
}

// Excerpt takes everything and keeps the beginning.
type Excerpt struct {
	Room int // how much more it keeps, in bytes
	text strings.Builder
}

func (e *Excerpt) Write(p []byte) (int, error) {
	n := min(len(p), e.Room)
	e.text.Write(p[:n])
	e.Room -= n
	return len(p), nil
}

func (e *Excerpt) String() string { return e.text.String() }
