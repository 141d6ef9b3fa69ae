//go:build unix

package pool

import (
	"io/fs"
	"syscall"
)

// names is how many names a file has.
func names(info fs.FileInfo) (n uint64, counted bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return uint64(stat.Nlink), true
}
