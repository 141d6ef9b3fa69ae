package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/loop"
)

// maxPaths is how many paths Changes names. It counts them all.
const maxPaths = 5000

// What can happen to a file.
const (
	created  = "created"
	modified = "modified"
	deleted  = "deleted"
	renamed  = "renamed"
	modeOnly = "mode" // whether it may be executed
)

// Changes tells what happened between two checkpoints to the files of the work
// tree that count, and how many commits were made. A renamed file counts as
// modified, neither created nor deleted. Paths are sorted.
func (s *Store) Changes(ctx context.Context, before, after Checkpoint) (loop.Changes, error) {
	if s.list != nil {
		return s.list.changes(before, after), nil
	}
	changes, err := s.trees.compared.changes(ctx, before, after)
	if err == nil {
		changes.Commits, err = commitLog{s.user, s.repo}.between(ctx, before.facts, after.facts)
	}
	return changes, err
}

// Net counts what differs between two checkpoints: files and lines, without
// naming them, and without commits.
func (s *Store) Net(ctx context.Context, before, after Checkpoint) (c loop.Changes, err error) {
	if s.list != nil {
		c = s.list.changes(before, after)
	} else {
		c, err = s.trees.compared.changes(ctx, before, after)
	}
	c.Paths = nil
	return c, err
}

// sum counts edits and names them.
func sum(edits []edit) loop.Changes {
	var c loop.Changes
	for _, e := range edits {
		switch e.change {
		case created:
			c.Created++
		case deleted:
			c.Deleted++
		default:
			c.Modified++
		}
		c.LinesAdded += e.added
		c.LinesRemoved += e.removed
		c.Paths = append(c.Paths, loop.PathChange{Path: e.path, Change: e.change, From: e.from})
	}
	slices.SortFunc(c.Paths, func(a, b loop.PathChange) int { return strings.Compare(a.Path, b.Path) })
	c.Paths = c.Paths[:min(len(c.Paths), maxPaths)]
	return c
}

// changes is what happened to the files that count.
func (c *comparer) changes(ctx context.Context, before, after Checkpoint) (loop.Changes, error) {
	edits, err := c.edits(ctx, before.Tree, after.Tree, "-M")
	if err == nil {
		edits, err = c.countable(ctx, before.Tree, after.Tree, edits)
	}
	if err != nil {
		return loop.Changes{}, err
	}
	return sum(c.addWatched(edits, before.facts, after.facts)), nil
}

// countable leaves out what does not count. Where a file was renamed from or to
// a name that does not count, the other half is a file that came or went, and
// has other lines than the rename.
func (c *comparer) countable(ctx context.Context, before, after string, edits []edit) ([]edit, error) {
	halves := map[string]bool{}
	kept := edits[:0]
	for _, e := range edits {
		counts, fromCounts := !c.tree.Skips(e.path), e.from != "" && !c.tree.Skips(e.from)
		switch {
		case e.change != renamed && counts, counts && fromCounts:
			kept = append(kept, e)
		case e.change != renamed:
		case counts:
			halves[e.path] = true
		case fromCounts:
			halves[e.from] = true
		}
	}
	if len(halves) == 0 {
		return kept, nil
	}
	whole, err := c.edits(ctx, before, after, "--no-renames")
	if err != nil {
		return nil, err
	}
	for _, e := range whole {
		if halves[e.path] {
			kept = append(kept, e)
		}
	}
	return kept, nil
}

// addWatched adds what happened to files and repositories that were only
// watched. A file that was kept once and skipped then, or the reverse, was
// modified, whatever the trees say.
func (c *comparer) addWatched(edits []edit, before, after facts) []edit {
	was, is := c.watched(before), c.watched(after)
	at := map[string]int{}
	for i, e := range edits {
		at[e.path] = i
	}
	add := func(path, change string) {
		i, found := at[path]
		switch {
		case c.tree.Skips(path):
		case !found:
			edits = append(edits, edit{path: path, change: change})
		case edits[i].change != change:
			edits[i] = edit{path: path, change: modified}
		}
	}
	for path, stamp := range was {
		now, still := is[path]
		switch {
		case !still:
			add(path, deleted)
		case now != stamp:
			add(path, modified)
		}
	}
	for path := range is {
		if _, before := was[path]; !before {
			add(path, created)
		}
	}
	return edits
}

// watched is what is known of everything that is watched, by its path in the
// work tree.
func (c *comparer) watched(f facts) map[string]string {
	all := map[string]string{}
	for _, skipped := range f.Skipped {
		if rel, below := c.tree.Below(string(skipped.Path)); below {
			all[rel] = skipped.Stamp
		}
	}
	for _, n := range f.Nested {
		if rel, below := c.tree.Below(string(n.Path)); below {
			all[rel] = n.Print
		}
	}
	return all
}

// commitLog is the commits of the user's repository, with those that the store has
// copied.
type commitLog struct {
	user *userRepo
	repo *shadow
}

// between counts the commits that can be reached after and could not be
// reached before: an amended commit is a new one, a branch that was there is
// not. What history an agent has rewritten and thrown away is found in the
// store.
func (l commitLog) between(ctx context.Context, before, after facts) (int, error) {
	if len(after.Tips) == 0 || slices.Equal(before.Tips, after.Tips) {
		return 0, nil
	}
	out, err := l.revList(ctx, before, after, "--count")
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		return 0, fmt.Errorf("count commits: %w", err)
	}
	return n, nil
}

