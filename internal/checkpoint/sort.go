package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/git"
)

// sorter sorts what git reports of a work tree: what a checkpoint has to do, and what
// it then knows.
type sorter struct {
	tree  *git.Tree
	user  *userRepo
	repo  *shadow
	umask *umask
	limit int64

	keep   []string // paths to bring into the index as they are
	drop   []string // paths to take out of it
	staged bool     // the index is ahead of the last checkpoint: after a restore, or when somebody was killed
	facts  facts

	large []git.Record
	modes map[string]fs.FileMode
	links map[string]bool // repositories inside the tree, and whether their commit is in the index
}

// sort sorts what git reports: the runner's own files never count, what is too
// large or cannot be read is skipped, and a repository inside the tree is only
// watched. What is to be dropped is dropped.
func (s *sorter) sort(ctx context.Context, records []git.Record, last *Checkpoint, seeded []string) error {
	s.modes, s.links = map[string]fs.FileMode{}, map[string]bool{}
	if last != nil {
		s.begin(last.facts)
	} else if err := s.firstModes(ctx, seeded); err != nil {
		return err
	}
	dropped := map[string]bool{}
	for _, name := range s.drop {
		dropped[name] = true
		delete(s.modes, name)
	}
	for _, r := range records {
		if rel, below := s.tree.Below(r.Path); dropped[r.Path] || below && s.tree.Own(rel) || s.tree.IsRecord(r.Path) {
			continue
		}
		inIndex := r.Index != '.' && r.Index != '?'
		s.staged = s.staged || inIndex
		switch name, isRepository := strings.CutSuffix(r.Path, "/"); {
		case isRepository:
			if s.links[name] = s.hasCommit(ctx, name); s.links[name] {
				s.keep = append(s.keep, name)
			}
			continue
		case r.Linked && r.File != 'D':
			s.links[name] = true
		default:
			delete(s.links, name)
		}
		// What a restore brought back is in the index already, but not with
		// which permissions.
		restored := last != nil && inIndex && r.Index != 'D'
		if !r.Differs() && !restored {
			continue
		}
		if err := s.sortFile(r); err != nil {
			return err
		}
	}
	if err := s.sortLarge(ctx); err != nil {
		return err
	}
	for name, mode := range s.modes {
		s.facts.Modes = append(s.facts.Modes, oddMode{Path: []byte(name), Mode: mode})
	}
	var err error
	s.facts.Nested, err = s.watch(ctx)
	return err
}

// begin takes over what the last checkpoint knew and git does not report again.
func (s *sorter) begin(known facts) {
	for _, m := range known.Modes {
		s.modes[string(m.Path)] = m.Mode
	}
	for _, n := range known.Nested {
		if name := string(n.Path); n.Link && !slices.Contains(s.drop, name) {
			s.links[name] = true
		}
	}
}

// sortFile decides about one path. Git has looked whether it is there; whatever
// stands in the place of a path that is gone is beyond a link.
func (s *sorter) sortFile(r git.Record) error {
	delete(s.modes, r.Path)
	at := s.user.path(r.Path)
	info, err := os.Lstat(at)
	switch {
	case r.File == 'D' || files.Absent(err):
		s.drop = append(s.drop, r.Path)
	case err != nil:
		s.skip(r, "cannot be looked at: "+files.Cause(err), "")
	case info.IsDir() && !r.Linked:
		s.drop = append(s.drop, r.Path)
	case info.IsDir() || info.Mode()&fs.ModeSymlink != 0:
		s.keep = append(s.keep, r.Path)
	case !info.Mode().IsRegular():
		s.skip(r, "neither a file nor a link", files.Stamp(info))
	case info.Size() > s.limit:
		s.large = append(s.large, r)
	default:
		if err := files.CanRead(at); err != nil && !files.Absent(err) {
			s.skip(r, "cannot be read: "+files.Cause(err), files.Stamp(info))
			return nil
		}
		s.keep = append(s.keep, r.Path)
		odd, err := s.umask.odd(info.Mode())
		if odd {
			s.modes[r.Path] = info.Mode().Perm()
		}
		return err
	}
	return nil
}

// sortLarge keeps large files that the user's repository tracks: there somebody
// decided that they are work.
func (s *sorter) sortLarge(ctx context.Context) error {
	if len(s.large) == 0 {
		return nil
	}
	tracked, err := s.trackedOf(ctx, s.large)
	if err != nil {
		return err
	}
	for _, r := range s.large {
		info, err := os.Lstat(s.user.path(r.Path))
		switch {
		case err != nil: // gone meanwhile
			s.drop = append(s.drop, r.Path)
		case slices.Contains(tracked, r.Path):
			s.keep = append(s.keep, r.Path)
		default:
			s.skip(r, fmt.Sprintf("%s, above the limit of %s", size(info.Size()), size(s.limit)), files.Stamp(info))
		}
	}
	return nil
}

