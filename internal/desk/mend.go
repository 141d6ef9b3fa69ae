package desk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/refrain-loop/refrain/internal/carry"
	"github.com/refrain-loop/refrain/internal/files"
)

// A worker that is killed, or whose machine loses its power, leaves locks in a mirror, and
// objects that are half written. Nobody else would remove them, and each leg of each run of
// that remote would fail here.

// unlock removes the locks in a mirror. Whoever calls it has the mirror, and nobody else
// has the folder of the worker: a git of ours that was killed has left them.
func (m mirror) unlock() error {
	return filepath.WalkDir(m.dir, func(at string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return files.Ignoring(err, fs.ErrNotExist)
		case !d.IsDir() && strings.HasSuffix(at, ".lock"):
			return files.Ignoring(os.Remove(at), fs.ErrNotExist)
		}
		return nil
	})
}

// mend brings a mirror up to date that could not be, for failed: with a new copy of the
// remote. The objects stay, since work trees borrow them; what is half written is removed.
func (m mirror) mend(ctx context.Context, failed error) error {
	if _, err := m.run(ctx, "ls-remote", "-q", "--end-of-options", m.remote, "HEAD"); err != nil {
		return &carry.UnreachableError{Remote: shown(m.remote), Err: failed}
	}
	building := m.dir + ".new"
	if err := m.clone(ctx, building); err != nil {
		return err
	}
	defer os.RemoveAll(building)
	if err := m.takeObjects(filepath.Join(building, "objects")); err != nil {
		return fmt.Errorf("mend the copy of %s: %w", shown(m.remote), err)
	}
	for _, name := range []string{"packed-refs", "refs", "HEAD", "config"} {
		to := filepath.Join(m.dir, name)
		err := errors.Join(os.RemoveAll(to), files.Ignoring(os.Rename(filepath.Join(building, name), to), fs.ErrNotExist))
		if err != nil {
			return fmt.Errorf("mend the copy of %s: %w", shown(m.remote), err)
		}
	}
	return nil
}

// takeObjects moves the objects of a new copy to those that are there, in the place of
// what was never written to its end. A pack is one to git when its index is there, so
// that comes last.
func (m mirror) takeObjects(from string) error {
	isIndex := func(name string) bool { return strings.HasSuffix(name, ".idx") }
	return errors.Join(
		m.takeSome(from, func(name string) bool { return !isIndex(name) }),
		m.takeSome(from, isIndex),
	)
}

func (m mirror) takeSome(from string, which func(name string) bool) error {
	return filepath.WalkDir(from, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, at)
		if err != nil {
			return err
		}
		to := filepath.Join(m.dir, "objects", rel)
		if d.IsDir() {
			return os.MkdirAll(to, 0o700)
		}
		if !which(at) {
			return nil
		}
		return os.Rename(at, to)
	})
}
