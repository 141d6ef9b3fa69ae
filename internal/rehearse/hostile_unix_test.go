//go:build unix

package rehearse

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/refrain-loop/refrain/internal/files"
)

func TestAPipeIsNotCopied(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	var other *files.NotRegularError
	if err := copyFile(path, filepath.Join(dir, "copy")); !errors.As(err, &other) {
		t.Errorf("copyFile = %v, want a NotRegularError", err)
	}
}
