//go:build unix

package plan

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/refrain-loop/refrain/internal/files"
)

func TestWhatIsNoFileIsNoPlan(t *testing.T) {
	dir := folderOf(t, map[string]string{"plan/README.md": "- [ ] a\n", "specs/a.md": "# A\n"})
	for _, name := range []string{"pipe", "plan/pipe.md", "specs/pipe.md"} {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/dev/zero", filepath.Join(dir, "zero")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"pipe": "it is a named pipe, not a file", "zero": "it is a device, not a file", "plan": "its part pipe.md cannot be read: it is a named pipe, not a file",
	} {
		if _, err := Read(files.Anywhere(filepath.Join(dir, name))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Read(%s) = %v, want %q", name, err, want)
		}
		Files(files.Anywhere(filepath.Join(dir, name))) // comes back
	}
	for _, name := range []string{"pipe", "specs"} {
		if _, err := ReadSpecs(filepath.Join(dir, name)); err == nil || errors.Is(err, os.ErrNotExist) {
			t.Errorf("ReadSpecs(%s) = %v, want why it cannot be read", name, err)
		}
	}
}
