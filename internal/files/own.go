package files

import (
	"errors"
	"io/fs"
	"os"
)

// MakeOwn makes a folder of our own, or sees that it is one, as Own does.
func MakeOwn(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return Own(dir)
}
