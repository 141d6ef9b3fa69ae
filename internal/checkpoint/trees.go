package checkpoint

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/glob"
)

// Trees compares trees of a store and makes new ones of them. Paths are those
// from the top of the repository, also where the work tree is a folder of it:
// what lies above it can decide about its tests, too.
type Trees struct {
	tree     *git.Tree
	repo     *shadow
	seal     *seal
	compared *comparer
}

// Prefix is the path of the work tree from the top, empty or with a slash at its
// end.
func (t Trees) Prefix() string { return t.tree.Prefix() }

// Edit is what happened to one file between two trees.
type Edit = git.TreeEdit

// File is what a tree has at a path.
type File = git.TreeFile

// Edits lists what differs between two trees. A file that was moved and holds
// the same is one edit.
func (t Trees) Edits(ctx context.Context, before, after string) ([]Edit, error) {
	if !t.tree.Git() {
		return nil, &NoGitError{Act: "compare trees"}
	}
	edits, err := t.compared.allEdits(ctx, before, after)
	if err != nil {
		return nil, err
	}
	list := make([]Edit, 0, len(edits))
	for _, e := range edits {
		was, is := File{Mode: e.oldMode, Object: e.oldObject}, File{Mode: e.mode, Object: e.object}
		switch {
		case e.change == created:
			list = append(list, Edit{Path: e.path, Is: is})
		case e.change == deleted:
			list = append(list, Edit{Path: e.path, Was: was})
		case e.from != "" && was.Object != is.Object: // much the same is not the same
			list = append(list, Edit{Path: e.from, Was: was}, Edit{Path: e.path, Is: is})
		default:
			list = append(list, Edit{Path: e.path, From: e.from, Was: was, Is: is})
		}
	}
	return list, nil
}

// Read is what a file holds.
func (t Trees) Read(ctx context.Context, f File) ([]byte, error) {
	var content []byte
	err := t.repo.read(ctx, []leaf{{mode: f.Mode, object: f.Object, path: f.Object}}, func(_ leaf, b []byte) error {
		content = bytes.Clone(b)
		return nil
	})
	return content, err
}

// ReadAll gives what several files hold; those that are not there are left out.
func (t Trees) ReadAll(ctx context.Context, files []File, take func(File, []byte)) error {
	var leaves []leaf
	for _, f := range files {
		if f.There() {
			leaves = append(leaves, leaf{mode: f.Mode, object: f.Object, path: f.Object})
		}
	}
	return t.repo.read(ctx, leaves, func(l leaf, content []byte) error {
		take(File{Mode: l.mode, Object: l.object}, content)
		return nil
	})
}

// Paths lists the files of a tree.
func (t Trees) Paths(ctx context.Context, tree string) (map[string]File, error) {
	leaves, err := t.repo.leaves(ctx, tree)
	if err != nil {
		return nil, err
	}
	all := make(map[string]File, len(leaves))
	for _, l := range leaves {
		all[l.path] = File{Mode: l.mode, Object: l.object}
	}
	return all, nil
}

// Naming lists the files of a tree in which a text stands.
func (t Trees) Naming(ctx context.Context, tree, text string) ([]string, error) {
	out, err := t.repo.run(ctx, git.Command{}, "grep", "-l", "-z", "-F", "-I", "-e", text, tree)
	if git.SaidNo(err) {
		return nil, nil
	}
	var list []string
	for _, line := range git.SplitNUL(out) {
		list = append(list, strings.TrimPrefix(line, tree+":"))
	}
	return list, err
}

// Patch is what a new tree has at a path: a file of another tree, a content, or
// nothing. The mode of a content is that of the file, if any.
type Patch struct {
	Path    string
	File    File
	Content []byte
}

// patched begins the names of what trees are put together in.
const patched = "patched-"

// Sweep removes what somebody who was killed has left. Nobody else may be making
// trees.
func (t Trees) Sweep() {
	left, _ := filepath.Glob(filepath.Join(t.repo.dir, patched+"*")) // the pattern is a good one
	for _, path := range left {
		_ = os.Remove(path) // it only costs room
	}
}

// With makes a tree that differs from another in some paths.
func (t Trees) With(ctx context.Context, tree string, patches []Patch) (string, error) {
	if len(patches) == 0 {
		return tree, nil
	}
	if _, err := t.seal.check(); err != nil {
		return "", err
	}
	index := filepath.Join(t.repo.dir, patched+rand.Text())
	defer os.Remove(index)
	apart := git.Command{Env: []string{"GIT_INDEX_FILE=" + index}}
	if _, err := t.repo.run(ctx, apart, "read-tree", tree); err != nil {
		return "", err
	}
	// What goes must be gone before a folder takes its place.
	var gone, come bytes.Buffer
	for _, p := range patches {
		if p.Content != nil {
			object, err := t.repo.run(ctx, git.Command{Stdin: p.Content}, "hash-object", "-w", "--no-filters", "--stdin")
			if err != nil {
				return "", err
			}
			p.File = File{Mode: cmp.Or(p.File.Mode, "100644"), Object: strings.TrimSpace(string(object))}
		}
		if p.File.There() {
			fmt.Fprintf(&come, "%s %s\t%s\x00", p.File.Mode, p.File.Object, p.Path)
		} else {
			fmt.Fprintf(&gone, "0 %s\t%s\x00", strings.Repeat("0", len(tree)), p.Path)
		}
	}
	apart.Stdin = append(gone.Bytes(), come.Bytes()...)
	if _, err := t.repo.run(ctx, apart, "update-index", "-z", "--index-info"); err != nil {
		return "", err
	}
	apart.Stdin = nil
	made, err := t.repo.run(ctx, apart, "write-tree", "--missing-ok")
	return strings.TrimSpace(string(made)), err
}

// Pin names files that are to be as they were at a first checkpoint: tests,
// say, that an agent must not bend. The patterns are those of glob.Parse,
// from the work tree on.
type Pin struct {
	Patterns []string
	First    Checkpoint
}

// Pinned lists the pinned files that are not as they were at first: changed,
// deleted or new. They are sorted.
func (t Trees) Pinned(ctx context.Context, now Checkpoint, pin Pin) ([]string, error) {
	if !t.tree.Git() {
		return nil, &NoGitError{Act: "compare pinned files"}
	}
	edits, err := t.unpinned(ctx, now, pin)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, e := range edits {
		paths = append(paths, e.path)
	}
	slices.Sort(paths)
	return paths, nil
}

// unpinned is what has to happen to pinned files so that they are as at first.
func (t Trees) unpinned(ctx context.Context, now Checkpoint, pin Pin) ([]edit, error) {
	patterns, err := glob.Parse(pin.Patterns)
	if err != nil || len(patterns) == 0 {
		return nil, err
	}
	edits, err := t.compared.edits(ctx, now.Tree, pin.First.Tree, "--no-renames")
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(edits, func(e edit) bool { return !patterns.Match(e.path) }), nil
}

// PinnedTree is the tree of a checkpoint with the pinned files as at first.
func (t Trees) PinnedTree(ctx context.Context, to Checkpoint, pin Pin) (string, error) {
	edits, err := t.unpinned(ctx, to, pin)
	if err != nil {
		return "", err
	}
	var patches []Patch
	for _, e := range edits {
		p := Patch{Path: t.tree.Prefix() + e.path}
		if e.change != deleted {
			p.File = File{Mode: e.mode, Object: e.object}
		}
		patches = append(patches, p)
	}
	return t.With(ctx, to.Tree, patches)
}
