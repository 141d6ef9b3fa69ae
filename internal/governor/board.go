package governor

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// All gives every limit that holds now, of whichever account.
func (b *Board) All(now time.Time) ([]Entry, error) {
	c, err := b.read()
	var accounts []string
	for _, e := range c.limits {
		accounts = append(accounts, e.Account)
	}
	list := slices.SortedFunc(maps.Values(holding(c.limits, accounts, now)), func(a, b Entry) int { return strings.Compare(a.Account, b.Account) })
	return list, during("look for limits", err)
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

// wake is when a run means to try again.
type wake struct {
	Account string    `json:"account"`
	Run     string    `json:"run"`
	At      time.Time `json:"at"`
}

const (
	// apart is how far two runs of one account keep from each other. One that
	// finds the limit still there has noted so by the time the next one wakes.
	apart = 2 * time.Second

	// maxWakes bounds the file, whatever runs do.
	maxWakes = 200
)

// reserve gives the run the first time from the given one on that is free, and
// gives up the one that it had.
func reserve(list []wake, account, run string, from, now time.Time) ([]wake, time.Time) {
	from = from.UTC()
	if from.Before(now) {
		from = now.UTC()
	}
	list = slices.DeleteFunc(list, func(w wake) bool {
		return w.At.Add(apart).Before(now) || w.Account == account && w.Run == run
	})
	at := free(list, account, from)
	list = append(list, wake{Account: account, Run: run, At: at})
	return list[max(0, len(list)-maxWakes):], at
}

// free is the first time from the given one on that is not near another wake.
func free(list []wake, account string, from time.Time) time.Time {
	var taken []time.Time
	for _, w := range list {
		if w.Account == account {
			taken = append(taken, w.At)
		}
	}
	slices.SortFunc(taken, time.Time.Compare)
	for _, t := range taken {
		if from.Sub(t).Abs() < apart {
			from = t.Add(apart)
		}
	}
	return from
}

// wakes tells whether the run has reserved a time.
func wakes(list []wake, run string) bool {
	return slices.ContainsFunc(list, func(w wake) bool { return w.Run == run })
}

// Entry is a limit that one run met. It holds for all runs of the account.
type Entry struct {
	Account string    `json:"account"`
	Agent   string    `json:"agent"`
	Kind    string    `json:"kind"`
	Until   time.Time `json:"until,omitzero"` // zero: the provider did not say
	At      time.Time `json:"at"`             // when it was met
	Run     string    `json:"run"`
	Tree    string    `json:"tree"`
}

const (
	// unstated is how long a limit holds of which the provider did not say it.
	unstated = 10 * time.Minute

	// longest is beyond the longest window of any provider, which is a month.
	// A time further off was misread, and would keep all runs away for years.
	longest = 32 * 24 * time.Hour

	// maxEntries bounds the file, whatever runs do.
	maxEntries = 200
)

// Ends is when the limit no longer holds.
func (e Entry) Ends() time.Time {
	if e.Until.IsZero() {
		return e.At.Add(unstated)
	}
	return e.Until
}

// holds tells whether the limit is one now. It is not when it comes from a time
// that is yet to come: then the clock was wrong, and may have been by years.
func (e Entry) holds(now time.Time) bool {
	return now.Before(e.Ends()) && e.At.Sub(now) < unstated
}

// replaces tells whether e takes the place of an earlier entry. When both are of
// the same limit, the later knows better, unless only the earlier knows the end.
func (e Entry) replaces(earlier Entry) bool {
	if e.Account != earlier.Account || e.Kind != earlier.Kind || e.At.Before(earlier.At) {
		return false
	}
	return !e.Until.IsZero() || earlier.Until.IsZero()
}

// add notes a limit and forgets what was over when it was met.
func add(list []Entry, e Entry) []Entry {
	if e.Until.Sub(e.At) > longest {
		e.Until = time.Time{}
	}
	e.At, e.Until = e.At.UTC(), e.Until.UTC()
	list = slices.DeleteFunc(list, func(old Entry) bool { return !e.At.Before(old.Ends()) || e.replaces(old) })
	list = append(list, e)
	slices.SortStableFunc(list, func(a, b Entry) int { return a.At.Compare(b.At) })
	return list[max(0, len(list)-maxEntries):]
}

// holding is, of each account, the limit that holds the longest.
func holding(list []Entry, accounts []string, now time.Time) map[string]Entry {
	found := map[string]Entry{}
	for _, e := range list {
		if !e.holds(now) || !slices.Contains(accounts, e.Account) {
			continue
		}
		if other, ok := found[e.Account]; !ok || e.Ends().After(other.Ends()) {
			found[e.Account] = e
		}
	}
	return found
}
