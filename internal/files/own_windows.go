package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// MakeOwn makes a folder, or sees that it is one.
func MakeOwn(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return Own(dir)
}

// Own tells whether there is a folder, and no link to one. The folders for
// temporary files are each user's own here.
func Own(dir string) error {
	info, err := os.Lstat(dir)
	if err == nil && !info.IsDir() {
		return fmt.Errorf("%s is not a folder: remove it", dir)
	}
	return err
}
