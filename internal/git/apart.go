package git

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/project"
	"github.com/refrain-loop/refrain/internal/text"
)

// Apart makes commits without touching a branch, the index or a file of the user's:
// it has a HEAD and an index of its own. What it made is there for who moves a
// branch to it, all or nothing.
type Apart struct {
	// Read gives what a file of an edit holds, as it is in the work tree.
	Read func(context.Context, TreeFile) ([]byte, error)
	// NoHooks commits without running any hook.
	NoHooks bool

	tree  *Tree
	dir   string // stands for the git folder
	known map[string]TreeFile
}

// ConflictError says which files do not go with what is there. Nothing was changed.
type ConflictError struct{ Paths []string }

func (e *ConflictError) Error() string {
	return "there other lines stand where the run changed some: " + strings.Join(e.Paths, ", ")
}

// ApartAt begins at a commit; empty is none. The folder is made, and is the
// caller's to remove: what a killed one has left in it is removed first.
func ApartAt(ctx context.Context, t *Tree, base, folder string) (*Apart, error) {
	if !t.isGit {
		return nil, refuseWithoutGit(t.dir)
	}
	own, err := t.git.folder(ctx)
	if err != nil {
		return nil, err
	}
	common, err := project.CommonOf(own)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(files.RemoveAll(folder), os.Mkdir(folder, 0o700)); err != nil {
		return nil, fmt.Errorf("make commits apart: %w", err)
	}
	// A folder with these two is one of a linked work tree to git. Where there is no
	// commit yet, HEAD names a branch that only this folder can see.
	head := base
	if head == "" {
		head = "ref: refs/worktree/apart"
	}
	for name, text := range map[string]string{"commondir": common, "HEAD": head} {
		if err := files.Replace(filepath.Join(folder, name), []byte(text+"\n"), 0o600, files.NoSync); err != nil {
			return nil, fmt.Errorf("make commits apart: %w", err)
		}
	}
	a := &Apart{tree: t, dir: folder, known: map[string]TreeFile{}}
	if base == "" {
		return a, nil
	}
	if _, err := a.run(ctx, Command{}, "read-tree", base); err != nil {
		return nil, err
	}
	out, err := a.run(ctx, Command{}, "ls-tree", "-r", "-z", "--full-tree", base)
	if err != nil {
		return nil, err
	}
	for _, line := range SplitNUL(out) {
		what, name, _ := strings.Cut(line, "\t")
		if fields := strings.Fields(what); len(fields) == 3 {
			a.known[name] = TreeFile{Mode: fields[0], Object: fields[2]}
		}
	}
	return a, nil
}

func (a *Apart) on(c Command) Command {
	c.Env = append(c.Env, "GIT_DIR="+a.dir, "GIT_WORK_TREE="+a.tree.Top())
	return c
}

func (a *Apart) run(ctx context.Context, c Command, args ...string) ([]byte, error) {
	return a.tree.git.In(a.tree.Top()).RunWith(ctx, a.on(c), args...)
}

// Commit commits what was applied, as the user would: with their identity, signature
// and hooks, which see the files of the work tree.
func (a *Apart) Commit(ctx context.Context, message string, trailers []string) (string, error) {
	args := []string{"commit", "-q", "--cleanup=whitespace", "-F", "-"}
	if a.NoHooks {
		args = append([]string{"-c", "core.hooksPath=" + os.DevNull}, args...)
	}
	git := a.tree.git.In(a.tree.Top())
	if err := git.runHooks(ctx, a.on(Command{Stdin: []byte(text.WithTrailers(message, trailers))}), args...); err != nil {
		return "", err
	}
	return a.tip(ctx)
}

// Remove takes its folder away. The commits are the repository's.
func (a *Apart) Remove() { _ = files.RemoveAll(a.dir) } // it only costs room

func (a *Apart) tip(ctx context.Context) (string, error) {
	out, err := a.run(ctx, Command{}, "rev-parse", "-q", "--verify", "HEAD^{commit}")
	return strings.TrimSpace(string(out)), err
}

