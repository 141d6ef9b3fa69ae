package repo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// sizeLimit is where a file that nobody told git about is more likely data
// than work.
const sizeLimit = 64 << 20

// Store keeps checkpoints of a work tree. It is for one caller at a time, but
// what was kept can be read while another process keeps more.
//
// With git it is a repository of its own, whose work tree is the user's: own
// index, own objects, none of the user's settings that change what a file
// holds. The user's index, branches, stash and objects are read and never
// written.
type Store struct {
	// Limit is the size in bytes above which a file is not kept, unless the
	// user's repository tracks it.
	Limit int64

	tree   *Tree
	dir    string
	origin origin // with git only

	last     *Checkpoint // the one that HEAD named when we looked
	tracked  tracked
	compared comparison
	umask    *fs.FileMode
}

// Keep opens the store in dir, and makes it when there is none. Opening one
// that is there changes nothing in it.
func (t *Tree) Keep(ctx context.Context, dir string) (*Store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open the checkpoints: %w", err)
	}
	s := &Store{Limit: sizeLimit, tree: t, dir: dir}
	if !t.git {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("open the checkpoints: %w", err)
		}
		return s, nil
	}
	if s.origin, err = t.findOrigin(ctx); err != nil {
		return nil, err
	}
	switch _, err := os.Stat(s.head()); {
	case err == nil:
		return s, nil
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("open the checkpoints: %w", err)
	}
	if err := s.make(ctx); err != nil {
		return nil, fmt.Errorf("make a store for checkpoints in %s: %w", dir, err)
	}
	return s, nil
}

// CanRestore tells whether checkpoints hold what the files held. Without git
// they tell only which files there were.
func (s *Store) CanRestore() bool { return s.tree.git }

func (s *Store) head() string    { return filepath.Join(s.dir, "HEAD") }
func (s *Store) index() string   { return filepath.Join(s.dir, "index") }
func (s *Store) objects() string { return filepath.Join(s.dir, "objects") }

// git runs git on the store. Its index has no other user, so git may write to it
// what it learns about files.
func (s *Store) git(ctx context.Context, c command, args ...string) ([]byte, error) {
	return s.gitAt(ctx, s.origin.top, c, args...)
}

// gitAt is git with another folder as work tree.
func (s *Store) gitAt(ctx context.Context, top string, c command, args ...string) ([]byte, error) {
	c.env = slices.Concat([]string{"GIT_DIR=" + s.dir, "GIT_WORK_TREE=" + top, "GIT_OPTIONAL_LOCKS=1", "GIT_NO_REPLACE_OBJECTS=1"}, c.env)
	return s.tree.runIn(ctx, top, c, args...)
}

// needGit refuses what a list of files cannot give.
func (s *Store) needGit(act string) error {
	if s.tree.git {
		return nil
	}
	return &NoGitError{Act: act}
}

// NoGitError says that something was asked of a work tree without git.
type NoGitError struct{ Act string }

func (e *NoGitError) Error() string {
	return "cannot " + e.Act + ": without git only the names and times of files are kept"
}

// Hint says what to do.
func (e *NoGitError) Hint() string {
	return `make the folder a repository with "git init" before the run`
}

// GoneError says that what a checkpoint needs is no longer there.
type GoneError struct{ Path string }

func (e *GoneError) Error() string {
	return e.Path + " is gone: was the repository deleted?"
}

// Hint says what to do.
func (e *GoneError) Hint() string {
	return "put the .git folder back, or begin a new run"
}

// present is an error when the store or the user's repository was deleted.
func (s *Store) present() error {
	for _, head := range []string{filepath.Join(s.origin.dir, "HEAD"), s.head()} {
		if _, err := os.Lstat(head); err != nil {
			return &GoneError{Path: filepath.Dir(head)}
		}
	}
	return nil
}
