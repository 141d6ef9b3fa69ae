//go:build unix

package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAFolderOfOurOwn(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := Own(at("none")); !os.IsNotExist(err) {
		t.Errorf("one that is not there: %v", err)
	}
	if err := MakeOwn(at("new")); err != nil {
		t.Error(err)
	}
	if err := MakeOwn(at("new")); err != nil {
		t.Errorf("made again: %v", err)
	}
	if info, err := os.Stat(at("new")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("stat = %v, %v", info, err)
	}
	for name, put := range map[string]func(string) error{
		"is not a folder":          func(at string) error { return os.WriteFile(at, nil, 0o600) },
		"is not a folder: remove ": func(at string) error { return os.Symlink(dir, at) },
		"is open to other users":   func(at string) error { return os.Mkdir(at, 0o755) },
	} {
		if err := put(at(name)); err != nil {
			t.Fatal(err)
		}
		if err := MakeOwn(at(name)); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("want that it %s, got %v", name, err)
		}
	}
	if os.Geteuid() == 0 { // else nobody can give it away
		if err := os.Chown(at("new"), 12345, -1); err != nil {
			t.Skip(err)
		}
		if err := MakeOwn(at("new")); err == nil || !strings.Contains(err.Error(), "belongs to another user") {
			t.Errorf("one of another user's: %v", err)
		}
	}
}