// Apply makes edits on top of what is there, by paths from the root, whose objects
// are for Read. It tells whether there was anything left to change. The error is a
// *ConflictError where they do not go with what is there.
func (a *Apart) Apply(ctx context.Context, edits []TreeEdit) (bool, error) {
	var conflicts []string
	next := map[string]TreeFile{}
	for _, e := range edits {
		ours, seen := next[e.Path]
		if !seen {
			ours = a.known[e.Path]
		}
		is, ok, err := a.merged(ctx, ours, e)
		if err != nil {
			return false, err
		}
		if !ok {
			conflicts = append(conflicts, e.Path)
		}
		next[e.Path] = is
	}
	maps.DeleteFunc(next, func(name string, f TreeFile) bool { return f == a.known[name] })
	conflicts = append(conflicts, a.inTheWay(next)...)
	if len(conflicts) > 0 {
		slices.Sort(conflicts)
		return false, &ConflictError{Paths: slices.Compact(conflicts)}
	}
	if len(next) == 0 {
		return false, nil
	}
	// What goes must be gone before a folder takes its place.
	var gone, come strings.Builder
	for name, f := range next {
		if f.There() {
			fmt.Fprintf(&come, "%s %s\t%s\x00", f.Mode, f.Object, name)
			a.known[name] = f
		} else {
			fmt.Fprintf(&gone, "0 %s\t%s\x00", strings.Repeat("0", len(a.known[name].Object)), name)
			delete(a.known, name)
		}
	}
	_, err := a.run(ctx, Command{Stdin: []byte(gone.String() + come.String())}, "update-index", "-z", "--index-info")
	return err == nil, err
}

// inTheWay lists new files where a folder is, or below what is a file.
func (a *Apart) inTheWay(next map[string]TreeFile) []string {
	there := func(name string) bool {
		if f, changed := next[name]; changed {
			return f.There()
		}
		return a.known[name].There()
	}
	folders := map[string]bool{}
	for name := range a.known {
		if there(name) {
			for dir := path.Dir(name); dir != "." && !folders[dir]; dir = path.Dir(dir) {
				folders[dir] = true
			}
		}
	}
	var list []string
	for name, f := range next {
		if !f.There() || a.known[name].There() {
			continue
		}
		blocked := folders[name]
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			blocked = blocked || there(dir)
		}
		if blocked {
			list = append(list, name)
		}
	}
	return list
}

// merged is what a path holds once an edit is made to what is there; not ok where
// the two do not go together.
func (a *Apart) merged(ctx context.Context, ours TreeFile, e TreeEdit) (f TreeFile, ok bool, err error) {
	is, err := a.stored(ctx, e.Path, e.Is)
	if err != nil || ours == is || ours == e.Was {
		return is, true, err
	}
	was, err := a.stored(ctx, e.Path, e.Was)
	if err != nil || ours == was {
		return is, true, err
	}
	plain := func(f TreeFile) bool { return f.There() && !f.Link() && f.Mode != Gitlink }
	if !plain(ours) || !plain(was) || !plain(is) {
		return ours, false, nil
	}
	f = is
	if is.Mode == was.Mode {
		f.Mode = ours.Mode
	}
	if f.Object, ok, err = a.mergeLines(ctx, ours.Object, was.Object, is.Object); !ok || err != nil {
		return ours, false, err
	}
	return f, true, nil
}

// mergeLines merges what two have made of one file.
func (a *Apart) mergeLines(ctx context.Context, ours, was, is string) (object string, ok bool, err error) {
	var names []string
	for i, object := range []string{ours, was, is} {
		text, err := a.run(ctx, Command{}, "cat-file", "blob", object)
		if err != nil {
			return "", false, err
		}
		name := filepath.Join(a.dir, fmt.Sprintf("side-%d", i))
		if err := files.Replace(name, text, 0o600, files.NoSync); err != nil {
			return "", false, fmt.Errorf("merge a file: %w", err)
		}
		defer os.Remove(name)
		names = append(names, name)
	}
	text, err := a.run(ctx, Command{}, append([]string{"merge-file", "-p", "-q"}, names...)...)
	if _, exited := ExitCode(err); exited { // the number of conflicts, or that it is no text
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	out, err := a.run(ctx, Command{Stdin: text}, "hash-object", "-w", "--no-filters", "--stdin")
	return strings.TrimSpace(string(out)), err == nil, err
}

// stored is a file of the work tree as git stores it: with the line ends and
// filters that its attributes say.
func (a *Apart) stored(ctx context.Context, name string, f TreeFile) (TreeFile, error) {
	if !f.There() || f.Mode == Gitlink {
		return f, nil
	}
	text, err := a.Read(ctx, f)
	if err != nil {
		return f, err
	}
	how := "--path=" + name
	if f.Link() {
		how = "--no-filters"
	}
	out, err := a.run(ctx, Command{Stdin: text}, "hash-object", "-w", "--stdin", how)
	return TreeFile{Mode: f.Mode, Object: strings.TrimSpace(string(out))}, err
}
