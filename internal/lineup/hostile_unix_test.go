//go:build unix

package lineup

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/refrain-loop/refrain/internal/files"
)

func TestAPipeIsNoScript(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	var other *files.NotRegularError
	if err := checkScript(files.Anywhere(path)); !errors.As(err, &other) {
		t.Errorf("checkScript = %v, want a NotRegularError", err)
	}
}
