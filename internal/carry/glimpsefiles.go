package carry

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/history"
)

// Files brings the checkpoints of a run that was seen, so that readers of records can
// compare them. With them comes the history of the project, once.
func (g *Glimpses) Files(ctx context.Context, s Sight) error {
	l, err := g.open(ctx, s)
	if err != nil {
		return err
	}
	defer l.lock.Close()
	seen := l.was(ctx)
	if seen == nil {
		return &UnknownError{"nothing was seen of the run yet", "look at it first"}
	}
	if seen.Card.Checkpoint == "" {
		return nil // it has made none yet
	}
	store, err := l.store(ctx, seen)
	if err != nil {
		return err
	}
	if _, err := store.Load(ctx, seen.Card.Checkpoint); err == nil {
		return nil
	}
	if l.shallow() {
		if err := l.remote.fetch(ctx, Prefix+l.ID, nil, "--unshallow"); err != nil {
			return err
		}
	}
	if _, err := l.remote.read(ctx, seen.At, l.ID); err != nil { // whether they belong to it
		return err
	}
	border := checkpoint.Border{Store: store}
	have, err := border.Last(ctx)
	if err != nil {
		return err
	}
	if have != "" { // its objects are in the store
		have = "^" + have + "\n"
	}
	packs, err := border.Packs()
	if err != nil {
		return err
	}
	if _, err := l.remote.run(ctx, []byte(seen.Card.Checkpoint+"\n"+have), nil, "pack-objects", "--revs", "-q", filepath.Join(packs, "pack")); err != nil {
		return fmt.Errorf("bring the checkpoints: %w", err)
	}
	if err := border.Admit(ctx, seen.Card.Checkpoint); err != nil {
		return &ForeignError{What: err.Error()}
	}
	return nil
}

// store is where the checkpoints of the run are kept here, of a work tree in which nobody
// works.
func (l *looking) store(ctx context.Context, seen *Glimpse) (*checkpoint.Store, error) {
	work := seen.Store.Tree
	if _, err := os.Lstat(filepath.Join(work, ".git")); err != nil {
		format := "sha1"
		if len(seen.At) == 64 {
			format = "sha256"
		}
		if _, err := l.remote.git.Run(ctx, "init", "-q", "--template=", "--object-format="+format, "--initial-branch=none", work); err != nil {
			return nil, fmt.Errorf("stand for the work tree: %w", err)
		}
	}
	tree, err := git.Open(ctx, work, nil)
	if err != nil {
		return nil, err
	}
	return checkpoint.OpenStore(ctx, tree, history.Checkpoints(seen.Dir()), "")
}
