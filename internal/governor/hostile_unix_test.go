//go:build unix

package governor

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe in the place of the file, of its lock or of both does not hold up a run.
func TestAPipeIsNotWaitedFor(t *testing.T) {
	dir := t.TempDir()
	must(t, Open(dir).Note(aLimit))
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		must(t, os.Remove(path))
		must(t, syscall.Mkfifo(path, 0o600))
		if found, err := Open(dir).Look([]string{aLimit.Account}, noon); err == nil && len(found) > 0 && e.Name() != "limits.lock" {
			t.Errorf("with a pipe as %s: found %v", e.Name(), found)
		}
		_ = Open(dir).Note(aLimit) // that it returns is what matters
	}
}
