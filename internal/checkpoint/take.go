package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/git"
)

// tries is how often a checkpoint is begun when files change under our hands.
const tries = 3

// Checkpoint keeps the work tree as it is now. When nothing has changed since
// the last checkpoint, it is that one.
func (s *Store) Checkpoint(ctx context.Context) (Checkpoint, error) {
	return s.checkpoint(ctx, false)
}

// Glance is a checkpoint for which git looks only at what somebody has written to, as
// far as the system tells: see Watch. Nothing may be proven by it. It tells whether it
// has looked at everything all the same.
func (s *Store) Glance(ctx context.Context) (c Checkpoint, all bool, err error) {
	c, err = s.checkpoint(ctx, true)
	return c, !s.glanced, err
}

func (s *Store) checkpoint(ctx context.Context, glance bool) (Checkpoint, error) {
	if s.list != nil {
		return s.list.take(ctx)
	}
	if _, err := os.Lstat(s.repo.head()); err != nil {
		return Checkpoint{}, &GoneError{Path: s.dir}
	}
	s.user.locate(s.made)
	found, err := s.seal.check()
	if err != nil {
		return Checkpoint{}, err
	}
	var failed error
	for range tries {
		// Nobody else works on this index: whoever held its lock was killed.
		_ = os.Remove(s.repo.index() + ".lock")
		c, err := s.take(ctx, s.where(ctx, glance))
		if len(found) > 0 {
			c.Notes = append(c.Notes, "somebody has written to the store of the checkpoints, and it was put back: "+strings.Join(found, ", "))
		}
		c.Notes = slices.Concat(c.Notes, s.begunAnew(), s.packer.note(), s.lookout.notes())
		if err != nil {
			s.lookout.doubt()
		}
		var refused *git.Error
		if err == nil || ctx.Err() != nil || !errors.As(err, &refused) || refused.Hung() {
			return c, err
		}
		failed = err
		s.last = nil // somebody may have removed it from the store
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
	if err := files.Ignoring(os.Remove(s.repo.index()), fs.ErrNotExist); err != nil {
		return fmt.Errorf("renew the index of the checkpoints: %w", err)
	}
	last, err := s.lastOrAnew(ctx)
	if err != nil || last == nil {
		return err
	}
	_, err = s.repo.run(ctx, git.Command{}, "read-tree", last.Tree)
	return err
}

// where tells where to look for what has changed; nil: everywhere.
func (s *Store) where(ctx context.Context, glance bool) []string {
	if !glance {
		return nil
	}
	places, all := s.lookout.places()
	if all {
		s.lookout.begin(ctx, s.repo)
		return nil
	}
	return append([]string{}, places...)
}

// take looks for what differs from the index, brings it into the index, and
// records the whole. Git is asked first whether there is anything to do. It looks at
// some places only, if it is told which, and at what is known of besides the index.
func (s *Store) take(ctx context.Context, within []string) (Checkpoint, error) {
	last, err := s.lastOrAnew(ctx)
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
	newRules, err := s.rules.copyExclude(ctx)
	if err != nil {
		return Checkpoint{}, err
	}
	if within != nil {
		within = besides(within, known.unkept())
	}
	if newRules || last == nil || tooMuch(within) {
		within = nil
	}
	s.glanced = within != nil
	records, hidden, err := s.repo.status(ctx, within)
	if err != nil {
		return Checkpoint{}, err
	}
	newRules = newRules || slices.ContainsFunc(records, func(r git.Record) bool {
		return r.Differs() && path.Base(r.Path) == ruleFile
	})
	more, drop, tracked, err := s.tracked.follow(ctx, s.user, s.repo, records, newRules)
	if err != nil {
		return Checkpoint{}, err
	}
	sorted := &sorter{tree: s.tree, user: s.user, repo: s.repo, umask: s.umask, limit: s.Limit, drop: append(drop, plain...)}
	if err := sorted.sort(ctx, append(records, more...), last, s.seeded); err != nil {
		return Checkpoint{}, err
	}
	if sorted.facts.Head, sorted.facts.Tips, err = s.user.headAndTips(ctx, known); err != nil {
		return Checkpoint{}, err
	}
	// Git does not call ignored what is still in the index.
	if sorted.facts.Rules, err = s.rules.hidden(ctx, append(hidden, drop...)); err != nil {
		return Checkpoint{}, err
	}
	s.seeded = nil
	sorted.facts = sorted.facts.sorted()
	c, err := s.settle(ctx, last, sorted, tracked)
	if err == nil {
		s.lookout.looked(!s.glanced, sorted.keep, sorted.drop)
	}
	return c, err
}

// settle brings what was found into the index, and records it, if there is anything.
func (s *Store) settle(ctx context.Context, last *Checkpoint, sorted *sorter, tracked tracked) (Checkpoint, error) {
	var known facts
	if last != nil {
		known = last.facts
	}
	if last != nil && !sorted.staged && len(sorted.keep)+len(sorted.drop) == 0 && sorted.facts.equal(known) {
		s.tracked = tracked
		return *last, nil
	}
	if err := s.repo.update(ctx, sorted.drop, sorted.keep); err != nil {
		return Checkpoint{}, err
	}
	s.tracked = tracked
	if last != nil {
		log := commitLog{s.user, s.repo}
		if err := log.keep(ctx, known, sorted.facts); err != nil {
			return Checkpoint{}, err
		}
	}
	s.packer.add(objects(sorted.keep, sorted.drop))
	return s.record(ctx, last, sorted.facts)
}

// objects is about how many objects a checkpoint makes: its files, the folders that
// they are in, and itself.
func objects(keep, drop []string) int {
	folders := map[string]bool{}
	for _, list := range [][]string{keep, drop} {
		for _, name := range list {
			for dir := range above(name) {
				folders[dir] = true
			}
		}
	}
	return len(keep) + len(folders) + 2
}

// unlinkFolders takes commits out of the index where a repository inside the
// tree has become a plain folder: git would not look at the files in it.
func (s *Store) unlinkFolders(ctx context.Context, known []nested) (plain []string, err error) {
	for _, n := range known {
		if n.Link && plainFolder(s.user.path(string(n.Path))) {
			plain = append(plain, string(n.Path))
		}
	}
	return plain, s.repo.update(ctx, plain, nil)
}

// plainFolder tells whether there is a folder with files in it that is no
// repository.
func plainFolder(path string) bool {
	if _, err := os.Lstat(filepath.Join(path, ".git")); !files.Absent(err) {
		return false
	}
	files, err := os.ReadDir(path)
	return err == nil && len(files) > 0
}

// status asks git what differs from the index of the store, and which files of
// rules are ignored themselves. Of a repository inside the tree only the commit
// is compared.
// It looks only at some places, if it is told which: files, and folders with all that
// is in them.
func (r *shadow) status(ctx context.Context, within []string) (records []git.Record, hidden []string, err error) {
	args := []string{"status", "--porcelain=v2", "-z", "--untracked-files=all", "--ignored=matching", "--no-renames", "--ignore-submodules=dirty"}
	if within != nil {
		if len(within) == 0 {
			return nil, nil, nil
		}
		args = slices.Concat(args, []string{"--"}, within)
	}
	out, err := r.run(ctx, git.Command{Env: []string{"GIT_LITERAL_PATHSPECS=1"}}, args...)
	if err != nil {
		return nil, nil, err
	}
	report, err := git.ParseStatus(out)
	if err != nil {
		return nil, nil, fmt.Errorf("git status in %s: %w", r.top, err)
	}
	for _, name := range report.Ignored {
		if path.Base(name) == ruleFile && !strings.HasSuffix(name, "/") {
			hidden = append(hidden, name)
		}
	}
	return report.Records, hidden, nil
}

// tracked remembers which files the user's repository tracks although they are
// ignored. They count; a file that is ignored and not tracked does not, even
// when it was in an earlier checkpoint: a clean checkout would not have it.
type tracked struct {
	stamp string   // of the user's index when it was asked
	files []string // sorted; nil when it was not
	gone  []string // of these, those that were not there: that one is back, git does not tell
}

// follow tells where the user's repository has changed its mind about
// ignored files: which to keep from now on, which to drop, and what to remember
// once that is done. It costs as much as a status, so it is asked only when the
// index or the rules are new, or when for the first time a file is gone. An index
// that was deleted or cannot be read says nothing.
func (known tracked) follow(ctx context.Context, user *userRepo, repo *shadow, records []git.Record, newRules bool) (keep []git.Record, drop []string, now tracked, err error) {
	if user.gone() {
		return nil, nil, known, nil
	}
	var deleted []string
	for _, r := range records {
		if r.File == 'D' {
			deleted = append(deleted, r.Path)
		}
	}
	slices.Sort(deleted)
	at := files.StampAt(user.index())
	if at == "" || at == known.stamp && !newRules && (known.files != nil || len(deleted) == 0) {
		keep, known.gone = known.back(user, deleted)
		return keep, nil, known, nil
	}
	out, err := user.ask(ctx, git.Command{}, listIgnored...)
	var failed *git.Error
	switch {
	case errors.As(err, &failed):
		return nil, nil, known, nil
	case err != nil:
		return nil, nil, tracked{}, err
	}
	now = tracked{stamp: at, files: append([]string{}, git.SplitNUL(out)...), gone: known.gone}
	if known.files == nil || newRules || !slices.Equal(now.files, known.files) {
		if out, err = repo.run(ctx, git.Command{}, listIgnored...); err != nil {
			return nil, nil, tracked{}, err
		}
		ours := git.SplitNUL(out)
		now.gone = without(now.files, ours)
		drop = without(ours, now.files)
	}
	keep, now.gone = now.back(user, deleted)
	return keep, drop, now, nil
}

// back is which of the files that were not there are to be kept now, and which are
// still gone, or gone by now.
func (known tracked) back(user *userRepo, deleted []string) (keep []git.Record, gone []string) {
	for _, file := range without(known.gone, deleted) {
		if user.holds(file) {
			keep = append(keep, git.NewFile(file))
		} else {
			gone = append(gone, file)
		}
	}
	for _, file := range deleted {
		if _, found := slices.BinarySearch(known.files, file); found {
			gone = append(gone, file)
		}
	}
	slices.Sort(gone)
	return keep, gone
}

// without is what is in one sorted list and not in the other.
func without(all, others []string) (rest []string) {
	for _, name := range all {
		if _, found := slices.BinarySearch(others, name); !found {
			rest = append(rest, name)
		}
	}
	return rest
}

// listIgnored lists the files of an index that the rules ignore, sorted.
var listIgnored = []string{"ls-files", "--cached", "--ignored", "--exclude-standard", "-z"}
