package web

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/view"
)

// fleet is every run of this user, as it was last looked at. A run whose files are
// as they were is not read again.
type fleet struct {
	of Options

	mu      sync.Mutex
	looked  time.Time
	err     error
	ships   map[string]*ship // by the folder of the run
	byID    map[string]*ship
	bad     []Unreadable
	version int64 // of the newest row
}

// ship is one run.
type ship struct {
	store   journal.Store // that of its own work tree
	entry   journal.Entry
	run     *view.Run
	repo    string // the name of its repository
	stamp   string // of its journal, when it was read
	row     Row
	version int64 // counts up whenever its row changes
	spent   spending
	failed  error // why it cannot be read
	coming  bool  // it has no records yet
}

// Unreadable is a run that is there and cannot be read.
type Unreadable struct {
	Run string `json:"run"`
	Dir string `json:"dir"`
	Why string `json:"why"`
}

func newFleet(o Options) *fleet {
	return &fleet{of: o, ships: map[string]*ship{}, byID: map[string]*ship{}}
}

// freshFor is how old a look may be: pages that ask together are answered by one.
const freshFor = 400 * time.Millisecond

// badFor is how long a run that ended badly waits for somebody.
const badFor = 7 * 24 * time.Hour

// look reads what has changed since the last look.
func (f *fleet) look(now time.Time) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now.Sub(f.looked) < freshFor {
		return f.err
	}
	f.err = f.read(now)
	f.looked = time.Now()
	return f.err
}

func (f *fleet) read(now time.Time) error {
	stores, err := f.of.Stores()
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	f.bad = nil
	for _, store := range stores {
		runs := filepath.Join(store.Dir, "runs")
		list, err := os.ReadDir(runs)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, d := range list {
			dir := filepath.Join(runs, d.Name())
			if f.readRun(store, d.Name(), dir, now) {
				seen[dir] = true
			}
		}
	}
	for _, run := range f.coming() {
		seen[f.announce(run, now)] = true
	}
	for dir, s := range f.ships {
		if !seen[dir] {
			delete(f.ships, dir)
			if f.byID[s.row.ID] == s {
				delete(f.byID, s.row.ID)
			}
		}
	}
	f.rank(now)
	return nil
}

// coming are the runs that have no records yet.
func (f *fleet) coming() []*view.Run {
	if f.of.Coming == nil {
		return nil
	}
	return f.of.Coming()
}

// announce lists a run that has no records yet, and gives what it is kept under.
func (f *fleet) announce(run *view.Run, now time.Time) string {
	key := "coming " + run.ID
	next := &ship{run: run, coming: true}
	if s := f.ships[key]; s != nil {
		next.row, next.version = s.row, s.version
	}
	row := rowOf(run, "", 0, now)
	row.Repository = repositoryAt(run, "")
	row.Why, row.Fleet = row.Fleet, ""
	next.renew(f, row)
	f.ships[key] = next
	if other := f.byID[run.ID]; other == nil || other.coming {
		f.byID[run.ID] = next
	}
	return key
}

// readRun looks at one run, and tells whether there is one.
func (f *fleet) readRun(store journal.Store, name, dir string, now time.Time) bool {
	s := f.ships[dir]
	stamp := files.StampAt(filepath.Join(dir, "journal.jsonl"))
	if stamp == "" {
		return false
	}
	if s == nil || s.stamp != stamp {
		entry, err := load(store, name, dir)
		if missing := (*journal.NotFoundError)(nil); errors.As(err, &missing) {
			return false
		}
		if err != nil {
			f.bad = append(f.bad, Unreadable{Run: name, Dir: dir, Why: err.Error()})
			if s != nil {
				delete(f.byID, s.row.ID) // it was one before
			}
			f.ships[dir] = &ship{stamp: stamp, failed: err, row: Row{Run: name}}
			return true
		}
		next := &ship{store: store.At(entry.Tree), entry: entry, repo: repositoryOf(entry), stamp: stamp}
		if s != nil {
			next.row, next.version, next.spent = s.row, s.version, s.spent
		}
		s = next
		s.run = f.of.Look(s.store, entry)
		f.ships[dir], f.byID[entry.ID] = s, s
	} else if s.failed != nil {
		f.bad = append(f.bad, Unreadable{Run: name, Dir: dir, Why: s.failed.Error()})
		return true
	} else if s.run.Away != nil || s.entry.Finished == nil && s.store.Status(s.entry) != s.run.State {
		s.run = f.of.Look(s.store, s.entry) // it has died, or somebody goes on with it, or has it elsewhere
	}
	row := rowOf(s.run, s.entry.Tree, s.entry.Seq(), now)
	row.Repository = repositoryAt(s.run, s.repo)
	row.Group = s.row.Group // until it is ranked
	s.renew(f, row)
	return true
}

