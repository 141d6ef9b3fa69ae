package files

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// RemoveTree removes a folder and all that is in it, even where something is
// read-only; one that is not there is removed already.
func RemoveTree(path string) error {
	if err := RemoveAll(path); err != nil {
		return fmt.Errorf("remove %s: %w", path, err)
	}
	return nil
}

// RemoveAll is os.RemoveAll for a folder even where something in it is read-only, as the
// module cache of Go is.
func RemoveAll(path string) error {
	if os.RemoveAll(path) == nil {
		return nil
	}
	MakeWritable(path)
	return os.RemoveAll(path)
}

// MakeWritable opens every folder below path to us, as far as it lets us: what
// then still fails says why.
func MakeWritable(path string) {
	_ = filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
		if d == nil || !d.IsDir() {
			return nil
		}
		info, statErr := d.Info()
		if statErr != nil || info.Mode().Perm()&0o700 == 0o700 {
			return nil
		}
		_ = os.Chmod(at, info.Mode().Perm()|0o700)
		if err != nil { // it could not be read, and is not read again
			MakeWritable(at)
		}
		return nil
	})
}
