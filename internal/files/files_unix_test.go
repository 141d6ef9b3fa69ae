//go:build unix

package files

import (
	"errors"
	"io/fs"
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

func TestAPipeAmongFilesIsNotWaitedFor(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	tree, err := OpenTree(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	var other *NotRegularError
	if _, err := FS(tree).Open("pipe"); !errors.As(err, &other) {
		t.Errorf("Open = %v, want a NotRegularError", err)
	}
	if _, err := fs.ReadDir(FS(tree), "pipe"); err == nil {
		t.Error("ReadDir took a pipe for a folder")
	}
	if _, err := OpenTree(pipe); err == nil {
		t.Error("OpenTree took a pipe for a folder")
	}
	if _, err := Append(pipe, 0o600); !errors.As(err, &other) {
		t.Errorf("Append = %v, want a NotRegularError", err)
	}
	if err := Replace(pipe, []byte("text"), 0o600, NoSync); err != nil {
		t.Error(err)
	}
	if got, err := Read(t.Context(), dir, "pipe", 9); err != nil || string(got) != "text" {
		t.Errorf("Read after Replace = %q, %v", got, err)
	}
}

// A folder that is exchanged for a pipe again and again is not waited for either.
func TestAFolderThatBecomesAPipeIsNotWaitedFor(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "folder"), 0o700), syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600)); err != nil {
		t.Fatal(err)
	}
	var over atomic.Bool
	done := make(chan error)
	go func() {
		for !over.Load() {
			err := errors.Join(os.Symlink("pipe", path+".new"), os.Rename(path+".new", path))
			err = errors.Join(err, os.Symlink("folder", path+".new"), os.Rename(path+".new", path))
			if err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for range 20000 {
		if tree, err := OpenTree(path); err == nil {
			tree.Close()
		}
	}
	over.Store(true)
	if err := <-done; err != nil {
		t.Fatal(err)
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
