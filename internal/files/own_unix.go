//go:build unix

package files

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// Own tells whether only we can look into a folder: nil, or why not. In a place
// such as /tmp somebody else may have been there first.
func Own(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	switch {
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder: remove it", dir)
	case Owner(info) != os.Geteuid():
		return fmt.Errorf("%s belongs to another user", dir)
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("%s is open to other users: run \"chmod 700 %s\"", dir, dir)
	}
	return nil
}

// Owner is the user that a file belongs to; -1 when nobody can tell.
func Owner(info fs.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Uid)
	}
	return -1
}
