package carry

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/journal"
)

// Glimpses is a folder with the records of runs that are elsewhere, as they were when
// somebody last looked: to be read, and not to go on with. What is on the remote stays as
// it is, and so does whose the run is.
//
//	ID-HASH/      a run on a remote
//	  git/        a repository of its own, with the last state, and with the history behind
//	              it once somebody has wanted the files
//	  work/       stands for the work tree
//	  runs/NAME/  what readers of records find
//	  seen        which state that is; its time says when somebody last wanted it
type Glimpses struct {
	root string
	git  git.Program
}

// OpenGlimpses makes the folder, unless it is there.
func OpenGlimpses(ctx context.Context, root string) (*Glimpses, error) {
	if err := os.MkdirAll(root, 0o700); err != nil {
		return nil, fmt.Errorf("keep what is seen of runs: %w", err)
	}
	tree, err := git.OpenKept(ctx, root)
	if err != nil {
		return nil, err
	}
	return &Glimpses{root: root, git: tree.Program()}, nil
}

// Sight is a run to look at.
type Sight struct {
	Remote string // a URL or a folder
	ID     string
	At     string // what its ref is at, as far as somebody knows; empty: the remote is asked
}

// Glimpse is what is seen of a run.
type Glimpse struct {
	journal.Glimpse
	Card Card
	At   string
}

// names of a run's folder, beside "runs".
const (
	glimpseGit  = "git"
	glimpseSeen = "seen"
	glimpseLock = "lock"
)

// place is the folder of a run on a remote.
func (g *Glimpses) place(s Sight) string {
	sum := sha256.Sum256([]byte(s.Remote))
	return filepath.Join(g.root, s.ID+"-"+hex.EncodeToString(sum[:6]))
}

// See brings what is new of a run, and gives what is seen then. Where that fails, but it
// was seen before, it gives both the error and how it was. It is an *UnknownError when
// the run is not on the remote.
func (g *Glimpses) See(ctx context.Context, s Sight) (*Glimpse, error) {
	if !isID().MatchString(s.ID) || s.At != "" && !isObject().MatchString(s.At) || s.Remote == "" || strings.HasPrefix(s.Remote, "-") {
		return nil, &UnknownError{fmt.Sprintf("%q on %q is no run", s.ID, s.Remote), "\"refrain carry ls\" lists the runs of a remote"}
	}
	l, err := g.open(ctx, s)
	if err != nil {
		return nil, err
	}
	defer l.lock.Close()
	was := l.was(ctx)
	seen, err := l.see(ctx, was)
	if err != nil {
		if was == nil && l.fresh() {
			_ = forget(l.dir, l.lock) // nothing is known of it, and may never be
		}
		return was, err
	}
	now := time.Now()
	_ = os.Chtimes(filepath.Join(l.dir, glimpseSeen), now, now) // else it is forgotten early
	return seen, nil
}

// open takes the folder of a run for us alone.
func (g *Glimpses) open(ctx context.Context, s Sight) (*looking, error) {
	dir := g.place(s)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(dir, glimpseLock))
	if _, err := lock.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		return nil, fmt.Errorf("look at %s: %w", s.ID, err)
	}
	return &looking{
		Sight: s, dir: dir, lock: lock,
		remote: remote{name: shown(s.Remote), url: s.Remote, repo: filepath.Join(dir, glimpseGit), git: g.git.In(g.root)},
	}, nil
}

// looking is one look at a run. Nobody else has its folder.
type looking struct {
	Sight
	dir    string
	lock   *flock.Flock
	remote remote
}

// fresh tells whether nothing was ever brought.
func (l *looking) fresh() bool {
	_, err := os.Lstat(l.remote.repo)
	return errors.Is(err, fs.ErrNotExist)
}

// was is what was seen last; nil: nothing, or nothing that can be read.
func (l *looking) was(ctx context.Context) *Glimpse {
	b, err := files.ReadFile(ctx, filepath.Join(l.dir, glimpseSeen), 1<<10)
	if err != nil {
		return nil
	}
	at := strings.TrimSpace(string(b))
	a, err := l.remote.records(ctx, at, l.ID)
	if err != nil {
		return nil
	}
	seen := l.glimpse(a)
	if _, err := seen.Store.Load(seen.Name); err != nil {
		return nil
	}
	return seen
}

func (l *looking) glimpse(a *arrival) *Glimpse {
	store := journal.Store{Dir: l.dir, Tree: filepath.Join(l.dir, "work")}
	return &Glimpse{Glimpse: journal.Glimpse{Store: store, Name: a.card.Name}, Card: a.card, At: a.at}
}

