//go:build unix

package engine

import (
	"path/filepath"
	"syscall"
	"testing"
)

func TestANextPromptThatIsAPipeIsNotWaitedFor(t *testing.T) {
	file := filepath.Join(t.TempDir(), nextPrompt)
	if err := syscall.Mkfifo(file, 0o600); err != nil {
		t.Fatal(err)
	}
	e := &Engine{}
	if e.takeUp(file); e.edited != "" {
		t.Errorf("took up %q", e.edited)
	}
}
