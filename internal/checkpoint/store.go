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

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/watch"
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
//
//	make     the user's objects, by way of the pool, and index ─► the store        maker
//	take     what differs from the index ─► sorted ─► index ─► tree ─► commit      sorter
//	compare  two trees ─► edits ─► what counts                                     comparer
//	restore  a checkpoint of now first; then edits ─► files, but for ignored ones  restorer
//
// Before each, the files that tell git how to treat the store are as they were
// made: see seal.
type Store struct {
	// Limit is the size in bytes above which a file is not kept, unless the
	// user's repository tracks it.
	Limit int64

	tree *git.Tree
	dir  string
	list *lists // without git

	// What it is made of, with git.
	made    madeFor
	user    *userRepo
	repo    *shadow
	seal    *seal
	rules   ruleFiles
	trees   Trees
	umask   *umask
	packer  *packer
	lookout lookout

	// What is known from one checkpoint to the next.
	last    *Checkpoint // the one that HEAD named when we looked
	tracked tracked
	glanced bool     // the last look was not at everything
	anew    string   // why there is no last one any more; empty once it was said
	seeded  []string // the files of an index that was just made; nil when it was not
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
	s := &Store{Limit: sizeLimit, tree: t, dir: dir}
	switch kind, err := kindOf(dir); {
	case err != nil:
		return nil, fmt.Errorf("open the checkpoints: %w", err)
	case kind == withGit:
		if err := s.open(ctx); err != nil {
			return nil, fmt.Errorf("open the checkpoints: %w", err)
		}
		return s, nil
	case kind == ofLists || !t.Git():
		s.tree = t.Plain()
		s.list = &lists{dir: dir, tree: s.tree}
		s.putTogether(&userRepo{git: s.tree.Program(), top: s.tree.Dir()}, madeFor{}, nil)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("open the checkpoints: %w", err)
		}
		return s, nil
	}
	user, err := findUserRepo(ctx, t)
	if err != nil {
		return nil, err
	}
	m := maker{tree: t, user: user, dir: dir, pool: pool}
	if err := m.make(ctx); err != nil {
		return nil, fmt.Errorf("make a store for checkpoints in %s: %w", dir, err)
	}
	s.putTogether(user, m.made, m.sealed)
	s.seeded, s.tracked.stamp = m.files, m.indexStamp
	return s, nil
}

// putTogether gives a store its parts, which without git have nothing to say.
func (s *Store) putTogether(user *userRepo, made madeFor, sealed map[string]string) {
	s.user, s.made = user, made
	s.repo = &shadow{dir: s.dir, git: s.tree.Program(), top: user.top, format: user.format}
	s.seal = &seal{repo: s.repo, files: sealed}
	s.rules = ruleFiles{s.repo, user}
	s.umask = &umask{probe: s.repo.head() + ".mask"}
	s.packer = &packer{repo: s.repo}
	s.lookout = lookout{top: user.top, start: watch.Start}
	s.trees = Trees{tree: s.tree, repo: s.repo, seal: s.seal, compared: &comparer{tree: s.tree, repo: s.repo}}
}

// The kinds of stores.
const (
	notMade = iota
	withGit
	ofLists
)

// kindOf tells by its files what the store in a folder is.
func kindOf(dir string) (int, error) {
	switch _, err := os.Lstat(filepath.Join(dir, "HEAD")); {
	case err == nil:
		return withGit, nil
	case !files.Absent(err):
		return notMade, err
	}
	entries, err := os.ReadDir(dir)
	if files.Ignoring(err, fs.ErrNotExist) != nil {
		return notMade, err
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), listEnding) {
			return ofLists, nil
		}
	}
	return notMade, nil
}

// madeFor is what a store knows of the repository that it was made for.
type madeFor struct {
	Format string `json:"format"`
	Prefix string `json:"prefix"` // from the top of the work tree to the folder of the run
	Top    string `json:"top"`    // where that was
	Dir    string `json:"dir"`    // and its git folder

	Borrows []string `json:"borrows,omitempty"` // folders of objects that it borrowed from
}

