package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"sync"

	"github.com/refrain-loop/refrain/internal/git"
)

// odd tells whether a file has permissions that it would not get when git
// writes it.
func (s *Store) odd(mode fs.FileMode) (bool, error) {
	mask, err := s.mask()
	if err != nil {
		return false, err
	}
	return mode.Perm() != usual(mode, mask), nil
}

// firstModes takes note of the permissions of all files that the index has: of
// those that are as it says, git does not report any.
func (s *Store) firstModes(ctx context.Context, c *changed) error {
	names := s.seeded
	s.seeded = nil
	if names == nil {
		out, err := s.git(ctx, git.Command{}, "ls-files", "-z")
		if err != nil {
			return err
		}
		names = git.SplitNUL(out)
	}
	if _, err := s.mask(); err != nil {
		return err
	}
	const share = 1000
	var mu sync.Mutex
	var looking sync.WaitGroup
	for part := range slices.Chunk(names, max(share, len(names)/runtime.GOMAXPROCS(0)+1)) {
		looking.Go(func() {
			for _, name := range part {
				info, err := os.Lstat(s.origin.path(name))
				if err != nil || !info.Mode().IsRegular() || ctx.Err() != nil {
					continue // sorted with what has changed
				}
				if odd, _ := s.odd(info.Mode()); odd {
					mu.Lock()
					c.modes[name] = info.Mode().Perm()
					mu.Unlock()
				}
			}
		})
	}
	looking.Wait()
	return context.Cause(ctx)
}

// usual is what git gives a file, which may be executed or not.
func usual(mode, mask fs.FileMode) fs.FileMode {
	if mode&0o100 != 0 {
		return 0o777 &^ mask
	}
	return 0o666 &^ mask
}

// mask is what the system takes from the permissions of new files. A file tells
// it: to ask the system is to change it for a moment, for every goroutine.
func (s *Store) mask() (fs.FileMode, error) {
	if s.umask != nil {
		return *s.umask, nil
	}
	path := s.head() + ".mask"
	_ = os.Remove(path) // of one who died
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o777)
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

// restoreModes puts back the permissions that git does not know: those that the
// checkpoint has, and the usual ones where files got others since. A file that
// stays although the checkpoint does not have it keeps its own.
func (s *Store) restoreModes(kept, to Checkpoint, staying map[string]bool) error {
	mask, err := s.mask()
	if err != nil {
		return err
	}
	const asUsual = fs.ModeIrregular
	want := map[string]fs.FileMode{}
	for _, m := range kept.facts.Modes {
		want[string(m.Path)] = asUsual
	}
	for _, m := range to.facts.Modes {
		want[string(m.Path)] = m.Mode
	}
	for name, mode := range want {
		if rel, below := s.below(name); !below || staying[rel] {
			continue
		}
		at := s.origin.path(name)
		info, err := os.Lstat(at)
		if err != nil || !info.Mode().IsRegular() {
			continue // not in this checkpoint
		}
		if mode == asUsual {
			mode = usual(info.Mode(), mask)
		}
		if info.Mode().Perm() == mode {
			continue
		}
		if err := os.Chmod(at, mode); err != nil {
			return err
		}
	}
	return nil
}
