//go:build unix

package history

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func pipe(t *testing.T, path string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestACheckoutWithAPipeForItsOwnerIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	pipe(t, filepath.Join(dir, "refrain-run"))
	pipe(t, filepath.Join(dir, ".git", "refrain-run"))
	if abandoned(dir, nil) {
		t.Error("nobody can tell whose it is, and it would be removed")
	}
}
