//go:build unix

package story

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Pipe puts a named pipe at a path, in the place of what is there, and gives the
// path: who opens it for reading waits for ever.
func Pipe(t testing.TB, path string) string {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