// madeForFile is the file of that.
const madeForFile = "origin.json"

// open opens a store that was made with git.
func (s *Store) open(ctx context.Context) error {
	made, err := s.readMadeFor(ctx)
	if err != nil {
		return err
	}
	s.tree = s.tree.As(made.Prefix)
	user := &userRepo{git: s.tree.Program(), top: s.tree.Top(), format: made.Format}
	user.locate(made)
	like, err := readLike(ctx, s.dir)
	if err != nil {
		return err
	}
	sealed, err := sealedFiles(made, like)
	if err != nil {
		return err
	}
	s.putTogether(user, made, sealed)
	_, err = s.seal.check()
	return err
}

// readMadeFor reads for which repository the store was made.
func (s *Store) readMadeFor(ctx context.Context) (madeFor, error) {
	text, err := files.ReadFile(ctx, filepath.Join(s.dir, madeForFile), git.SmallFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s.guessMadeFor(ctx)
	case err != nil:
		return madeFor{}, err
	}
	var k madeFor
	if err := json.Unmarshal(text, &k); err != nil {
		return k, fmt.Errorf("read %s: %w", madeForFile, err)
	}
	if prefix := filepath.FromSlash(k.Prefix); prefix != "" && !filepath.IsLocal(prefix) {
		return k, fmt.Errorf("read %s: %q is not a folder of the work tree", madeForFile, prefix)
	}
	return k, nil
}

// guessMadeFor is what a store of an older version does not say. When git does not
// say it either, it was made for a repository at the folder of the run.
func (s *Store) guessMadeFor(ctx context.Context) (madeFor, error) {
	config, err := files.ReadFile(ctx, filepath.Join(s.dir, "config"), git.SmallFile)
	if err != nil {
		return madeFor{}, err
	}
	k := madeFor{Format: "sha1"}
	if strings.Contains(string(config), "objectFormat = sha256") {
		k.Format = "sha256"
	}
	if k.Borrows, err = readBorrows(ctx, s.dir); err != nil || !s.tree.Git() {
		return k, err
	}
	u, err := findUserRepo(ctx, s.tree)
	if err != nil {
		return k, err
	}
	k.Prefix, k.Top, k.Dir = s.tree.Prefix(), u.top, u.dir
	return k, nil
}

// likeLine is a line of the settings that are as the user's.
var likeLine = text.NewPattern(`^\t(` + alikeKeys + `) = "([^"\\]|\\.)*"$`)

// readLike is the settings that the store shares with the user's repository, from
// a store that is there: none but those.
func readLike(ctx context.Context, dir string) (string, error) {
	text, err := files.ReadFile(ctx, filepath.Join(dir, shared), git.SmallFile)
	if err != nil && !files.Absent(err) && !errors.As(err, new(*files.NotRegularError)) {
		return "", err
	}
	like := "[core]\n"
	for line := range strings.Lines(string(text)) {
		if likeLine().MatchString(strings.TrimSuffix(line, "\n")) {
			like += line
		}
	}
	return like, nil
}

