//go:build unix

package history

import (
	"path/filepath"
	"testing"

	"github.com/refrain-loop/refrain/internal/story"
)

func TestACheckoutWithAPipeForItsOwnerIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	story.Pipe(t, filepath.Join(dir, "refrain-run"))
	story.Pipe(t, filepath.Join(dir, ".git", "refrain-run"))
	if abandoned(dir, nil) {
		t.Error("nobody can tell whose it is, and it would be removed")
	}
}
