package project

import (
	"fmt"
	"os"
	"syscall"
)

// Identity is what stays the same when a folder is moved on its disk, and is not
// the same for a copy: its number, and when it was made. Empty: nobody knows.
func Identity(path string) string {
	info, err := os.Lstat(path)
	if err != nil {
		return ""
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || stat.Birthtimespec.Sec <= 0 { // a disk that does not keep it
		return ""
	}
	return fmt.Sprintf("%d-%d", stat.Ino, stat.Birthtimespec.Nano())
}
