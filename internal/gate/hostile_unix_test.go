//go:build unix

package gate

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A lockfile or manifest that is no file is not waited for, nor read without end.
func TestWhatIsNoFileIsNotInstalled(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"package-lock.json", "package.json", "requirements.txt"} {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/dev/zero", filepath.Join(dir, "requirements-dev.txt")); err != nil {
		t.Fatal(err)
	}
	if command, _ := Setup(dir); command != "" {
		t.Errorf("Setup = %q", command)
	}
	if got := Manifests(dir); len(got) != 0 {
		t.Errorf("Manifests = %q", got)
	}
	for _, name := range []string{"package-lock.json", "package.json", "requirements-dev.txt"} {
		if content, whole := Installed(dir, name); len(content) != 0 || whole {
			t.Errorf("Installed(%s) = %q, %v", name, content, whole)
		}
	}
}