// keep copies the commits made since the last checkpoint into the store,
// without their files, so that they can be counted when the agent has thrown
// them away. Those from before the run are there already.
func (l commitLog) keep(ctx context.Context, before, after facts) error {
	if len(after.Tips) == 0 || slices.Equal(before.Tips, after.Tips) {
		return nil
	}
	made, err := l.revList(ctx, before, after)
	if err != nil || len(made) == 0 {
		return err
	}
	pack, err := l.repo.run(ctx, git.Command{Env: []string{lookingInto(l.user.objects())}, Stdin: made}, "pack-objects", "-q", "--stdout")
	if err != nil {
		return err
	}
	_, err = l.repo.run(ctx, git.Command{Stdin: pack}, "unpack-objects", "-q")
	return err
}

// revList asks for the commits between two standings. Of a tip that is gone
// from both repositories git says nothing.
func (l commitLog) revList(ctx context.Context, before, after facts, options ...string) ([]byte, error) {
	var input strings.Builder
	for _, tip := range after.Tips {
		fmt.Fprintf(&input, "%s\n", tip)
	}
	for _, tip := range before.Tips {
		fmt.Fprintf(&input, "^%s\n", tip)
	}
	args := slices.Concat([]string{"rev-list", "--ignore-missing"}, options, []string{"--stdin"})
	if l.user.gone() { // the store has what it saw
		return l.repo.run(ctx, git.Command{Stdin: []byte(input.String())}, args...)
	}
	return l.user.ask(ctx, git.Command{Env: []string{lookingInto(l.repo.objects())}, Stdin: []byte(input.String())}, args...)
}

// DiffOptions says how a difference is shown.
type DiffOptions struct {
	Stat  bool     // files and how many lines, rather than the lines
	Paths []string // from the top of the repository; none is all
}

// readable shows names in letters of any language. Those that hold a quote or a
// control character are quoted still.
var readable = []git.Setting{{Key: "core.quotePath", Value: "false"}}

// Diff writes the difference between two checkpoints for people, as git shows
// it, with paths from the work tree on. It ends with the first error of w: then
// the reader has seen enough.
func (s *Store) Diff(ctx context.Context, w io.Writer, before, after Checkpoint, o DiffOptions) error {
	if err := s.needGit("show what changed"); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	args := []string{"diff", "--no-ext-diff", "--no-textconv", "-M", "--ignore-submodules=dirty", "--color=never"}
	if o.Stat {
		args = append(args, "--stat")
	}
	if s.tree.Prefix() != "" && len(o.Paths) == 0 {
		args = append(args, "--relative="+s.tree.Prefix())
	}
	reader := &reader{to: w, gone: cancel}
	args = append(args, before.Tree, after.Tree, "--")
	for _, path := range o.Paths {
		args = append(args, ":(top,literal)"+path)
	}
	_, err := s.repo.run(ctx, git.Command{Reader: reader, Settings: readable}, args...)
	if reader.err != nil {
		return reader.err
	}
	return err
}

// DiffNow writes the difference between a checkpoint and the files as they are now, for
// people. It leaves the store as it is, for the run that uses it may be alive: it works
// with a copy of the index, and what git makes of new files goes where the copy is.
func (s *Store) DiffNow(ctx context.Context, w io.Writer, before Checkpoint) error {
	if err := s.needGit("show what changes"); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "refrain-diff-*")
	if err != nil {
		return fmt.Errorf("compare with the files of now: %w", err)
	}
	defer os.RemoveAll(scratch)
	objects, index := filepath.Join(scratch, "objects"), filepath.Join(scratch, "index")
	if err := os.Mkdir(objects, 0o700); err != nil {
		return fmt.Errorf("compare with the files of now: %w", err)
	}
	if err := files.Copy(s.repo.index(), index, files.NoSync); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("compare with the files of now: %w", err)
	}
	env := []string{"GIT_INDEX_FILE=" + index, "GIT_OBJECT_DIRECTORY=" + objects, lookingInto(s.repo.objects()), "GIT_OPTIONAL_LOCKS=0"}
	within := ":(top,literal)" + s.tree.Prefix()
	if s.tree.Prefix() == "" {
		within = ":(top)"
	}
	if _, err := s.repo.run(ctx, git.Command{Env: env}, "add", "--intent-to-add", "--ignore-errors", "--", within); err != nil && ctx.Err() != nil {
		return err // else what could be read is shown
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	args := []string{"diff", "--no-ext-diff", "--no-textconv", "-M", "--ignore-submodules=dirty", "--color=never"}
	if s.tree.Prefix() != "" {
		args = append(args, "--relative="+s.tree.Prefix())
	}
	reader := &reader{to: w, gone: cancel}
	_, err = s.repo.run(ctx, git.Command{Env: env, Reader: reader, Settings: readable}, append(args, before.Tree, "--")...)
	if reader.err != nil {
		return reader.err
	}
	return err
}

// reader takes what is written until that fails.
type reader struct {
	to   io.Writer
	gone func(error)
	err  error
}

func (r *reader) Write(b []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	var n int
	if n, r.err = r.to.Write(b); r.err != nil {
		r.gone(r.err)
	}
	return n, r.err
}
