package checkpoint

import (
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
