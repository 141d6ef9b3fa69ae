package checkpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/git"
)

// tracked remembers which files the user's repository tracks although they are
// ignored. They count; a file that is ignored and not tracked does not, even
// when it was in an earlier checkpoint: a clean checkout would not have it.
type tracked struct {
	stamp string   // of the user's index when it was asked
	files []string // nil when it was not
}

// followTracked tells where the user's repository has changed its mind about
// ignored files: which to keep from now on, which to drop, and what to remember
// once that is done. It costs as much as a status, so it is asked only when the
// index or the rules are new. An index that was deleted or cannot be read says
// nothing.
func (s *Store) followTracked(ctx context.Context, newRules bool) (keep []record, drop []string, now tracked, err error) {
	if s.origin.gone() {
		return nil, nil, s.tracked, nil
	}
	at := files.StampAt(s.origin.index())
	if at == "" || at == s.tracked.stamp && !newRules {
		return nil, nil, s.tracked, nil
	}
	out, err := s.ask(ctx, git.Command{}, listIgnored...)
	var failed *git.Error
	switch {
	case errors.As(err, &failed):
		return nil, nil, s.tracked, nil
	case err != nil:
		return nil, nil, tracked{}, err
	}
	now = tracked{stamp: at, files: append([]string{}, git.SplitNUL(out)...)}
	if s.tracked.files != nil && slices.Equal(now.files, s.tracked.files) && !newRules {
		return nil, nil, now, nil
	}
	if out, err = s.git(ctx, git.Command{}, listIgnored...); err != nil {
		return nil, nil, tracked{}, err
	}
	ours := git.SplitNUL(out)
	for _, file := range now.files {
		if _, found := slices.BinarySearch(ours, file); !found {
			keep = append(keep, record{path: file, index: '?', file: '?'})
		}
	}
	for _, file := range ours {
		if _, found := slices.BinarySearch(now.files, file); !found {
			drop = append(drop, file)
		}
	}
	return keep, drop, now, nil
}

// listIgnored lists the files of an index that the rules ignore, sorted.
var listIgnored = []string{"ls-files", "--cached", "--ignored", "--exclude-standard", "-z"}

// copyExclude takes over the rules that the user's repository keeps to itself,
// and tells whether they are new. When they are gone with it, or are no file that
// anybody would write, the last ones stay.
func (s *Store) copyExclude(ctx context.Context) (bool, error) {
	if s.origin.gone() {
		return false, nil
	}
	theirs, err := files.ReadFile(ctx, s.origin.exclude(), mostRules)
	switch {
	case errors.As(err, new(*files.NotRegularError)), errors.As(err, new(*files.TooLargeError)):
		return false, nil
	case ignoring(err, fs.ErrNotExist) != nil:
		return false, fmt.Errorf("read what to ignore: %w", err)
	}
	ours, err := files.ReadFile(ctx, s.exclude(), mostRules)
	if ignoring(err, fs.ErrNotExist) != nil {
		return false, fmt.Errorf("read what to ignore: %w", err)
	}
	if bytes.Equal(ours, theirs) {
		return false, nil
	}
	if err := files.Overwrite(s.exclude(), theirs, 0o600, files.SyncFile); err != nil {
		return false, fmt.Errorf("copy what to ignore: %w", err)
	}
	return true, nil
}
