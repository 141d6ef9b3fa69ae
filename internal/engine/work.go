package engine

import (
	"context"
	"errors"
	"strings"

	"github.com/refrain-loop/refrain/internal/repo"
)

// Work is what a reviewer judges: all that changed since the run began. The
// judge keeps it up to date.
type Work struct {
	store      *repo.Store
	first, now *repo.Checkpoint
}

// mostDiff is how much of a diff is handed to a reviewer; one who needs more
// looks at the files.
const mostDiff = 256 << 10

// Diff is the work as text.
func (w *Work) Diff(ctx context.Context) (string, error) {
	if w.store == nil || w.first == nil || w.now == nil {
		return "", errors.New("there are no checkpoints to compare")
	}
	diff := shortText{room: mostDiff}
	err := w.store.Diff(ctx, &diff, *w.first, *w.now, repo.DiffOptions{})
	return diff.text.String(), err
}

// shortText takes everything and keeps the beginning.
type shortText struct {
	text strings.Builder
	room int
}

func (s *shortText) Write(p []byte) (int, error) {
	n := min(len(p), s.room)
	s.text.Write(p[:n])
	s.room -= n
	return len(p), nil
}