// see fetches the state of now, unless it is the one that was seen, and lays it out.
func (l *looking) see(ctx context.Context, was *Glimpse) (*Glimpse, error) {
	ref := Prefix + l.ID
	if was != nil && l.At == was.At {
		return was, nil
	}
	if l.At == "" || l.fresh() {
		at, err := l.remote.look(ctx, ref)
		switch {
		case err != nil:
			return nil, err
		case at == "":
			return nil, &UnknownError{"the run is not on " + l.remote.name, "it comes there when its first leg begins; \"refrain carry ls\" lists those that are"}
		case was != nil && at == was.At:
			return was, nil
		}
		l.At = at
	}
	format := "sha1"
	if len(l.At) == 64 {
		format = "sha256"
	}
	if err := outfit(l.remote.repo, format, ""); err != nil {
		return nil, err
	}
	var tips []string
	if was != nil {
		tips = []string{was.At}
	}
	if err := l.remote.fetch(ctx, ref, tips, l.depth()...); err != nil {
		return nil, err
	}
	out, err := l.remote.run(ctx, nil, nil, "rev-parse", "--verify", "-q", ref+"^{commit}")
	if err != nil {
		return nil, &ForeignError{What: "its ref is at no commit"}
	}
	a, err := l.remote.records(ctx, strings.TrimSpace(out), l.ID)
	if err != nil {
		return nil, err
	}
	return l.lay(ctx, a, was)
}

// depth is how much a fetch brings: the state alone, unless its history is here.
func (l *looking) depth() []string {
	if _, err := l.remote.run(context.Background(), nil, nil, "rev-parse", "-q", "--verify", Prefix+l.ID); err == nil && !l.shallow() {
		return nil
	}
	return []string{"--depth=1"}
}

// shallow tells whether there is history that is not here.
func (l *looking) shallow() bool {
	_, err := os.Lstat(filepath.Join(l.remote.repo, "shallow"))
	return err == nil
}

// lay makes the folder of the run what a state says. What was there and is in the state
// stays as it is.
func (l *looking) lay(ctx context.Context, a *arrival, was *Glimpse) (*Glimpse, error) {
	luggage, err := a.luggage(ctx, &l.remote)
	if err != nil {
		return nil, err
	}
	seen := l.glimpse(a)
	have := map[string]string{}
	if was != nil && was.Name == seen.Name {
		before, err := l.remote.records(ctx, was.At, l.ID)
		if err != nil {
			return nil, err
		}
		for _, f := range before.files {
			have[f.name] = f.object
		}
	} else if err := os.RemoveAll(filepath.Join(l.dir, "runs")); err != nil {
		return nil, err
	}
	news := *a
	news.files = slices.DeleteFunc(slices.Clone(a.files), func(f found) bool {
		same := have[f.name] == f.object
		delete(have, f.name)
		return same
	})
	for _, name := range slices.Sorted(maps.Keys(have)) { // it is no longer kept
		if top, _, _ := strings.Cut(name, "/"); top == attemptsDir {
			_ = os.Remove(filepath.Join(seen.Dir(), filepath.FromSlash(name)))
		}
	}
	err = news.each(ctx, &l.remote, []string{attemptsDir}, func(name string, b []byte) error {
		to := filepath.Join(seen.Dir(), filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		return files.Replace(to, b, 0o600, files.NoSync)
	})
	if err != nil {
		return nil, fmt.Errorf("show %s: %w", path.Join(a.card.Name, attemptsDir), err)
	}
	if err := seen.Show(luggage); err != nil {
		return nil, foreign(err)
	}
	return seen, files.Replace(filepath.Join(l.dir, glimpseSeen), []byte(a.at+"\n"), 0o600, files.NoSync)
}

// Clean removes what nobody has wanted to see for a while, and gives how many runs that
// were. One that somebody is looking at now stays.
func (g *Glimpses) Clean(before time.Time) (gone int, err error) {
	entries, err := os.ReadDir(g.root)
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		dir := filepath.Join(g.root, e.Name())
		info, err := os.Stat(filepath.Join(dir, glimpseSeen))
		if errors.Is(err, fs.ErrNotExist) {
			info, err = os.Stat(dir)
		}
		if err != nil || !e.IsDir() || !info.ModTime().Before(before) {
			continue
		}
		lock := flock.New(filepath.Join(dir, glimpseLock))
		if ok, err := lock.TryLock(); err != nil || !ok {
			continue
		}
		if err := forget(dir, lock); err != nil {
			return gone, err
		}
		gone++
	}
	return gone, nil
}

// forget removes the folder of a run whose lock we have. The lock goes last: some
// systems remove no file that is open.
func forget(dir string, lock *flock.Flock) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if e.Name() != glimpseLock {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	return errors.Join(err, lock.Close(), os.RemoveAll(dir))
}
