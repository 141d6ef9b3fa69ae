package files

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"
)

func TestATreeCanBeLookedThrough(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.md"), "a")
	write(t, filepath.Join(dir, "sub", "b.md"), "b")
	tree, err := OpenTree(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	files := FS(tree)
	if got, err := fs.Glob(files, "*/*.md"); err != nil || len(got) != 1 || got[0] != "sub/b.md" {
		t.Errorf("Glob = %q, %v", got, err)
	}
	if got, err := fs.ReadFile(files, "sub/b.md"); err != nil || string(got) != "b" {
		t.Errorf("ReadFile = %q, %v", got, err)
	}
	var seen []string
	err = fs.WalkDir(files, ".", func(path string, _ fs.DirEntry, err error) error {
		seen = append(seen, path)
		return err
	})
	if err != nil || len(seen) != 4 {
		t.Errorf("WalkDir = %q, %v", seen, err)
	}
	for _, name := range []string{"../a", "/a", ""} {
		_, opened := files.Open(name)
		_, listed := fs.ReadDir(files, name)
		if !errors.Is(opened, fs.ErrInvalid) || !errors.Is(listed, fs.ErrInvalid) {
			t.Errorf("%q: Open = %v, ReadDir = %v", name, opened, listed)
		}
	}
	var other *NotRegularError
	if _, err := files.Open("sub"); !errors.As(err, &other) {
		t.Errorf("Open of a folder = %v, want a NotRegularError", err)
	}
}
