package parts

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// Conflicts finds merge conflicts that an agent left behind: a file with both sides
// in it is nobody's work, whatever the gates say.
type Conflicts struct{ Tree *Tree }

// How much is looked at: more was not written by hand. And markers that are further
// apart do not belong together: a page about git has one here and one there.
const (
	maxConflictFiles = 1000
	maxConflictSize  = 1 << 20
	maxConflictLines = 500
)

// Check tells people and the next agent of files with conflict markers, of those
// that the attempt changed.
func (c *Conflicts) Check(ctx context.Context, a *engine.Attempt, _ *loop.Outcome) {
	if c.Tree.changes == nil {
		return
	}
	var found []string
	for _, p := range c.Tree.changes.Paths[:min(len(c.Tree.changes.Paths), maxConflictFiles)] {
		if info, err := os.Lstat(filepath.Join(c.Tree.Files.Dir(), p.Path)); err != nil || !info.Mode().IsRegular() {
			continue
		}
		content, err := files.Read(ctx, c.Tree.Files.Dir(), p.Path, maxConflictSize)
		if err == nil && inConflict(content) { // what cannot be read is for git to tell
			found = append(found, p.Path)
		}
	}
	if found = c.brought(ctx, found); len(found) == 0 {
		return
	}
	what := "conflict markers are left in " + text.FirstFew(found)
	c.Tree.Record(&loop.Warning{Text: what, Hint: "the next agent is told"})
	a.Feedback = append(a.Feedback, what+"; decide which side holds, and remove the markers")
}

// brought is those of the files into which the attempt brought a marker: a page
// about git, or a sample for a test, had them before.
func (c *Conflicts) brought(ctx context.Context, found []string) []string {
	if len(found) == 0 {
		return nil
	}
	t := c.Tree
	var diff bytes.Buffer // of files that are not large
	var paths []string
	for _, name := range found {
		paths = append(paths, t.Files.Prefix()+name)
	}
	if err := t.Store.Diff(ctx, &diff, *t.base.checkpoint, *t.after.checkpoint, checkpoint.DiffOptions{Paths: paths}); err != nil {
		return nil // nobody can tell
	}
	added := map[string]bool{}
	file := ""
	for line := range bytes.Lines(diff.Bytes()) {
		if name, ok := bytes.CutPrefix(line, []byte("+++ b/")); ok {
			file = string(bytes.TrimRight(name, "\t\n"))
		}
		added[file] = added[file] || bytes.HasPrefix(line, []byte("+<<<<<<< "))
	}
	return slices.DeleteFunc(found, func(name string) bool { return !added[t.Files.Prefix()+name] })
}

// inConflict tells whether a text has both sides of a merge in it: the three
// markers as git writes them, each at the start of a line, in their order, and not
// far from each other.
func inConflict(content []byte) bool {
	begun, parted := 0, false // the line with the first marker, and whether the second has come
	n := 0
	for line := range bytes.Lines(content) {
		n++
		switch line = bytes.TrimRight(line, "\r\n"); {
		case marks(line, "<<<<<<< "):
			begun, parted = n, false
		case begun == 0:
		case n-begun > maxConflictLines:
			begun = 0
		case string(line) == "=======":
			parted = true
		case marks(line, ">>>>>>> "):
			if parted {
				return true
			}
			begun = 0 // the end of one side that has no other
		}
	}
	return false
}

// marks tells whether a line is a marker that says whose side it is.
func marks(line []byte, with string) bool {
	return bytes.HasPrefix(line, []byte(with)) && len(bytes.TrimSpace(line)) > len(with)
}
