package checkpoint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/git"
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

	tree   *git.Tree
	dir    string
	pool   string // where stores share what they copied; empty: nowhere
	origin origin // with git only
	kept   kept   // with git only
	seals  seals  // with git only

	sealing  sync.Mutex
	intactAt map[string]string // how sealed files looked when they were read

	last     *Checkpoint // the one that HEAD named when we looked
	tracked  tracked
	compared comparison
	stood    stood // where the branches were when git was last asked
	umask    *fs.FileMode
	seeded   []string // the files of an index that was just made; nil when it was not
}

// OpenStore opens the store of a tree in dir, and makes it when there is none. Of
// what kind it is, its own files say: a repository that was deleted during a run,
// or that git no longer takes for one, does not make its checkpoints unreadable.
// What stores copy out of the user's repository they share in the folder pool,
// which should be on their disk, and out of an agent's reach; empty: each has its
// own.
func OpenStore(ctx context.Context, t *git.Tree, dir, pool string) (*Store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open the checkpoints: %w", err)
	}
	s := &Store{Limit: sizeLimit, tree: t, dir: dir, pool: pool}
	switch kind, err := s.kind(); {
	case err != nil:
		return nil, fmt.Errorf("open the checkpoints: %w", err)
	case kind == withGit:
		if err := s.open(ctx); err != nil {
			return nil, fmt.Errorf("open the checkpoints: %w", err)
		}
		return s, nil
	case kind == ofLists || !t.Git():
		s.tree = t.Plain()
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("open the checkpoints: %w", err)
		}
		return s, nil
	}
	if s.origin, err = findOrigin(ctx, t); err != nil {
		return nil, err
	}
	if err := s.make(ctx); err != nil {
		return nil, fmt.Errorf("make a store for checkpoints in %s: %w", dir, err)
	}
	return s, nil
}

// The kinds of stores.
const (
	notMade = iota
	withGit
	ofLists
)

// kind tells by its files what the store is.
func (s *Store) kind() (int, error) {
	switch _, err := os.Lstat(s.head()); {
	case err == nil:
		return withGit, nil
	case !files.Absent(err):
		return notMade, err
	}
	entries, err := os.ReadDir(s.dir)
	if ignoring(err, fs.ErrNotExist) != nil {
		return notMade, err
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), listEnding) {
			return ofLists, nil
		}
	}
	return notMade, nil
}

// kept is what a store knows of the repository that it was made for.
type kept struct {
	Format string `json:"format"`
	Prefix string `json:"prefix"` // from the top of the work tree to the folder of the run
	Top    string `json:"top"`    // where that was
	Dir    string `json:"dir"`    // and its git folder

	Borrows []string `json:"borrows,omitempty"` // folders of objects that it borrowed from
}

func (k kept) text() (string, error) {
	text, err := json.Marshal(k)
	return string(text), err
}

// keptName is the file of that.
const keptName = "origin.json"

// open opens a store that was made with git.
func (s *Store) open(ctx context.Context) error {
	var err error
	if s.kept, err = s.readKept(ctx); err != nil {
		return err
	}
	s.tree = s.tree.As(s.kept.Prefix)
	s.origin = origin{top: s.tree.Top(), format: s.kept.Format}.locate(s.kept)
	like, err := s.readLike(ctx)
	if err != nil {
		return err
	}
	if s.seals, err = s.sealsOf(like); err != nil {
		return err
	}
	_, err = s.seal()
	return err
}

// readKept reads for which repository the store was made.
func (s *Store) readKept(ctx context.Context) (kept, error) {
	text, err := files.ReadFile(ctx, s.at(keptName), git.SmallFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s.keptBefore(ctx)
	case err != nil:
		return kept{}, err
	}
	var k kept
	if err := json.Unmarshal(text, &k); err != nil {
		return k, fmt.Errorf("read %s: %w", keptName, err)
	}
	if prefix := filepath.FromSlash(k.Prefix); prefix != "" && !filepath.IsLocal(prefix) {
		return k, fmt.Errorf("read %s: %q is not a folder of the work tree", keptName, prefix)
	}
	return k, nil
}

// keptBefore is what a store of an older version does not say. When git does not
// say it either, it was made for a repository at the folder of the run.
func (s *Store) keptBefore(ctx context.Context) (kept, error) {
	config, err := files.ReadFile(ctx, s.at("config"), git.SmallFile)
	if err != nil {
		return kept{}, err
	}
	k := kept{Format: "sha1"}
	if strings.Contains(string(config), "objectFormat = sha256") {
		k.Format = "sha256"
	}
	if k.Borrows, err = s.readBorrows(ctx); err != nil || !s.tree.Git() {
		return k, err
	}
	o, err := findOrigin(ctx, s.tree)
	k.Prefix, k.Top, k.Dir = s.tree.Prefix(), o.top, o.dir
	return k, err
}

// CanRestore tells whether checkpoints hold what the files held. Without git
// they tell only which files there were.
func (s *Store) CanRestore() bool { return s.tree.Git() }

func (s *Store) head() string    { return filepath.Join(s.dir, "HEAD") }
func (s *Store) index() string   { return filepath.Join(s.dir, "index") }
func (s *Store) objects() string { return filepath.Join(s.dir, "objects") }

// git runs git on the store. Its index has no other user, so git may write to it
// what it learns about files.
func (s *Store) git(ctx context.Context, c git.Command, args ...string) ([]byte, error) {
	return s.gitAt(ctx, s.origin.top, c, args...)
}

// unattributed leaves out the attributes that the user gives to the files of every
// repository: what a store keeps is what is on the disk.
var unattributed = git.Setting{Key: "core.attributesFile", Value: os.DevNull}

// gitAt is git with another folder as work tree.
func (s *Store) gitAt(ctx context.Context, top string, c git.Command, args ...string) ([]byte, error) {
	c.Env = slices.Concat([]string{"GIT_DIR=" + s.dir, "GIT_WORK_TREE=" + top, "GIT_OPTIONAL_LOCKS=1"}, c.Env)
	c.Settings = append(c.Settings, unattributed)
	return s.tree.Program().In(top).RunWith(ctx, c, args...)
}

// needGit refuses what a list of files cannot give.
func (s *Store) needGit(act string) error {
	if s.tree.Git() {
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
	return e.Path + " is gone: were the records of the run deleted?"
}

// Hint says what to do.
func (e *GoneError) Hint() string {
	return "put the folder back, or begin a new run"
}
