package checkpoint

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

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
	return s.RestoreNoting(ctx, to, func(Checkpoint) error { return nil })
}

// RestoreNoting is Restore, with a word to somebody before the first file is touched
// and once nothing is in the way: the checkpoint of what was there. An error of
// theirs ends it there.
func (s *Store) RestoreNoting(ctx context.Context, to Checkpoint, note func(kept Checkpoint) error) (kept Checkpoint, changes loop.Changes, err error) {
	if err := s.needGit("restore files"); err != nil {
		return Checkpoint{}, loop.Changes{}, err
	}
	if kept, err = s.Checkpoint(ctx); err != nil {
		return Checkpoint{}, loop.Changes{}, err
	}
	r := s.newRestorer(to)
	if err := r.plan(ctx, kept); err != nil {
		return kept, loop.Changes{}, err
	}
	inTheWay, err := r.inTheWay()
	if err != nil {
		return kept, loop.Changes{}, err
	}
	if len(inTheWay) > 0 {
		if kept, err = s.keepAlso(ctx, kept, inTheWay); err != nil {
			return kept, loop.Changes{}, err
		}
		if err := r.plan(ctx, kept); err != nil {
			return kept, loop.Changes{}, err
		}
	}
	if err := note(kept); err != nil {
		return kept, loop.Changes{}, err
	}
	s.tracked = tracked{} // the rules may be others now
	s.lookout.doubt()     // and the index may say what no file holds, if it ends half way
	if err := r.apply(ctx); err != nil {
		return kept, loop.Changes{}, fmt.Errorf("restore checkpoint %s: %w", to.ID, err)
	}
	staying := r.staying()
	if err := r.restoreModes(staying); err != nil {
		return kept, loop.Changes{}, fmt.Errorf("restore checkpoint %s: %w", to.ID, err)
	}
	changes, err = r.changes(ctx, staying)
	return kept, changes, err
}

// keepAlso adds files to the checkpoint just made that it would leave out.
func (s *Store) keepAlso(ctx context.Context, kept Checkpoint, paths []string) (Checkpoint, error) {
	var also []string
	for _, rel := range paths {
		also = append(also, s.tree.Prefix()+rel)
	}
	if err := s.repo.update(ctx, nil, also); err != nil {
		return kept, err
	}
	return s.record(ctx, &kept, kept.facts)
}

// restorer makes the files of the work tree what they were at a checkpoint.
type restorer struct {
	tree     *git.Tree
	user     *userRepo
	repo     *shadow
	rules    ruleFiles
	umask    *umask
	compared *comparer

	to    Checkpoint
	kept  Checkpoint // what there is now
	edits []edit     // what has to happen, and which files stay
}

func (s *Store) newRestorer(to Checkpoint) *restorer {
	return &restorer{tree: s.tree, user: s.user, repo: s.repo, rules: s.rules, umask: s.umask, compared: s.trees.compared, to: to}
}

// plan finds what has to happen to the files, and which stay although the
// checkpoint does not have them. A repository inside the tree is not among it: it
// stays as it is.
func (r *restorer) plan(ctx context.Context, kept Checkpoint) error {
	edits, err := r.compared.edits(ctx, kept.Tree, r.to.Tree, "--no-renames")
	if err != nil {
		return err
	}
	r.kept = kept
	r.edits = slices.DeleteFunc(edits, func(e edit) bool {
		return e.mode == git.Gitlink || e.oldMode == git.Gitlink && e.change == deleted
	})
	return r.keepIgnored(ctx)
}

// stays is a file that the checkpoint does not have, and that is not deleted.
const stays = "stays"

