package project

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// identity is what stays the same when a folder is moved on its disk, and is not
// the same for a copy: its number, and when it was made. Empty: nobody knows.
func identity(path string) string {
	var stat unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_INO|unix.STATX_BTIME, &stat); err != nil {
		return ""
	}
	return fmt.Sprintf("%d-%d.%09d", stat.Ino, stat.Btime.Sec, stat.Btime.Nsec)
}
