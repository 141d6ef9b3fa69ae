package git

import (
	"bytes"
	"context"
	"fmt"
	"strings"
)

// Submodules are the repositories inside the tree that the index names.
func (t *Tree) Submodules(ctx context.Context) ([]string, error) {
	out, err := t.git.Run(ctx, "ls-files", "--stage", "--full-name", "-z", "--", ".")
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, line := range SplitNUL(out) {
		if what, path, _ := strings.Cut(line, "\t"); strings.HasPrefix(what, Gitlink) {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// Status is the commit, and the files of the tree that differ from it, by their
// paths from the root of the git work tree. Git is not to enter repositories
// inside the tree, where it would obey their settings: of a submodule only the
// commit is compared.
func (t *Tree) Status(ctx context.Context) (head string, paths []string, err error) {
	c, err := t.git.unfiltered(ctx)
	if err != nil {
		return "", nil, err
	}
	out, err := t.git.RunWith(ctx, c, "status", "--porcelain=v2", "--branch", "-z",
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

// Gitlink is the mode of a commit that stands where a folder would.
const Gitlink = "160000"
