package repo

import (
	"io/fs"
	"syscall"
)

// born is when a file was made. A number that was freed may be given to another
// file, so that alone tells little.
func born(_ string, info fs.FileInfo) int64 {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	return stat.Birthtimespec.Nano()
}
