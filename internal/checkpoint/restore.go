package checkpoint

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/loop"
)

// Restore makes the files of the work tree what they were at a checkpoint, and
// tells what that changed. What was there before is kept as a checkpoint first.
// The user's commits, branches and index stay as they are, and so do files that
// are ignored now or were ignored at the checkpoint, files that were skipped, and
// repositories inside the tree. Where one of these is in the way, it is kept with
// the checkpoint and replaced, or the error is an *InTheWayError and nothing has
// changed.
//
// A restore that was interrupted can be repeated.
func (s *Store) Restore(ctx context.Context, to Checkpoint) (kept Checkpoint, changes loop.Changes, err error) {
	if err := s.needGit("restore files"); err != nil {
		return Checkpoint{}, loop.Changes{}, err
	}
	if kept, err = s.Checkpoint(ctx); err != nil {
		return Checkpoint{}, loop.Changes{}, err
	}
	edits, err := s.restorable(ctx, kept, to)
	if err != nil {
		return kept, loop.Changes{}, err
	}
	inTheWay, err := s.inTheWay(kept, edits)
	if err != nil {
		return kept, loop.Changes{}, err
	}
	if len(inTheWay) > 0 {
		if kept, err = s.keepAlso(ctx, kept, inTheWay); err != nil {
			return kept, loop.Changes{}, err
		}
		if edits, err = s.restorable(ctx, kept, to); err != nil {
			return kept, loop.Changes{}, err
		}
	}
	if err := s.apply(ctx, edits); err != nil {
		return kept, loop.Changes{}, fmt.Errorf("restore checkpoint %s: %w", to.ID, err)
	}
	s.tracked = tracked{} // the rules may be others now
	staying := map[string]bool{}
	for _, e := range edits {
		if e.change == stays {
			staying[e.path] = true
		}
	}
	if err := s.restoreModes(kept, to, staying); err != nil {
		return kept, loop.Changes{}, fmt.Errorf("restore checkpoint %s: %w", to.ID, err)
	}
	changes, err = s.restored(ctx, kept, to, staying)
	return kept, changes, err
}

// restored is what a restore did. A file that stays was not renamed to another.
func (s *Store) restored(ctx context.Context, kept, to Checkpoint, staying map[string]bool) (loop.Changes, error) {
	renames := "-M"
	if len(staying) > 0 {
		renames = "--no-renames"
	}
	edits, err := s.edits(ctx, kept.Tree, to.Tree, renames)
	if err != nil {
		return loop.Changes{}, err
	}
	return sum(slices.DeleteFunc(edits, func(e edit) bool {
		return e.mode == git.Gitlink || e.oldMode == git.Gitlink || staying[e.path]
	})), nil
}

// restorable is what has to happen to the files, and which stay although the
// checkpoint does not have them. A repository inside the tree is not among it: it
// stays as it is.
func (s *Store) restorable(ctx context.Context, from, to Checkpoint) ([]edit, error) {
	edits, err := s.edits(ctx, from.Tree, to.Tree, "--no-renames")
	if err != nil {
		return nil, err
	}
	edits = slices.DeleteFunc(edits, func(e edit) bool {
		return e.mode == git.Gitlink || e.oldMode == git.Gitlink && e.change == deleted
	})
	return edits, s.spare(ctx, to, edits)
}

// keepAlso adds files to the checkpoint just made that it would leave out.
func (s *Store) keepAlso(ctx context.Context, kept Checkpoint, paths []string) (Checkpoint, error) {
	var c changed
	for _, rel := range paths {
		c.keep = append(c.keep, s.tree.Prefix()+rel)
	}
	if err := s.update(ctx, c); err != nil {
		return kept, err
	}
	return s.record(ctx, &kept, kept.facts)
}

// apply removes what has to go, then lets git write the rest: index first, so
// that it knows what the files are to hold.
func (s *Store) apply(ctx context.Context, edits []edit) (err error) {
	if len(edits) == 0 {
		return nil
	}
	closeAgain, err := s.openFolders(edits)
	defer closeAgain()
	if err != nil {
		return err
	}
	var index bytes.Buffer
	var write []string
	for _, e := range edits {
		fmt.Fprintf(&index, "%s %s\t%s\x00", e.mode, e.object, s.tree.Prefix()+e.path)
		switch e.change {
		case stays:
		case deleted:
			if err := s.remove(e.path); err != nil {
				return err
			}
		default:
			write = append(write, s.tree.Prefix()+e.path)
		}
	}
	if _, err := s.git(ctx, git.Command{Stdin: index.Bytes()}, "update-index", "-z", "--index-info"); err != nil {
		return err
	}
	if len(write) == 0 {
		return nil
	}
	_, err = s.git(ctx, git.Command{Stdin: git.JoinNUL(write)}, "checkout-index", "--force", "--index", "--quiet", "-z", "--stdin")
	return err
}

// remove removes a file, and the folders that held nothing else.
func (s *Store) remove(rel string) error {
	if err := os.Remove(s.file(rel)); err != nil && !files.Absent(err) {
		return err
	}
	for dir := path.Dir(rel); dir != "."; dir = path.Dir(dir) {
		if os.Remove(s.file(dir)) != nil {
			break // something is left in it
		}
	}
	return nil
}

// file is where a file of the run's work tree is.
func (s *Store) file(rel string) string { return s.origin.path(s.tree.Prefix() + rel) }

// openFolders lets us write to the folders of the files, and gives back how to
// close them again.
func (s *Store) openFolders(edits []edit) (closeAgain func(), err error) {
	closed := map[string]fs.FileMode{}
	closeAgain = func() {
		for dir, mode := range closed {
			_ = os.Chmod(dir, mode) // it may be gone
		}
	}
	seen := map[string]bool{}
	for _, e := range edits {
		for dir := path.Dir(e.path); !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
			at := s.file(dir)
			info, err := os.Lstat(at)
			if err != nil || !info.IsDir() || info.Mode().Perm()&0o300 == 0o300 {
				continue
			}
			if err := os.Chmod(at, info.Mode().Perm()|0o700); err != nil {
				return closeAgain, err
			}
			closed[at] = info.Mode().Perm()
		}
	}
	return closeAgain, nil
}