// keepIgnored marks the files that would be deleted although the checkpoint's own
// rules ignore them: it cannot tell that they were not there. One that stands
// in the way of a restored file goes all the same, for the checkpoint just made
// has it.
func (r *restorer) keepIgnored(ctx context.Context) error {
	going := map[string]*edit{}
	var paths []string
	files, folders := map[string]bool{}, map[string]bool{}
	for i, e := range r.edits {
		switch e.change {
		case deleted:
			going[r.tree.Prefix()+e.path] = &r.edits[i]
			paths = append(paths, r.tree.Prefix()+e.path)
		case created:
			files[e.path] = true
			for dir := range above(e.path) {
				folders[dir] = true
			}
		}
	}
	if len(paths) == 0 {
		return nil
	}
	ignored, err := r.rules.ignoredAt(ctx, r.to, paths)
	if err != nil {
		return err
	}
	for _, name := range ignored {
		e := going[name]
		inTheWay := folders[e.path]
		for dir := range above(e.path) {
			inTheWay = inTheWay || files[dir]
		}
		if !inTheWay {
			e.change = stays
		}
	}
	return nil
}

// above gives the folders that a path is in, from the nearest.
func above(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if !yield(dir) {
				return
			}
		}
	}
}

// staying is the files that the checkpoint does not have, and that are not deleted.
func (r *restorer) staying() map[string]bool {
	staying := map[string]bool{}
	for _, e := range r.edits {
		if e.change == stays {
			staying[e.path] = true
		}
	}
	return staying
}

// apply removes what has to go, then lets git write the rest: index first, so
// that it knows what the files are to hold.
func (r *restorer) apply(ctx context.Context) error {
	if len(r.edits) == 0 {
		return nil
	}
	closeAgain, err := r.openFolders()
	defer closeAgain()
	if err != nil {
		return err
	}
	var index bytes.Buffer
	var write []string
	for _, e := range r.edits {
		fmt.Fprintf(&index, "%s %s\t%s\x00", e.mode, e.object, r.tree.Prefix()+e.path)
		switch e.change {
		case stays:
		case deleted:
			if err := r.remove(e.path); err != nil {
				return err
			}
		default:
			write = append(write, r.tree.Prefix()+e.path)
		}
	}
	if _, err := r.repo.run(ctx, git.Command{Stdin: index.Bytes()}, "update-index", "-z", "--index-info"); err != nil {
		return err
	}
	if len(write) == 0 {
		return nil
	}
	_, err = r.repo.run(ctx, git.Command{Stdin: git.JoinNUL(write)}, "checkout-index", "--force", "--index", "--quiet", "-z", "--stdin")
	return err
}

// remove removes a file, and the folders that held nothing else.
func (r *restorer) remove(rel string) error {
	if err := os.Remove(r.file(rel)); err != nil && !files.Absent(err) {
		return err
	}
	for dir := path.Dir(rel); dir != "."; dir = path.Dir(dir) {
		if os.Remove(r.file(dir)) != nil {
			break // something is left in it
		}
	}
	return nil
}

// file is where a file of the run's work tree is.
func (r *restorer) file(rel string) string { return r.user.path(r.tree.Prefix() + rel) }

