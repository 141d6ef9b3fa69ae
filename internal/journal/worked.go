package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/project"
)

// Worked is the note that agents have worked in a project. It stays when the runs are
// deleted, for what they wrote stays, too. Each of its lines is a commit on which one
// began: by those a clone is known.
type Worked struct {
	Dir string // of the records
}

func (w Worked) file() string { return filepath.Join(w.Dir, "worked") }

const (
	maxWorkedSize = 1 << 20
	maxWorked     = 1000 // commits; the first are those that most clones have
)

// Mark notes that an agent works in the project, on a commit; it may be on none.
func (w Worked) Mark(ctx context.Context, commit string) error {
	commits, marked := w.Commits(ctx)
	if marked && (commit == "" || slices.Contains(commits, commit) || len(commits) >= maxWorked) {
		return nil
	}
	if commit != "" {
		commits = append(commits, commit)
	}
	err := os.MkdirAll(w.Dir, 0o700)
	if err == nil {
		err = files.Replace(w.file(), []byte(strings.Join(commits, "\n")), 0o600, files.SyncName)
	}
	if err != nil {
		return fmt.Errorf("note that an agent works here: %w", err)
	}
	return nil
}

// Commits tells whether that was noted, and on which commits. What cannot be read was.
func (w Worked) Commits(ctx context.Context) (commits []string, marked bool) {
	b, err := files.ReadFile(ctx, w.file(), maxWorkedSize)
	return strings.Fields(string(b)), !errors.Is(err, fs.ErrNotExist)
}

// workedInOriginal tells whether a project is a copy of one in which an agent may have
// worked. When it has records of its own, nobody can tell any more.
func workedInOriginal(p *project.Project) bool {
	if p.CopyOf == "" {
		return false
	}
	original := Store{Dir: p.Original().Dir}
	_, marked := Worked{original.Dir}.Commits(context.Background())
	runs, err := os.ReadDir(string(original.runs()))
	return marked || len(runs) > 0 || err != nil && !errors.Is(err, fs.ErrNotExist)
}
