//go:build unix

package config

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// What an agent may leave where the settings were.
func TestWhatIsNoFileIsNoSettings(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := syscall.Mkfifo(at("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/zero", at("zero")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at("large"), []byte(strings.Repeat("#", maxFileSize+1)), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"pipe":  "cannot be read: it is a named pipe, not a file",
		"zero":  "cannot be read: it is a device, not a file",
		"large": "cannot be read: it is larger than 4 MB",
	} {
		got := problems(t, Sources{UserFile: at(name)})
		if len(got) != 1 || got[0].What != want {
			t.Errorf("%s gave %#v, want %q", name, got, want)
		}
	}
}
