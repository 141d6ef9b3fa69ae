//go:build unix

package app

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/refrain-loop/refrain/internal/files"
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

func TestPipesAreNotWaitedFor(t *testing.T) {
	dir := t.TempDir()
	path := pipe(t, filepath.Join(dir, "pipe"))
	_, logged := openLog(dir, path)
	for act, err := range map[string]error{
		"openLog": logged,
	} {
		var other *files.NotRegularError
		if !errors.As(err, &other) {
			t.Errorf("%s = %v, want a NotRegularError", act, err)
		}
	}
}
