//go:build linux || darwin

package project

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// linkInto gives a file a second name in a folder.
func linkInto(path string, folder *os.File, name string) error {
	return unix.Linkat(unix.AT_FDCWD, path, int(folder.Fd()), name, 0)
}

// namesOf is how many names a file has.
func namesOf(info fs.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Nlink)
	}
	return 1
}
