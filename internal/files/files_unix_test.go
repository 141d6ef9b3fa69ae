//go:build unix

package files

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
)

func TestWhatIsNoFileIsRefusedAtOnce(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir) // the path of a socket must be short
	socket, err := net.Listen("unix", "socket")
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	for path, want := range map[string]string{"pipe": "a named pipe", "socket": "a socket", "/dev/zero": "a device"} {
		_, err := ReadFile(t.Context(), path, 9)
		var other *NotRegularError
		if !errors.As(err, &other) || other.Kind() != want {
			t.Errorf("ReadFile(%s) = %v, want that it is %s", path, err, want)
		}
	}
	link(t, "/dev/zero", "zero")
	var outside *OutsideError
	if _, err := Read(t.Context(), dir, "zero", 9); !errors.As(err, &outside) {
		t.Errorf("Read of a link to /dev/zero = %v, want an OutsideError", err)
	}
	if _, err := Read(t.Context(), dir, "pipe", 9); err == nil {
		t.Error("Read took a named pipe for a file")
	}
}

// A file that is exchanged for a pipe again and again never makes a reader wait.
func TestAFileThatBecomesAPipeIsNotWaitedFor(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	write(t, path, "text")
	var over atomic.Bool
	done := make(chan error)
	go func() {
		for !over.Load() {
			err := errors.Join(syscall.Mkfifo(path+".new", 0o600), os.Rename(path+".new", path))
			err = errors.Join(err, os.WriteFile(path+".new", []byte("text"), 0o600), os.Rename(path+".new", path))
			if err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for range 2000 {
		if got, err := Read(t.Context(), dir, "a", 9); err == nil && string(got) != "text" {
			t.Errorf("Read = %q", got)
		}
	}
	over.Store(true)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}
