package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/refrain-loop/refrain/internal/files"
)

// lodging is a folder for temporary files that goes with its process: whoever comes
// after one that was killed removes what that has left.
type lodging struct {
	dir  string
	lock *flock.Flock
}

// lodge makes the folder, empty, and removes those beside it whose processes are gone.
func lodge(dir string) (*lodging, error) {
	sweepLodgings(filepath.Dir(dir))
	// Somebody who sweeps may take it for forgotten before it is locked, and has the
	// lock for a moment.
	for range 100 {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
		l := &lodging{dir, flock.New(lockOf(dir))}
		got, err := l.lock.TryLock()
		switch {
		case err != nil && !errors.Is(err, os.ErrNotExist):
			return nil, err
		case got && l.stands():
			return l, nil
		}
		_ = l.lock.Unlock()
		time.Sleep(10 * time.Millisecond)
	}
	return nil, fmt.Errorf("%s is in use", dir)
}

func lockOf(dir string) string { return filepath.Join(dir, "lock") }

// stands tells whether what is locked is still what is there.
func (l *lodging) stands() bool {
	held, err := l.lock.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(lockOf(l.dir))
	return err == nil && os.SameFile(held, there)
}

// leave removes the folder. What can not be removed is left to the next.
func (l *lodging) leave() {
	_ = files.RemoveTree(l.dir)
	_ = l.lock.Unlock()
}

// sweepLodgings removes those that nobody lives in. They only cost room, so what can
// not be removed stays; and so does whatever was never locked, for it is no lodging.
func sweepLodgings(root string) {
	list, _ := os.ReadDir(root)
	for _, e := range list {
		dir := filepath.Join(root, e.Name())
		if info, err := os.Lstat(lockOf(dir)); err != nil || !info.Mode().IsRegular() {
			continue
		}
		lock := flock.New(lockOf(dir))
		if got, err := lock.TryLock(); err != nil || !got {
			continue
		}
		_ = files.RemoveTree(dir)
		_ = lock.Unlock()
	}
}
