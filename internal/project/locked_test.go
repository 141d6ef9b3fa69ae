package project

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestALockIsNotWaitedForForEver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.lock")
	first, err := lockFile(path, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	var locked *LockedError
	if _, err := lockFile(path, time.Millisecond); !errors.As(err, &locked) || locked.File != path {
		t.Errorf("lockFile = %v, want that somebody else has it", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second, err := lockFile(path, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	second.Close()
	elsewhere := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink("/dev/zero", elsewhere); err != nil {
		t.Fatal(err)
	}
	third, err := lockFile(elsewhere, time.Minute)
	if err != nil {
		t.Fatalf("a link in its place: %v", err)
	}
	third.Close()
	if info, err := os.Lstat(elsewhere); err != nil || !info.Mode().IsRegular() {
		t.Errorf("there is still a link: %v, %v", info, err)
	}
}
