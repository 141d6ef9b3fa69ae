package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/git"
)

// changed is what a checkpoint has to do, and what it then knows.
type changed struct {
	keep   []string // paths to bring into the index as they are
	drop   []string // paths to take out of it
	staged bool     // the index is ahead of the last checkpoint: after a restore, or when somebody was killed
	facts  facts

	large []record
	modes map[string]fs.FileMode
	links map[string]bool // repositories inside the tree, and whether their commit is in the index
}

// sort sorts what git reports: the runner's own files never count, what is too
// large or cannot be read is skipped, and a repository inside the tree is only
// watched. What is to be dropped is dropped.
func (s *Store) sort(ctx context.Context, records []record, drop []string, last *Checkpoint) (changed, error) {
	c := changed{drop: drop, modes: map[string]fs.FileMode{}, links: map[string]bool{}}
	if last != nil {
		c.begin(last.facts)
	} else if err := s.firstModes(ctx, &c); err != nil {
		return changed{}, err
	}
	dropped := map[string]bool{}
	for _, name := range drop {
		dropped[name] = true
		delete(c.modes, name)
	}
	for _, r := range records {
		if rel, below := s.below(r.path); dropped[r.path] || below && s.tree.Own(rel) || s.tree.IsRecord(r.path) {
			continue
		}
		inIndex := r.index != '.' && r.index != '?'
		c.staged = c.staged || inIndex
		switch name, isRepository := strings.CutSuffix(r.path, "/"); {
		case isRepository:
			if c.links[name] = s.hasCommit(ctx, name); c.links[name] {
				c.keep = append(c.keep, name)
			}
			continue
		case r.linked && r.file != 'D':
			c.links[name] = true
		default:
			delete(c.links, name)
		}
		// What a restore brought back is in the index already, but not with
		// which permissions.
		restored := last != nil && inIndex && r.index != 'D'
		if !r.differs() && !restored {
			continue
		}
		if err := s.sortFile(r, &c); err != nil {
			return changed{}, err
		}
	}
	if err := s.sortLarge(ctx, &c); err != nil {
		return changed{}, err
	}
	for name, mode := range c.modes {
		c.facts.Modes = append(c.facts.Modes, oddMode{Path: []byte(name), Mode: mode})
	}
	var err error
	c.facts.Nested, err = s.watch(ctx, c.links)
	return c, err
}

// begin takes over what the last checkpoint knew and git does not report again.
func (c *changed) begin(known facts) {
	for _, m := range known.Modes {
		c.modes[string(m.Path)] = m.Mode
	}
	for _, n := range known.Nested {
		if name := string(n.Path); n.Link && !slices.Contains(c.drop, name) {
			c.links[name] = true
		}
	}
}

// sortFile decides about one path. Git has looked whether it is there; whatever
// stands in the place of a path that is gone is beyond a link.
func (s *Store) sortFile(r record, c *changed) error {
	delete(c.modes, r.path)
	at := s.origin.path(r.path)
	info, err := os.Lstat(at)
	switch {
	case r.file == 'D' || files.Absent(err):
		c.drop = append(c.drop, r.path)
	case err != nil:
		c.skip(r, "cannot be looked at: "+reason(err), "")
	case info.IsDir() && !r.linked:
		c.drop = append(c.drop, r.path)
	case info.IsDir() || info.Mode()&fs.ModeSymlink != 0:
		c.keep = append(c.keep, r.path)
	case !info.Mode().IsRegular():
		c.skip(r, "neither a file nor a link", files.Stamp(info))
	case info.Size() > s.Limit:
		c.large = append(c.large, r)
	default:
		if err := readable(at); err != nil && !files.Absent(err) {
			c.skip(r, "cannot be read: "+reason(err), files.Stamp(info))
			return nil
		}
		c.keep = append(c.keep, r.path)
		odd, err := s.odd(info.Mode())
		if odd {
			c.modes[r.path] = info.Mode().Perm()
		}
		return err
	}
	return nil
}

// sortLarge keeps large files that the user's repository tracks: there somebody
// decided that they are work.
func (s *Store) sortLarge(ctx context.Context, c *changed) error {
	if len(c.large) == 0 {
		return nil
	}
	tracked, err := s.trackedOf(ctx, c.large)
	if err != nil {
		return err
	}
	for _, r := range c.large {
		info, err := os.Lstat(s.origin.path(r.path))
		switch {
		case err != nil: // gone meanwhile
			c.drop = append(c.drop, r.path)
		case slices.Contains(tracked, r.path):
			c.keep = append(c.keep, r.path)
		default:
			c.skip(r, fmt.Sprintf("%s, above the limit of %s", size(info.Size()), size(s.Limit)), files.Stamp(info))
		}
	}
	return nil
}

// trackedOf is which of the files the user's repository tracks. When it is gone,
// what was kept before still counts.
func (s *Store) trackedOf(ctx context.Context, list []record) ([]string, error) {
	var paths []string
	args := []string{"ls-files", "-z", "--"}
	for _, r := range list {
		if r.index != '?' {
			paths = append(paths, r.path)
		}
		args = append(args, ":(top,literal)"+r.path)
	}
	if s.origin.gone() {
		return paths, nil
	}
	out, err := s.ask(ctx, git.Command{}, args...)
	var failed *git.Error
	if err != nil && !errors.As(err, &failed) { // an index that git cannot read tracks nothing
		return nil, err
	}
	return git.SplitNUL(out), nil
}

// skip leaves a file out. When an earlier checkpoint had it, this one has not.
func (c *changed) skip(r record, why, stamp string) {
	c.facts.Skipped = append(c.facts.Skipped, skippedFile{Path: []byte(r.path), Why: why, Stamp: stamp})
	if r.index != '?' {
		c.drop = append(c.drop, r.path)
	}
}

func readable(path string) error {
	f, err := files.OpenFile(path)
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
