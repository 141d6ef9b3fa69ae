package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
)

// Dirty counts the files that are not committed as they are: changed, staged,
// deleted and new ones, but for ignored ones and the runner's own. Without git
// there are none.
func (t *Tree) Dirty(ctx context.Context) (files int, err error) {
	if !t.isGit {
		return 0, nil
	}
	_, paths, err := t.Status(ctx)
	for _, p := range paths {
		if !t.Own(strings.TrimPrefix(p, t.prefix)) {
			files++
		}
	}
	return files, err
}

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
	report, err := ParseStatus(out)
	if err == nil && len(out) == 0 {
		err = errors.New("it says nothing, not even which commit this is")
	}
	if err != nil {
		return "", nil, fmt.Errorf("git status in %s: %w", t.dir, err)
	}
	for _, r := range report.Records {
		paths = append(paths, r.Path)
	}
	return report.Head, paths, nil
}

// Record is a path of which git status has something to say.
type Record struct {
	Path   string // from the root of the work tree; of a repository inside the tree it ends with a slash
	Index  byte   // how the index differs from the last commit: '.' not at all, '?' it has no such path
	File   byte   // how the file differs from the index
	Linked bool   // the index has a commit there
}

// NewFile is the record of a file that the index does not have.
func NewFile(path string) Record { return Record{Path: path, Index: '?', File: '?'} }

// Differs tells whether the file is other than the index says.
func (r Record) Differs() bool { return r.File != '.' }

// Report is all that git status says.
type Report struct {
	Head    string // the commit; empty before the first, and when nobody asked
	Records []Record
	Ignored []string
}

// ParseStatus reads what git status says in its second porcelain format.
func ParseStatus(out []byte) (Report, error) {
	var all Report
	for len(out) > 0 {
		line, rest, _ := bytes.Cut(out, []byte{0})
		out = rest
		kind, text, _ := strings.Cut(string(line), " ")
		var r Record
		switch kind {
		case "#":
			if oid, ok := strings.CutPrefix(text, "branch.oid "); ok && oid != "(initial)" {
				all.Head = oid
			}
			continue
		case "!":
			all.Ignored = append(all.Ignored, text)
			continue
		case "?":
			r = NewFile(text)
		case "1", "u":
			fields := 7 // before the path
			if kind == "u" {
				fields = 9
			}
			parts := strings.SplitN(text, " ", fields+1)
			if len(parts) <= fields || len(parts[0]) != 2 {
				return Report{}, fmt.Errorf("half a line: %q", line)
			}
			r = Record{Index: parts[0][0], File: parts[0][1], Path: parts[fields], Linked: parts[3] == Gitlink}
		default:
			return Report{}, fmt.Errorf("a line of unknown kind: %q", line)
		}
		if r.Path == "" || r.Path == "/" {
			return Report{}, fmt.Errorf("a line without a path: %q", line)
		}
		all.Records = append(all.Records, r)
	}
	return all, nil
}

// Gitlink is the mode of a commit that stands where a folder would.
const Gitlink = "160000"
