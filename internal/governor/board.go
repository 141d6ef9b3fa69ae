package governor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// Board is where the runs of a user leave word of limits. It may be used from
// several goroutines.
//
// An error of its methods that is a *DamagedError is only to be told: what was
// asked for was done.
type Board struct {
	dir string

	mu   sync.Mutex
	last content     // when it was read last
	seen os.FileInfo // of the file then; nil: look again
}

// Open gives the board in a folder. It touches nothing; the folder is made when
// there is something to note.
func Open(dir string) *Board { return &Board{dir: dir} }

func (b *Board) path() string { return filepath.Join(b.dir, "limits.json") }

// Note tells all runs of a limit that one of them met just now, at e.At.
func (b *Board) Note(e Entry) error {
	if e.Account == "" || e.At.IsZero() {
		return fmt.Errorf("note a limit of %q: an account and a time are needed", e.Account)
	}
	return during("note a limit of "+e.Account, b.change(func(c *content) { c.limits = add(c.limits, e) }))
}

// Look gives, of each of the accounts, the limit that now holds the longest. It
// costs next to nothing while nobody has noted anything.
func (b *Board) Look(accounts []string, now time.Time) (map[string]Entry, error) {
	c, err := b.read()
	return holding(c.limits, accounts, now), during("look for limits", err)
}

// Clear takes back the limits of an account, since an attempt got through that
// started then. What was noted later may be true.
func (b *Board) Clear(account string, started time.Time) error {
	old := func(e Entry) bool { return e.Account == account && e.At.Before(started) }
	c, err := b.read()
	if err == nil && slices.ContainsFunc(c.limits, old) {
		err = b.change(func(c *content) { c.limits = slices.DeleteFunc(c.limits, old) })
	}
	return during("clear the limits of "+account, err)
}

// Reserve gives the time at which the run is to try the account again: not
// before at, nor before now, and not close to when another run will. A run has
// one such time per account: the last.
func (b *Board) Reserve(account, run string, at, now time.Time) (time.Time, error) {
	var when time.Time
	err := b.change(func(c *content) { c.wakes, when = reserve(c.wakes, account, run, at, now) })
	return when, during("reserve a time for "+run, err)
}

// Release gives up what a run has reserved.
func (b *Board) Release(run string) error {
	c, err := b.read()
	if err == nil && wakes(c.wakes, run) {
		err = b.change(func(c *content) {
			c.wakes = slices.DeleteFunc(c.wakes, func(w wake) bool { return w.Run == run })
		})
	}
	return during("release the times of "+run, err)
}

// during says what an error came in the way of.
func during(act string, err error) error {
	var damaged *DamagedError
	if err == nil || errors.As(err, &damaged) {
		return err // the second came in the way of nothing
	}
	return fmt.Errorf("%s: %w", act, err)
}

// read gives what the file says now. It is read again when it has changed.
func (b *Board) read() (content, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	info, err := os.Stat(b.path())
	if errors.Is(err, fs.ErrNotExist) {
		return content{}, nil
	}
	if err != nil {
		return content{}, err
	}
	if b.seen != nil && os.SameFile(info, b.seen) && info.ModTime().Equal(b.seen.ModTime()) && info.Size() == b.seen.Size() {
		return b.last, nil
	}
	// Also to read needs the lock: on some systems an open file cannot be
	// replaced.
	unlock, err := lock(b.dir)
	if err != nil {
		return content{}, err
	}
	defer unlock()
	b.seen = nil
	if info, err = os.Stat(b.path()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return content{}, err
	}
	c, err := load(b.path())
	// A file that is younger than the steps of its clock may be replaced by
	// another that looks the same.
	if err == nil && info != nil && time.Since(info.ModTime()) > 3*time.Second {
		b.last, b.seen = c, info
	}
	return c, err
}

// change rewrites the file while others wait.
func (b *Board) change(edit func(*content)) error {
	if err := os.MkdirAll(b.dir, 0o700); err != nil {
		return err
	}
	unlock, err := lock(b.dir)
	if err != nil {
		return err
	}
	defer unlock()
	c, err := load(b.path())
	var damaged *DamagedError
	if err != nil && !errors.As(err, &damaged) {
		return err
	}
	edit(&c)
	if saveErr := save(b.path(), c); saveErr != nil {
		return saveErr
	}
	return err
}