// repositoryAt is the name of the repository of a run: that of its remote, where it is
// elsewhere.
func repositoryAt(run *view.Run, here string) string {
	if run.Away == nil {
		return here
	}
	remote := strings.TrimRight(run.Away.Remote, "/")
	return strings.TrimSuffix(remote[strings.LastIndexAny(remote, "/:")+1:], ".git")
}

// repositoryOf is the name of the repository that a run works in. A work tree beside it
// has a name that says nothing to people.
func repositoryOf(entry journal.Entry) string {
	name := ""
	if entry.Linked != nil {
		name = entry.Linked.Repository(entry.Tree)
	}
	return cmp.Or(name, filepath.Base(entry.Tree))
}

// load reads a run. Links in the place of what it is known by may lead anywhere, and
// the page shows nothing but runs.
func load(store journal.Store, name, dir string) (journal.Entry, error) {
	for _, path := range []string{dir, filepath.Join(dir, "journal.jsonl"), filepath.Join(dir, "run.json")} {
		if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return journal.Entry{}, fmt.Errorf("%s is a link, and those are not followed here", filepath.Base(path))
		}
	}
	return store.Load(name)
}

// renew puts another row in the place of the last one, if it says something else.
func (s *ship) renew(f *fleet, row Row) {
	was, is := s.row, row
	was.Elapsed, is.Elapsed = 0, 0 // the page counts by itself
	s.row = row
	if s.version == 0 || !reflect.DeepEqual(was, is) {
		f.version++
		s.version = f.version
	}
}

// rank says which runs need somebody: of those that ended badly, only the latest of
// its work tree, and not for ever.
func (f *fleet) rank(now time.Time) {
	latest := map[string]*ship{}
	for _, s := range f.byID {
		if other := latest[s.row.Tree]; other == nil || s.row.StartedAt.After(other.row.StartedAt) {
			latest[s.row.Tree] = s
		}
	}
	for _, s := range f.byID {
		group := groupOf(s.run)
		if group != isLive && s.run.State.Ended() && (latest[s.row.Tree] != s || now.Sub(s.run.Sum.At) > badFor) {
			group = isOver
		}
		row := s.row
		row.Group = group
		s.renew(f, row)
	}
}

// ranks is the order of the groups.
var ranks = map[string]int{needsYou: 0, isLive: 1, isOver: 2}

// urgency is the order of those that need somebody: a question first, then what waits,
// then what ended badly.
func (r Row) urgency() int {
	switch {
	case r.Group != needsYou || r.Asked != nil:
		return 0
	case !r.State.Ended():
		return 1
	}
	return 2
}

// rows are all runs, those that need somebody first, with what is new of each.
func (f *fleet) rows() (list []*ship, bad []Unreadable) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.byID {
		one := *s
		list = append(list, &one)
	}
	slices.SortFunc(list, func(a, b *ship) int {
		return cmp.Or(
			cmp.Compare(ranks[a.row.Group], ranks[b.row.Group]),
			cmp.Compare(a.row.urgency(), b.row.urgency()),
			b.row.StartedAt.Compare(a.row.StartedAt),
			cmp.Compare(a.row.ID, b.row.ID),
		)
	})
	return list, slices.Clone(f.bad)
}

// find is a run by its id.
func (f *fleet) find(id string, now time.Time) (ship, bool) {
	if err := f.look(now); err != nil {
		return ship{}, false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.byID[id]
	if s == nil {
		return ship{}, false
	}
	return *s, true
}

// spending is what a run has cost today.
type spending struct {
	day   time.Time // that it was worked out for
	stamp string
	usd   float64
}

// spentToday is what a run has cost since midnight.
func (s *ship) spentToday(midnight time.Time) float64 {
	if s.run.Sum.At.Before(midnight) {
		return 0
	}
	if !s.row.StartedAt.Before(midnight) {
		return s.row.CostUSD
	}
	if s.spent.day.Equal(midnight) && s.spent.stamp == s.stamp {
		return s.spent.usd
	}
	s.spent = spending{day: midnight, stamp: s.stamp}
	for last := 64; ; last *= 8 {
		list, err := s.store.Iterations(s.entry.Name, last)
		if err != nil {
			return 0
		}
		if len(list) < last || list[0].Time.Before(midnight) {
			for _, e := range list {
				if p, ok := e.Payload.(*loop.IterationFinished); ok && !e.Time.Before(midnight) {
					s.spent.usd += p.Outcome.Usage.Cost()
				}
			}
			return s.spent.usd
		}
	}
}
