package project

import (
	"errors"
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
	if _, err := lockFile(t.TempDir(), time.Minute); err == nil {
		t.Error("a folder was locked")
	}
}