// trackedOf is which of the files the user's repository tracks. When it is gone,
// what was kept before still counts.
func (s *sorter) trackedOf(ctx context.Context, list []git.Record) ([]string, error) {
	var paths []string
	args := []string{"ls-files", "-z", "--"}
	for _, r := range list {
		if r.Index != '?' {
			paths = append(paths, r.Path)
		}
		args = append(args, ":(top,literal)"+r.Path)
	}
	if s.user.gone() {
		return paths, nil
	}
	out, err := s.user.ask(ctx, git.Command{}, args...)
	var failed *git.Error
	if err != nil && !errors.As(err, &failed) { // an index that git cannot read tracks nothing
		return nil, err
	}
	return git.SplitNUL(out), nil
}

// skip leaves a file out. When an earlier checkpoint had it, this one has not.
func (s *sorter) skip(r git.Record, why, stamp string) {
	s.facts.Skipped = append(s.facts.Skipped, skippedFile{Path: []byte(r.Path), Why: why, Stamp: stamp})
	if r.Index != '?' {
		s.drop = append(s.drop, r.Path)
	}
}

func size(bytes int64) string {
	const mega = 1 << 20
	if bytes < mega {
		return fmt.Sprintf("%d bytes", bytes)
	}
	return fmt.Sprintf("%d MiB", bytes/mega)
}

// firstModes takes note of the permissions of all files that the index has: of
// those that are as it says, git does not report any.
func (s *sorter) firstModes(ctx context.Context, names []string) error {
	if names == nil {
		out, err := s.repo.run(ctx, git.Command{}, "ls-files", "-z")
		if err != nil {
			return err
		}
		names = git.SplitNUL(out)
	}
	if _, err := s.umask.mask(); err != nil {
		return err
	}
	const share = 1000
	var mu sync.Mutex
	var looking sync.WaitGroup
	for part := range slices.Chunk(names, max(share, len(names)/runtime.GOMAXPROCS(0)+1)) {
		looking.Go(func() {
			for _, name := range part {
				info, err := os.Lstat(s.user.path(name))
				if err != nil || !info.Mode().IsRegular() || ctx.Err() != nil {
					continue // sorted with what has changed
				}
				if odd, _ := s.umask.odd(info.Mode()); odd {
					mu.Lock()
					s.modes[name] = info.Mode().Perm()
					mu.Unlock()
				}
			}
		})
	}
	looking.Wait()
	return context.Cause(ctx)
}

// umask is what the system takes from the permissions of new files. A file tells
// it: to ask the system is to change it for a moment, for every goroutine.
type umask struct {
	probe string // where that file may be made
	known *fs.FileMode
}

// mask is the bits that are taken.
func (u *umask) mask() (fs.FileMode, error) {
	if u.known != nil {
		return *u.known, nil
	}
	_ = os.Remove(u.probe) // of one who died
	f, err := os.OpenFile(u.probe, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o777)
	if err != nil {
		return 0, fmt.Errorf("learn the usual permissions: %w", err)
	}
	defer os.Remove(u.probe)
	info, err := f.Stat()
	if err := errors.Join(err, f.Close()); err != nil {
		return 0, fmt.Errorf("learn the usual permissions: %w", err)
	}
	mask := 0o777 &^ info.Mode().Perm()
	u.known = &mask
	return mask, nil
}

// odd tells whether a file has permissions that it would not get when git
// writes it.
func (u *umask) odd(mode fs.FileMode) (bool, error) {
	mask, err := u.mask()
	if err != nil {
		return false, err
	}
	return mode.Perm() != usual(mode, mask), nil
}

// usual is what git gives a file, which may be executed or not.
func usual(mode, mask fs.FileMode) fs.FileMode {
	if mode&0o100 != 0 {
		return 0o777 &^ mask
	}
	return 0o666 &^ mask
}

// watch takes the print of every repository inside the tree that is still
// there; links say whether its commit is in the index. A submodule that
// nobody has fetched may be fetched later. What lies outside of the run's work
// tree is not looked into: its changes do not count.
func (s *sorter) watch(ctx context.Context) ([]nested, error) {
	var all []nested
	for name, linked := range s.links {
		n := nested{Path: []byte(name), Link: linked}
		_, err := os.Lstat(filepath.Join(s.user.path(name), ".git"))
		switch rel, below := s.tree.Below(name); {
		case err != nil && !linked:
			continue
		case err == nil && below:
			if n.Print, err = git.FolderPrint(ctx, s.tree, rel); err != nil {
				return nil, err
			}
		}
		all = append(all, n)
	}
	return all, nil
}

// hasCommit tells whether a repository inside the tree has a commit to keep.
// Git refuses to add one that has none.
func (s *sorter) hasCommit(ctx context.Context, name string) bool {
	at := s.user.path(name)
	alone := git.Command{Env: []string{"GIT_CEILING_DIRECTORIES=" + filepath.Dir(at)}}
	_, err := s.user.git.In(at).RunWith(ctx, alone, "rev-parse", "--quiet", "--verify", "HEAD^{commit}")
	return err == nil
}
