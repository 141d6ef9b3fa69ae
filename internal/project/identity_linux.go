package project

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Identity is what stays the same when a folder is moved on its disk, and is not
// the same for a copy: its number, and when it was made. Empty: nobody knows. A
// number alone is soon given to another folder. The number of the disk is not in
// it: it may be another one after the next start of the machine.
func Identity(path string) string {
	var stat unix.Statx_t
	want := uint32(unix.STATX_INO | unix.STATX_BTIME)
	if err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, int(want), &stat); err != nil || stat.Mask&want != want {
		return ""
	}
	return fmt.Sprintf("%d-%d.%09d", stat.Ino, stat.Btime.Sec, stat.Btime.Nsec)
}
