package repo

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// printGit asks git which files differ from the last commit, and looks at these
// only: all others are as the commit says. What git thinks of them is left out,
// since to stage a file is not to change it.
func (t *Tree) printGit(ctx context.Context) (Print, error) {
	head, paths, err := t.status(ctx)
	if err != nil {
		return Print{}, err
	}
	links, err := t.submodules(ctx)
	if err != nil {
		return Print{}, err
	}
	paths = append(paths, links...)
	slices.Sort(paths)
	m := newManifest()
	for _, p := range slices.Compact(paths) {
		rel := strings.TrimPrefix(p, t.prefix)
		if err := t.addListed(ctx, m, rel); err != nil {
			return Print{}, err
		}
	}
	return Print{Head: head, Files: m.sum()}, nil
}

// addListed adds a path that git lists. Of a repository inside the tree, added
// as a submodule or not, git lists only the folder: it is looked through as a
// plain one.
func (t *Tree) addListed(ctx context.Context, m *manifest, rel string) error {
	rel = strings.TrimSuffix(rel, "/")
	if t.skips(rel) {
		return nil
	}
	if m.add(rel, filepath.Join(t.dir, filepath.FromSlash(rel))) {
		return t.walk(ctx, m, rel)
	}
	return nil
}

// submodules are the repositories inside the tree that the index names.
func (t *Tree) submodules(ctx context.Context) ([]string, error) {
	out, err := t.run(ctx, "ls-files", "--stage", "--full-name", "-z", "--", ".")
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, line := range splitNUL(out) {
		if what, path, _ := strings.Cut(line, "\t"); strings.HasPrefix(what, gitlink) {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// status is the commit, and the files of the tree that differ from it, by their
// paths from the root of the git work tree. Git is not to enter repositories
// inside the tree, where it would obey their settings: of a submodule only the
// commit is compared.
func (t *Tree) status(ctx context.Context) (head string, paths []string, err error) {
	c, err := t.unfiltered(ctx)
	if err != nil {
		return "", nil, err
	}
	out, err := t.runIn(ctx, t.dir, c, "status", "--porcelain=v2", "--branch", "-z",
		"--untracked-files=all", "--no-renames", "--no-ahead-behind", "--ignore-submodules=dirty", "--", ".")
	if err != nil {
		return "", nil, err
	}
	head, paths, err = parseStatus(out)
	if err != nil {
		return "", nil, fmt.Errorf("git status in %s: %w", t.dir, err)
	}
	return head, paths, nil
}

// parseStatus reads what git status says in its second porcelain format: the
// commit, empty before the first, and the paths from the root of the work tree.
func parseStatus(out []byte) (head string, paths []string, err error) {
	for record := range bytes.SplitSeq(bytes.TrimSuffix(out, []byte{0}), []byte{0}) {
		kind, rest, _ := strings.Cut(string(record), " ")
		fields := 0 // before the path
		switch kind {
		case "#":
			if oid, ok := strings.CutPrefix(rest, "branch.oid "); ok && oid != "(initial)" {
				head = oid
			}
			continue
		case "?":
		case "1":
			fields = 7
		case "u":
			fields = 9
		default:
			return "", nil, fmt.Errorf("a line of unknown kind: %q", record)
		}
		parts := strings.SplitN(rest, " ", fields+1)
		if len(parts) <= fields || parts[fields] == "" {
			return "", nil, fmt.Errorf("a line without a path: %q", record)
		}
		paths = append(paths, parts[fields])
	}
	return head, paths, nil
}