// openFolders lets us write to the folders of the files, and gives back how to
// close them again.
func (r *restorer) openFolders() (closeAgain func(), err error) {
	closed := map[string]fs.FileMode{}
	closeAgain = func() {
		for dir, mode := range closed {
			_ = os.Chmod(dir, mode) // it may be gone
		}
	}
	seen := map[string]bool{}
	for _, e := range r.edits {
		for dir := path.Dir(e.path); !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
			at := r.file(dir)
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

// restoreModes puts back the permissions that git does not know: those that the
// checkpoint has, and the usual ones where files got others since. A file that
// stays although the checkpoint does not have it keeps its own.
func (r *restorer) restoreModes(staying map[string]bool) error {
	mask, err := r.umask.mask()
	if err != nil {
		return err
	}
	const asUsual = fs.ModeIrregular
	want := map[string]fs.FileMode{}
	for _, m := range r.kept.facts.Modes {
		want[string(m.Path)] = asUsual
	}
	for _, m := range r.to.facts.Modes {
		want[string(m.Path)] = m.Mode
	}
	for name, mode := range want {
		if rel, below := r.tree.Below(name); !below || staying[rel] {
			continue
		}
		at := r.user.path(name)
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

// changes is what a restore did. A file that stays was not renamed to another.
func (r *restorer) changes(ctx context.Context, staying map[string]bool) (loop.Changes, error) {
	renames := "-M"
	if len(staying) > 0 {
		renames = "--no-renames"
	}
	edits, err := r.compared.edits(ctx, r.kept.Tree, r.to.Tree, renames)
	if err != nil {
		return loop.Changes{}, err
	}
	return sum(slices.DeleteFunc(edits, func(e edit) bool {
		return e.mode == git.Gitlink || e.oldMode == git.Gitlink || staying[e.path]
	})), nil
}

// inTheWay lists the files that stand where a restored one must go and are not
// in the checkpoint: git ignores them, or they were skipped.
func (r *restorer) inTheWay() ([]string, error) {
	w := way{place: r.file, goes: map[string]bool{}, seen: map[string]bool{}}
	for _, e := range r.edits {
		if e.change == deleted {
			w.goes[e.path] = true
		}
	}
	for _, n := range r.kept.facts.Nested {
		if rel, below := r.tree.Below(string(n.Path)); below {
			w.nested = append(w.nested, rel)
		}
	}
	for _, e := range r.edits {
		switch e.change {
		case created:
			w.clear(e.path)
		case modified:
			if e.oldMode == git.Gitlink {
				w.blocked = append(w.blocked, e.path)
			}
		}
	}
	if len(w.blocked) > 0 {
		slices.Sort(w.blocked)
		return nil, &InTheWayError{Paths: slices.Compact(w.blocked)}
	}
	return w.files, nil
}

// way finds out what is in the way of restored files.
type way struct {
	place   func(rel string) string // where a file of the work tree is
	goes    map[string]bool         // files that are removed first
	nested  []string                // repositories inside the tree
	seen    map[string]bool         // folders that were looked at
	files   []string                // can be kept, then replaced
	blocked []string                // cannot
}

// clear looks at the place of one file, and at the folders above it.
func (w *way) clear(rel string) {
	for _, n := range w.nested {
		if rel == n || strings.HasPrefix(rel, n+"/") {
			w.blocked = append(w.blocked, n)
			return
		}
	}
	for i, c := range rel {
		if c != '/' || w.seen[rel[:i]] {
			continue
		}
		w.seen[rel[:i]] = true
		info, err := os.Lstat(w.place(rel[:i]))
		if err == nil && !info.IsDir() {
			w.found(rel[:i], info)
			return
		}
	}
	info, err := os.Lstat(w.place(rel))
	switch {
	case err != nil:
	case info.IsDir():
		w.folder(rel)
	default:
		w.found(rel, info)
	}
}

// found takes note of a file in the way.
func (w *way) found(rel string, info fs.FileInfo) {
	switch {
	case w.goes[rel] || slices.Contains(w.files, rel):
	case info.Mode().IsRegular() && files.CanRead(w.place(rel)) == nil, info.Mode()&fs.ModeSymlink != 0:
		w.files = append(w.files, rel)
	default:
		w.blocked = append(w.blocked, rel)
	}
}

// folder looks whether a folder in the way will be empty when the files of the
// checkpoint are gone from it.
func (w *way) folder(rel string) {
	root := w.place(rel)
	_ = filepath.WalkDir(root, func(at string, d fs.DirEntry, err error) error {
		below, relErr := filepath.Rel(root, at)
		if err != nil || relErr != nil || !d.IsDir() && !w.goes[path.Join(rel, filepath.ToSlash(below))] {
			w.blocked = append(w.blocked, rel)
			return fs.SkipAll
		}
		return nil
	})
}

// InTheWayError says that a restore would have to destroy something that is in
// no checkpoint. Nothing was changed.
type InTheWayError struct{ Paths []string }

func (e *InTheWayError) Error() string {
	return fmt.Sprintf("nothing was restored: %s would be lost, and no checkpoint holds it", strings.Join(e.Paths, ", "))
}

// Hint says what to do.
func (e *InTheWayError) Hint() string { return "move it out of the work tree, then try again" }
