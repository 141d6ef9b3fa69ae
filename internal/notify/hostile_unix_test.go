//go:build unix

package notify

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/refrain-loop/refrain/internal/files"
)

func TestALogThatIsAPipeIsNotWaitedFor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := (log{files.Anywhere(path)}).Notify(t.Context(), message); err == nil {
		t.Error("a pipe is taken for a file")
	}
}
