package repo

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// born is when a file was made; 0 where the disk does not know. A number that was
// freed is soon given to another file, so that alone tells little.
func born(path string, _ fs.FileInfo) int64 {
	var stat unix.Statx_t
	if unix.Statx(unix.AT_FDCWD, path, 0, unix.STATX_BTIME, &stat) != nil || stat.Mask&unix.STATX_BTIME == 0 {
		return 0
	}
	return stat.Btime.Sec*1e9 + int64(stat.Btime.Nsec)
}
