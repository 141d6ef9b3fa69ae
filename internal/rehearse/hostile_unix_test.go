//go:build unix

package rehearse

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/story"
)

func TestAPipeIsNotCopied(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "pipe")
	story.Pipe(t, path)
	var other *files.NotRegularError
	if err := copyFile(path, filepath.Join(dir, "copy")); !errors.As(err, &other) {
		t.Errorf("copyFile = %v, want a NotRegularError", err)
	}
}
