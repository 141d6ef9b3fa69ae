package app

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/gofrs/flock"
)

func TestALodgingGoesWithItsProcess(t *testing.T) {
	root := t.TempDir()
	killed := filepath.Join(root, "killed", "agent", "deep")
	if err := os.MkdirAll(killed, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(lockOf(filepath.Join(root, "killed")), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	first, err := lodge(filepath.Join(root, "first"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, "killed")); !os.IsNotExist(err) {
		t.Errorf("what a killed process left is there: %v", err)
	}
	second, err := lodge(filepath.Join(root, "second"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(first.dir); err != nil {
		t.Errorf("that of a living process is gone: %v", err)
	}
	if _, err := lodge(first.dir); err == nil {
		t.Error("two live in one")
	}
	first.leave()
	second.leave()
	if left, _ := os.ReadDir(root); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

// Whoever sweeps while others begin takes nobody's.
func TestManyLodgeAtOnce(t *testing.T) {
	root := t.TempDir()
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			l, err := lodge(filepath.Join(root, string(rune('a'+i))))
			if err != nil {
				t.Error(err)
				return
			}
			defer l.leave()
			if !l.stands() {
				t.Errorf("%s was swept", l.dir)
			}
			if got, err := flock.New(lockOf(l.dir)).TryLock(); got || err != nil {
				t.Errorf("%s is not locked: %v", l.dir, err)
			}
		})
	}
	wg.Wait()
}

// What lies beside and is no lodging is somebody's.
func TestOnlyLodgingsAreSwept(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, "letters", "a")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := lodge(filepath.Join(root, "mine"))
	if err != nil {
		t.Fatal(err)
	}
	l.leave()
	left, err := os.ReadDir(filepath.Dir(file))
	if err != nil || len(left) != 1 {
		t.Errorf("left of the letters: %v, %v, want all", left, err)
	}
}
