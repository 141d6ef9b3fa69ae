package repo

import (
	"fmt"
	"io/fs"
)

// Stamp is what tells that a file was written to, without reading it.
func Stamp(info fs.FileInfo) string {
	inode, ctime := identity(info)
	return fmt.Sprintf("%d %d %d %d", info.Size(), info.ModTime().UnixNano(), ctime, inode)
}
