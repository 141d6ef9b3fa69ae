package files

import (
	"fmt"
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
