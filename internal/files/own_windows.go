package files

import (
	"fmt"
	"io/fs"
	"os"
)

// Own tells whether there is a folder, and no link to one. The folders for
// temporary files are each user's own here.
func Own(dir string) error {
	info, err := os.Lstat(dir)
	if err == nil && !info.IsDir() {
		return fmt.Errorf("%s is not a folder: remove it", dir)
	}
	return err
}

// Trusted says yes: nobody looks here who owns a file.
func Trusted(fs.FileInfo) bool { return true }

// SameDisk says yes: a disk has a root of its own here.
func SameDisk(_, _ fs.FileInfo) bool { return true }