// readBorrows is where an older store, which does not say it, borrows from.
func readBorrows(ctx context.Context, dir string) ([]string, error) {
	text, err := files.ReadFile(ctx, filepath.Join(dir, filepath.FromSlash(alternates)), git.SmallFile)
	if err != nil {
		return nil, files.Ignoring(err, fs.ErrNotExist)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"), nil
}

// CanRestore tells whether checkpoints hold what the files held. Without git
// they tell only which files there were.
func (s *Store) CanRestore() bool { return s.list == nil }

// Trees gives the trees of the store.
func (s *Store) Trees() Trees { return s.trees }

// Listed names the files that a checkpoint without git has.
func (s *Store) Listed(c Checkpoint) []string {
	var paths []string
	for _, f := range c.files {
		paths = append(paths, string(f.Path))
	}
	return paths
}

// Checkout writes the files of a tree into dir, which must not be there yet. It
// must be outside of the work tree: programs that look upward for their
// settings would find those of the work tree.
func (s *Store) Checkout(ctx context.Context, dir, tree string) (*Checkout, error) {
	if err := s.needGit("make a clean checkout"); err != nil {
		return nil, err
	}
	c, err := newCheckout(ctx, s.trees, dir, tree)
	if err != nil {
		return nil, fmt.Errorf("make a clean checkout: %w", err)
	}
	return c, nil
}

// Tidy packs what the store holds from now on, beside everything else and one pack
// at a time, until stop is called, which waits a moment for one that is under way.
func (s *Store) Tidy(ctx context.Context) (stop func()) {
	if s.list != nil {
		return func() {}
	}
	return s.packer.begin(ctx, s.seeded == nil) // one that was there somebody may have left half done
}

// Watch has a Glance look only at what the system tells of, in trees of so many files
// or more, until stop is called.
func (s *Store) Watch(from int) (stop func()) {
	s.lookout.from = from
	return s.lookout.end
}

// Watched tells whether a Glance may be less than a look at everything; without a store
// there is none.
func (s *Store) Watched() bool { return s != nil && s.list == nil && s.lookout.from > 0 }

// needGit refuses what a list of files cannot give.
func (s *Store) needGit(act string) error {
	if s.list == nil {
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

// shadow is the repository of a store: its own index, objects and settings, with the
// user's files as its work tree. What it holds is what is on the disk, and nobody
// else writes to it.
type shadow struct {
	dir    string // of the repository
	git    git.Program
	top    string // of the user's work tree
	format string // of the names of objects: "sha1" or "sha256"

	atWork atWork
	whole  bool // git has written the tree once: all that the index knows are in the store
}

// at is where a file of the repository is.
func (r *shadow) at(name string) string { return filepath.Join(r.dir, filepath.FromSlash(name)) }

func (r *shadow) head() string    { return r.at("HEAD") }
func (r *shadow) index() string   { return r.at("index") }
func (r *shadow) objects() string { return r.at("objects") }
func (r *shadow) exclude() string { return r.at("info/exclude") }

// run runs git on the repository. Its index has no other user, so git may write to
// it what it learns about files.
func (r *shadow) run(ctx context.Context, c git.Command, args ...string) ([]byte, error) {
	return r.runAt(ctx, r.top, c, args...)
}

// unattributed leaves out the attributes that the user gives to the files of every
// repository: what a store keeps is what is on the disk.
var unattributed = git.Setting{Key: "core.attributesFile", Value: os.DevNull}

// private makes what git writes into a store readable for its owner alone, whatever
// the umask: it holds the user's files.
var private = git.Setting{Key: "core.sharedRepository", Value: "0600"}

// runAt is run with another folder as work tree.
func (r *shadow) runAt(ctx context.Context, top string, c git.Command, args ...string) ([]byte, error) {
	c.Env = slices.Concat([]string{"GIT_DIR=" + r.dir, "GIT_WORK_TREE=" + top, "GIT_OPTIONAL_LOCKS=1"}, c.Env)
	c.Settings = append(c.Settings, unattributed, private)
	defer r.atWork.begin()()
	return r.git.In(top).RunWith(ctx, c, args...)
}

// update takes paths out of the index, and brings others into it as they are now.
func (r *shadow) update(ctx context.Context, drop, keep []string) error {
	for _, part := range []struct {
		paths []string
		args  []string
	}{
		{drop, []string{"update-index", "-z", "--force-remove", "--stdin"}},
		{keep, []string{"update-index", "-z", "--add", "--remove", "--replace", "--stdin"}},
	} {
		if len(part.paths) == 0 {
			continue
		}
		if _, err := r.run(ctx, git.Command{Stdin: git.JoinNUL(part.paths)}, part.args...); err != nil {
			return err
		}
	}
	return nil
}
