package checkpoint

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
)

// OwnerFile names, in the folder of a run's clean checkouts, the folder of its
// records: checkouts whose records are gone can be found and removed.
const OwnerFile = "refrain-run"

// maxNotes is more than all notes of a run have.
const maxNotes = 1 << 20

// TempFile lists, in that folder, the folders for temporary files that were made.
const TempFile = "temporary"

// TempPrefix is what the names of those folders begin with.
const TempPrefix = "refrain-proof-"

// RemoveTemporary removes the folders for temporary files that are noted in the
// folder of a run's clean checkouts.
func RemoveTemporary(dir string) error {
	notes := filepath.Join(dir, TempFile)
	text, err := files.ReadFile(context.Background(), notes, maxNotes)
	if err != nil {
		return os.RemoveAll(notes) // none were made, or nobody can tell
	}
	for path := range strings.Lines(string(text)) {
		// What the notes say may be anybody's: only what is ours by its name goes.
		if path = strings.TrimSuffix(path, "\n"); filepath.Dir(path) == filepath.Clean(os.TempDir()) && strings.HasPrefix(filepath.Base(path), TempPrefix) {
			err = errors.Join(err, files.RemoveTree(path))
		}
	}
	return errors.Join(err, os.Remove(notes))
}
