package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/git"
)

// tries is how often a checkpoint is begun when files change under our hands.
const tries = 3

// Checkpoint keeps the work tree as it is now. When nothing has changed since
// the last checkpoint, it is that one.
func (s *Store) Checkpoint(ctx context.Context) (Checkpoint, error) {
	if !s.tree.Git() {
		return s.list(ctx)
	}
	if _, err := os.Lstat(s.head()); err != nil {
		return Checkpoint{}, &GoneError{Path: s.dir}
	}
	s.origin = s.origin.locate(s.kept)
	found, err := s.seal()
	if err != nil {
		return Checkpoint{}, err
	}
	var failed error
	for range tries {
		// Nobody else works on this index: whoever held its lock was killed.
		_ = os.Remove(s.index() + ".lock")
		c, err := s.take(ctx)
		if len(found) > 0 {
			c.Notes = append(c.Notes, "somebody has written to the store of the checkpoints, and it was put back: "+strings.Join(found, ", "))
		}
		var refused *git.Error
		if err == nil || ctx.Err() != nil || !errors.As(err, &refused) || refused.Hung() {
			return c, err
		}
		failed = err
		if refused.BrokenIndex() {
			if err := s.renewIndex(ctx); err != nil {
				return Checkpoint{}, err
			}
		}
	}
	return Checkpoint{}, failed
}

// renewIndex begins the index anew with the last checkpoint.
func (s *Store) renewIndex(ctx context.Context) error {
	if err := ignoring(os.Remove(s.index()), fs.ErrNotExist); err != nil {
		return fmt.Errorf("renew the index of the checkpoints: %w", err)
	}
	last, err := s.lastKept(ctx)
	if err != nil || last == nil {
		return err
	}
	_, err = s.git(ctx, git.Command{}, "read-tree", last.Tree)
	return err
}

// take looks for what differs from the index, brings it into the index, and
// records the whole. Git is asked first whether there is anything to do.
func (s *Store) take(ctx context.Context) (Checkpoint, error) {
	last, err := s.lastKept(ctx)
	if err != nil {
		return Checkpoint{}, err
	}
	var known facts
	if last != nil {
		known = last.facts
	}
	plain, err := s.unlinkFolders(ctx, known.Nested)
	if err != nil {
		return Checkpoint{}, err
	}
	newRules, err := s.copyExclude(ctx)
	if err != nil {
		return Checkpoint{}, err
	}
	records, hidden, err := s.status(ctx)
	if err != nil {
		return Checkpoint{}, err
	}
	newRules = newRules || slices.ContainsFunc(records, func(r record) bool {
		return r.differs() && path.Base(r.path) == ruleFile
	})
	more, drop, tracked, err := s.followTracked(ctx, newRules)
	if err != nil {
		return Checkpoint{}, err
	}
	sorted, err := s.sort(ctx, append(records, more...), append(drop, plain...), last)
	if err != nil {
		return Checkpoint{}, err
	}
	if sorted.facts.Head, sorted.facts.Tips, err = s.standing(ctx, known); err != nil {
		return Checkpoint{}, err
	}
	// Git does not call ignored what is still in the index.
	if sorted.facts.Rules, err = s.hiddenRules(ctx, append(hidden, drop...)); err != nil {
		return Checkpoint{}, err
	}
	sorted.facts = sorted.facts.sorted()
	if last != nil && !sorted.staged && len(sorted.keep)+len(sorted.drop) == 0 && sorted.facts.equal(known) {
		s.tracked = tracked
		return *last, nil
	}
	if err := s.update(ctx, sorted); err != nil {
		return Checkpoint{}, err
	}
	s.tracked = tracked
	if last != nil {
		if err := s.keepCommits(ctx, known, sorted.facts); err != nil {
			return Checkpoint{}, err
		}
	}
	return s.record(ctx, last, sorted.facts)
}

// update brings paths into the index as they are now, and takes others out.
func (s *Store) update(ctx context.Context, c changed) error {
	for _, part := range []struct {
		paths []string
		args  []string
	}{
		{c.drop, []string{"update-index", "-z", "--force-remove", "--stdin"}},
		{c.keep, []string{"update-index", "-z", "--add", "--remove", "--replace", "--stdin"}},
	} {
		if len(part.paths) == 0 {
			continue
		}
		if _, err := s.git(ctx, git.Command{Stdin: git.JoinNUL(part.paths)}, part.args...); err != nil {
			return err
		}
	}
	return nil
}
