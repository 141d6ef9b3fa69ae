package project

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/refrain-loop/refrain/internal/files"
)

// lockPatience is how long somebody else may hold a lock of the state folder, which
// takes a moment.
const lockPatience = 10 * time.Second

// LockedError says that somebody else holds a lock of the state folder and does not
// let go of it.
type LockedError struct{ File string }

func (e *LockedError) Error() string { return e.File + " is held by another process" }

// Hint says what to do.
func (e *LockedError) Hint() string { return "try again; \"fuser " + e.File + "\" tells who holds it" }

// lockProjects keeps others from claiming a project, or forgetting one, and from
// making a key.
func lockProjects(state string, patience time.Duration) (*flock.Flock, error) {
	return lockFile(filepath.Join(state, "projects.lock"), patience)
}

// lockFile takes a lock, and makes its file. What somebody has put in its place, and
// is no file, goes: nobody can have locked it. The error is a *LockedError when
// somebody else has the lock for longer than one waits.
func lockFile(path string, patience time.Duration) (*flock.Flock, error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	lock := flock.New(path, flock.SetFlag(os.O_CREATE|files.NoWait), flock.SetPermissions(0o600))
	ctx, over := context.WithTimeout(context.Background(), patience)
	defer over()
	ok, err := lock.TryLock()
	if !ok && err == nil {
		ok, err = lock.TryLockContext(ctx, 20*time.Millisecond)
	}
	if ok {
		return lock, nil
	}
	_ = lock.Close()
	if err == nil || errors.Is(err, context.DeadlineExceeded) {
		return nil, &LockedError{File: path}
	}
	return nil, fmt.Errorf("lock %s: %w", path, err)
}
