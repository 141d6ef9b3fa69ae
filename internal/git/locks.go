package git

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/text"
)

// Locks are the files by which one git keeps others from writing: NAME.lock
// beside NAME in the git folder. A git that is killed leaves them, and then
// nobody commits any more.
type Locks struct {
	own    string   // the git folder of the work tree
	common string   // that of all work trees of the repository; mostly the same
	trees  []string // where a git may be that holds one

	// others is who may hold one, as proc.Others tells it.
	others func(name string, folders []string, at time.Time) (pids []int, known bool)
}

// Locks finds where the locks are. It is nil without git.
func (t *Tree) Locks(ctx context.Context) (*Locks, error) {
	if !t.isGit {
		return nil, nil
	}
	out, err := t.git.Run(ctx, "rev-parse", "--absolute-git-dir", "--git-common-dir", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != 3 {
		return nil, &RefusedError{what: "git does not tell where its folder is", hint: "a name with a line break in it is beyond us"}
	}
	l := &Locks{own: filepath.FromSlash(lines[0]), common: filepath.FromSlash(lines[1]), others: proc.Others}
	if !filepath.IsAbs(l.common) {
		l.common = filepath.Join(t.dir, l.common)
	}
	l.trees = l.everyTree(filepath.FromSlash(lines[2]))
	return l, nil
}

// everyTree is the folders in which a git would work on this repository.
func (l *Locks) everyTree(top string) []string {
	list := []string{top, l.own, l.common}
	if filepath.Base(l.common) == ".git" {
		list = append(list, filepath.Dir(l.common))
	}
	links, _ := os.ReadDir(filepath.Join(l.common, "worktrees")) // mostly there are none
	for _, link := range links {
		if text, err := files.ReadFile(context.Background(), filepath.Join(l.common, "worktrees", link.Name(), "gitdir"), SmallFile); err == nil {
			list = append(list, filepath.Dir(strings.TrimSpace(string(text))))
		}
	}
	return list
}

// lockMoment is how long a lock is let alone: an editor, or a git that is about to
// end, has it for less.
const lockMoment = 300 * time.Millisecond

// Drop removes the locks that came after a time and that nobody can be holding,
// and names them as a person would. It is for a moment when all who could have
// made them are dead. A git that works here, and did when the lock was made, may
// be its holder: for that one it waits a little, and then lets the lock be. Where
// the system does not tell who is at work, none is removed, and the error is an
// *UnjudgedError.
func (l *Locks) Drop(ctx context.Context, since time.Time) (dropped []string, err error) {
	if l == nil {
		return nil, nil
	}
	for deadline := time.Now().Add(lockPatience); ; {
		waiting := false
		var unjudged []string
		for _, lock := range l.since(since) {
			switch held, known := l.held(lock); {
			case held:
				waiting = true
			case !known:
				unjudged = append(unjudged, l.name(lock.path))
			case l.remove(lock, &err):
				dropped = append(dropped, l.name(lock.path))
			}
		}
		if !waiting || time.Now().After(deadline) {
			if len(unjudged) > 0 {
				err = &UnjudgedError{Locks: unjudged}
			}
			return dropped, err
		}
		select {
		case <-ctx.Done():
			return dropped, err
		case <-time.After(lockPatience / 20):
		}
	}
}

// UnjudgedError says that there are locks of which nobody can tell here whether
// somebody holds them.
type UnjudgedError struct{ Locks []string }

func (e *UnjudgedError) Error() string {
	return "git may have left " + text.FirstFew(e.Locks) + ", and this system does not tell whether a git still works here"
}

// Hint says what to do.
func (e *UnjudgedError) Hint() string {
	return "while it is there, nobody commits: if no git works here, remove it"
}

// Left names the locks that are there now.
func (l *Locks) Left() (names []string) {
	if l == nil {
		return nil
	}
	for _, lock := range l.since(time.Time{}) {
		names = append(names, l.name(lock.path))
	}
	return names
}

// remove removes a lock, and tells whether it was there.
func (l *Locks) remove(lock gitLock, err *error) bool {
	failed := os.Remove(lock.path)
	if failed != nil && !errors.Is(failed, fs.ErrNotExist) {
		*err = failed
	}
	return failed == nil
}

// gitLock is a lock that somebody has made.
type gitLock struct {
	path string
	at   time.Time // when it was last written to
}

// held tells whether somebody may still have a lock, if anybody knows.
func (l *Locks) held(lock gitLock) (held, known bool) {
	if time.Since(lock.at) < lockMoment {
		return true, true
	}
	gits, known := l.others("git", l.trees, lock.at)
	return len(gits) > 0, known
}

// Places of locks, from a git folder: in them, and in those with a slash at their
// end also below.
var lockPlaces = []string{".", "refs/", "reftable", "info", "objects", "objects/info", "objects/info/commit-graphs", "objects/pack"}

// sharedLocks are those in the common folder itself that every work tree takes.
// The others there, such as that of its index, are the main work tree's.
var sharedLocks = []string{"config.lock", "packed-refs.lock", "shallow.lock", "gc.pid.lock"}

// since finds the locks that came after a time. It looks where git makes them,
// and not among objects or in what is not git's.
func (l *Locks) since(t time.Time) (found []gitLock) {
	folders := []string{l.own, l.common}
	for _, folder := range slices.Compact(folders) {
		for _, place := range lockPlaces {
			for path, info := range locksIn(filepath.Join(folder, filepath.FromSlash(place)), strings.HasSuffix(place, "/")) {
				mains := folder != l.own && place == "." && !slices.Contains(sharedLocks, info.Name())
				if !mains && !info.ModTime().Before(t) {
					found = append(found, gitLock{path, info.ModTime()})
				}
			}
		}
	}
	return found
}

// locksIn lists the locks in a folder, or also those below it. What is gone, or
// nobody can look at, has none.
func locksIn(root string, below bool) iter.Seq2[string, fs.FileInfo] {
	return func(yield func(string, fs.FileInfo) bool) {
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
			case d.IsDir() && path != root && !below:
				return fs.SkipDir
			case d.Type().IsRegular() && strings.HasSuffix(path, ".lock"):
				if info, err := d.Info(); err == nil && !yield(path, info) {
					return fs.SkipAll
				}
			}
			return nil
		})
	}
}

// name is a lock as people know it: .git/index.lock.
func (l *Locks) name(path string) string {
	if rel, err := filepath.Rel(l.common, path); err == nil && filepath.IsLocal(rel) && filepath.Base(l.common) == ".git" {
		return ".git/" + filepath.ToSlash(rel)
	}
	return path
}
