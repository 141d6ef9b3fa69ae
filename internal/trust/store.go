package trust

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/project"
)

// Store is the folder in which answers are kept, a file for each repository.
type Store struct {
	Dir string
}

// Open finds the user's own store. Nothing is made.
func Open(getenv func(string) string) (Store, error) {
	state, err := project.Folder(getenv)
	if err != nil {
		return Store{}, fmt.Errorf("find what you trust: %w", err)
	}
	return Store{filepath.Join(state, "trust")}, nil
}

// Place is what answers about a work tree are kept for: the repository, so that
// its work trees share them, and where in it the tree is; or without one, the
// folder. A folder that only says to be a work tree of some repository is none:
// the repository must know of it.
func Place(tree string) (string, error) {
	real, err := filepath.EvalSymlinks(tree)
	if err != nil {
		return "", fmt.Errorf("find the work tree: %w", err)
	}
	git, err := project.FindGit(real)
	if err != nil || git.Root == "" || git.Linked() && !acknowledged(git) {
		return real, nil // git itself will say what is wrong
	}
	common, err := filepath.EvalSymlinks(git.Common)
	if err != nil {
		return real, nil
	}
	if !git.Linked() && filepath.Dir(common) != git.Root {
		return real, nil // its .git names a folder elsewhere, which could be anybody's
	}
	inside, err := filepath.Rel(git.Root, real)
	if err != nil || inside == "." {
		return common, nil
	}
	return filepath.Join(common, "below", inside), nil
}

// acknowledged tells whether a repository knows a linked work tree as its own: in
// a folder of its own git folder, not in one that the work tree brings along.
func acknowledged(git project.Git) bool {
	among, err := filepath.EvalSymlinks(filepath.Dir(git.Dir))
	theirs, commonErr := filepath.EvalSymlinks(filepath.Join(git.Common, "worktrees"))
	if err != nil || commonErr != nil || among != theirs {
		return false
	}
	back, err := files.ReadFile(context.Background(), filepath.Join(git.Dir, "gitdir"), 64<<10)
	if err != nil {
		return false
	}
	entry, err := os.Stat(filepath.Join(git.Root, ".git"))
	if err != nil {
		return false
	}
	named, err := os.Stat(project.From(git.Dir, string(back)))
	return err == nil && os.SameFile(entry, named)
}

// maxRecord is more than any record has.
const maxRecord = 16 << 20

// Of is what is trusted in a place; nothing, when nobody has been asked yet.
func (s Store) Of(place string) (Record, error) {
	r := Record{Place: place}
	data, err := files.ReadFile(context.Background(), s.file(place), maxRecord)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err == nil && r.Place != place {
		err = fmt.Errorf("it is about %s", r.Place)
	}
	if err != nil {
		return Record{Place: place}, &DamagedError{s.file(place), err}
	}
	return r, nil
}

// DamagedError is that what a person has agreed to cannot be read.
type DamagedError struct {
	File string
	Err  error
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("what you trust cannot be read: %s: %s", e.File, files.Cause(e.Err))
}

func (e *DamagedError) Unwrap() error { return e.Err }

// Hint says what to do.
func (*DamagedError) Hint() string { return `"refrain trust" starts a new one` }

// Add notes that a person has said yes to items of a place. A record that cannot
// be read is begun anew.
func (s Store) Add(place string, items []Item, at time.Time) error {
	r, err := s.Of(place)
	if err != nil {
		r = Record{Place: place}
	}
	data, err := r.with(items, at.UTC().Truncate(time.Second)).encode()
	if err == nil {
		err = os.MkdirAll(s.Dir, 0o700)
	}
	if err == nil {
		err = files.Replace(s.file(place), data, 0o600, files.SyncName)
	}
	if err != nil {
		return fmt.Errorf("keep what you trust: %w", err)
	}
	return nil
}

// Forget takes back every yes of a place, and tells whether there was one.
func (s Store) Forget(place string) (bool, error) {
	err := os.Remove(s.file(place))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("forget what you trust: %w", err)
	}
	return true, nil
}

func (s Store) file(place string) string { return filepath.Join(s.Dir, Sum(place)+".json") }
