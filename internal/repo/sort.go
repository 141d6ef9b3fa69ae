package repo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// changed is what a checkpoint has to do, and what it then knows.
type changed struct {
	keep   []string // paths to bring into the index as they are
	drop   []string // paths to take out of it
	staged bool     // the index is ahead of the last checkpoint: somebody was killed in between
	facts  facts
}

// sort sorts what git reports: the runner's own files never count, what is too
// large or cannot be read is skipped, and a repository inside the tree is only
// watched. What is to be dropped is dropped.
func (s *Store) sort(ctx context.Context, records []record, drop []string, last *Checkpoint) (changed, error) {
	c := changed{drop: drop}
	var known facts
	if last != nil {
		known = last.facts
	}
	modes := map[string]fs.FileMode{}
	for _, m := range known.Modes {
		modes[string(m.Path)] = m.Mode
	}
	links := map[string]bool{}
	for _, n := range known.Nested {
		if n.Link && !slices.Contains(drop, string(n.Path)) {
			links[string(n.Path)] = true
		}
	}
	var large []record
	for _, r := range records {
		if rel, below := s.below(r.path); below && s.tree.own(rel) {
			continue
		}
		c.staged = c.staged || r.index != '.' && r.index != '?'
		name, folder := strings.CutSuffix(r.path, "/")
		switch {
		case folder:
			links[name] = s.hasCommit(ctx, name)
			if links[name] {
				c.keep = append(c.keep, name)
			}
			continue
		case r.linked:
			links[name] = true
		}
		// What a restore brought back is in the index already, but not with
		// which permissions.
		restored := last != nil && r.index != '.' && r.index != 'D'
		if !r.differs() && !restored {
			continue
		}
		delete(modes, name)
		if r.file == 'D' { // whatever is there now, it is beyond a link
			c.drop = append(c.drop, name)
			continue
		}
		info, err := os.Lstat(s.origin.path(name))
		switch {
		case err != nil && !absent(err):
			c.skip(r, "cannot be looked at: "+reason(err), "")
		case err != nil || info.IsDir() && !r.linked:
			c.drop = append(c.drop, name)
		case info.IsDir() || info.Mode()&fs.ModeSymlink != 0:
			c.keep = append(c.keep, name)
		case !info.Mode().IsRegular():
			c.skip(r, "neither a file nor a link", stampOf(info))
		case info.Size() > s.Limit:
			large = append(large, r)
		default:
			if err := readable(s.origin.path(name)); err != nil && !absent(err) {
				c.skip(r, "cannot be read: "+reason(err), stampOf(info))
				continue
			}
			c.keep = append(c.keep, name)
			odd, err := s.odd(info.Mode())
			if err != nil {
				return changed{}, err
			}
			if odd {
				modes[name] = info.Mode().Perm()
			}
		}
	}
	if err := s.sortLarge(ctx, large, &c); err != nil {
		return changed{}, err
	}
	for name, mode := range modes {
		c.facts.Modes = append(c.facts.Modes, oddMode{Path: []byte(name), Mode: mode})
	}
	var err error
	c.facts.Nested, err = s.watch(ctx, links)
	return c, err
}

// sortLarge keeps large files that the user's repository tracks: there somebody
// decided that they are work.
func (s *Store) sortLarge(ctx context.Context, large []record, c *changed) error {
	if len(large) == 0 {
		return nil
	}
	args := []string{"ls-files", "-z", "--"}
	for _, r := range large {
		args = append(args, ":(top,literal)"+r.path)
	}
	out, err := s.ask(ctx, command{}, args...)
	var failed *gitError
	if err != nil && !errors.As(err, &failed) { // an index that git cannot read tracks nothing
		return err
	}
	tracked := splitNUL(out)
	for _, r := range large {
		if slices.Contains(tracked, r.path) {
			c.keep = append(c.keep, r.path)
			continue
		}
		info, err := os.Lstat(s.origin.path(r.path))
		if err != nil { // gone meanwhile
			c.keep = append(c.keep, r.path)
			continue
		}
		c.skip(r, fmt.Sprintf("%s, above the limit of %s", size(info.Size()), size(s.Limit)), stampOf(info))
	}
	return nil
}

// skip leaves a file out. When an earlier checkpoint had it, this one has not.
func (c *changed) skip(r record, why, stamp string) {
	c.facts.Skipped = append(c.facts.Skipped, skippedFile{Path: []byte(r.path), Why: why, Stamp: stamp})
	if r.index != '?' {
		c.drop = append(c.drop, r.path)
	}
}

func readable(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return f.Close()
}

// reason is the cause alone: the path is said already.
func reason(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

func size(bytes int64) string {
	const mega = 1 << 20
	if bytes < mega {
		return fmt.Sprintf("%d bytes", bytes)
	}
	return fmt.Sprintf("%d MiB", bytes/mega)
}

// odd tells whether a file has permissions that it would not get when git
// writes it.
func (s *Store) odd(mode fs.FileMode) (bool, error) {
	mask, err := s.mask()
	if err != nil {
		return false, err
	}
	perm := mode.Perm()
	return perm != 0o666&^mask && perm != 0o777&^mask, nil
}

// mask is what the system takes from the permissions of new files. A file tells
// it: to ask the system is to change it for a moment, for every goroutine.
func (s *Store) mask() (fs.FileMode, error) {
	if s.umask != nil {
		return *s.umask, nil
	}
	path := s.head() + ".mask"
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o777)
	if err != nil {
		return 0, fmt.Errorf("learn the usual permissions: %w", err)
	}
	defer os.Remove(path)
	info, err := f.Stat()
	if err := errors.Join(err, f.Close()); err != nil {
		return 0, fmt.Errorf("learn the usual permissions: %w", err)
	}
	mask := 0o777 &^ info.Mode().Perm()
	s.umask = &mask
	return mask, nil
}
