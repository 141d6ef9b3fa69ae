package parts

import (
	"bytes"
	"context"

	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// Conflicts finds merge conflicts that an agent left behind: a file with both sides
// in it is nobody's work, whatever the gates say.
type Conflicts struct{ Tree *Tree }

// How much is looked at: more was not written by hand.
const (
	maxConflictFiles = 1000
	maxConflictSize  = 1 << 20
)

// Check tells people and the next agent of files with conflict markers, of those
// that the attempt changed.
func (c *Conflicts) Check(ctx context.Context, a *engine.Attempt, _ *loop.Outcome) {
	if c.Tree.changes == nil {
		return
	}
	var found []string
	for _, p := range c.Tree.changes.Paths[:min(len(c.Tree.changes.Paths), maxConflictFiles)] {
		if p.Change == "deleted" {
			continue
		}
		content, err := files.Read(ctx, c.Tree.Files.Top(), p.Path, maxConflictSize)
		if err == nil && inConflict(content) { // what cannot be read is for git to tell
			found = append(found, p.Path)
		}
	}
	if len(found) == 0 {
		return
	}
	what := "conflict markers are left in " + text.FirstFew(found)
	c.Tree.Record(&loop.Warning{Text: what, Hint: "the next agent is told"})
	a.Feedback = append(a.Feedback, what+"; decide which side holds, and remove the markers")
}

// inConflict tells whether a text has both sides of a merge in it: the three
// markers, each at the start of a line, in their order.
func inConflict(content []byte) bool {
	markers := [][]byte{[]byte("<<<<<<< "), []byte("======="), []byte(">>>>>>> ")}
	for line := range bytes.Lines(content) {
		if bytes.HasPrefix(line, markers[0]) {
			if markers = markers[1:]; len(markers) == 0 {
				return true
			}
		}
	}
	return false
}
