package files

import (
	"io/fs"
	"syscall"
)

// Identity is what the system knows of a file beside what people can set: its
// number, and when anything about it last changed.
func Identity(info fs.FileInfo) (inode uint64, ctime int64) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0
	}
	return stat.Ino, stat.Ctimespec.Nano()
}
