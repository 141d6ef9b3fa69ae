//go:build unix

package parts

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
	p := &Prompt{}
	if p.TakeUp(file); p.draft.edited != "" {
		t.Errorf("took up %q", p.draft.edited)
	}
}
