package checkpoint

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/git"
)

// Border is where checkpoints leave a store, and come into it, as git's objects.
type Border struct{ Store *Store }

// Objects are the folders of all objects that the checkpoints are in: the store's own
// one and those that it borrows from; none without git.
func (b Border) Objects() []string {
	if b.Store.list != nil {
		return nil
	}
	return slices.Concat([]string{b.Store.repo.objects()}, b.Store.made.Borrows)
}

// Packs is the folder in the store that packs of objects go into.
func (b Border) Packs() (dir string, err error) {
	if err := b.Store.needGit("take in checkpoints"); err != nil {
		return "", err
	}
	dir = filepath.Join(b.Store.repo.objects(), "pack")
	return dir, os.MkdirAll(dir, 0o700)
}

// Admit makes a checkpoint, whose objects are in the store by now, the last one. It and
// those before it come from elsewhere, so each is looked at: none may speak of what is
// outside of the work tree.
func (b Border) Admit(ctx context.Context, id string) error {
	if !anID().MatchString(id) {
		return fmt.Errorf("take in a checkpoint: %q is not the name of one", id)
	}
	all, err := b.chain(ctx, id)
	if err != nil {
		return err
	}
	for _, one := range all {
		c, err := b.Store.Load(ctx, one)
		if err != nil {
			return err
		}
		if path, ok := c.facts.strays(); ok {
			return fmt.Errorf("take in checkpoint %s: %q is not a path in the work tree", one, path)
		}
	}
	if err := b.setLast(id); err != nil {
		return fmt.Errorf("take in a checkpoint: %w", err)
	}
	return nil
}

// Last names the last checkpoint; empty: there is none.
func (b Border) Last(ctx context.Context) (id string, err error) {
	if err := b.Store.needGit("find the last checkpoint"); err != nil {
		return "", err
	}
	last, err := b.Store.lastKept(ctx)
	if err != nil || last == nil {
		return "", err
	}
	return last.ID, nil
}

// Forget takes back the last checkpoint, which nobody has been told of: the one before
// it is the last again.
func (b Border) Forget(before string) error {
	if err := b.setLast(before); err != nil {
		return fmt.Errorf("forget a checkpoint: %w", err)
	}
	return nil
}

func (b Border) setLast(id string) error {
	b.Store.last = nil
	return files.Overwrite(b.Store.repo.head(), []byte(id+"\n"), 0o600, files.SyncFile)
}

// Holds tells whether the last checkpoint of another store, and so all of them, is among
// those up to the last one here.
func (b Border) Holds(ctx context.Context, other *Store) (bool, error) {
	if other.list != nil {
		return false, nil
	}
	theirs, err := other.lastKept(ctx)
	if err != nil || theirs == nil {
		return err == nil, err
	}
	mine, err := b.Store.lastKept(ctx)
	if err != nil || mine == nil {
		return false, err
	}
	all, err := b.chain(ctx, mine.ID)
	return slices.Contains(all, theirs.ID), err
}

// chain names the checkpoints up to one, the newest first.
func (b Border) chain(ctx context.Context, id string) ([]string, error) {
	if err := b.Store.needGit("list checkpoints"); err != nil {
		return nil, err
	}
	out, err := b.Store.repo.run(ctx, git.Command{}, "rev-list", "--first-parent", id, "--")
	if err != nil {
		return nil, fmt.Errorf("list the checkpoints up to %s: %w", id, err)
	}
	return strings.Fields(string(out)), nil
}

// strays is a path among the facts that leads out of the work tree.
func (f facts) strays() (path string, found bool) {
	var paths [][]byte
	for _, one := range f.Skipped {
		paths = append(paths, one.Path)
	}
	for _, one := range f.Nested {
		paths = append(paths, one.Path)
	}
	for _, one := range f.Modes {
		paths = append(paths, one.Path)
	}
	for _, one := range f.Rules {
		paths = append(paths, one.Path)
	}
	for _, p := range paths {
		if name := filepath.FromSlash(string(p)); name != "" && !filepath.IsLocal(name) {
			return string(p), true
		}
	}
	return "", false
}
