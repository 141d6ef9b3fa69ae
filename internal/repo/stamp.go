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

// tellsWrites says whether a stamp tells of every write: where the system notes
// none that nobody can undo, who wrote to a file can put its time back.
func tellsWrites(info fs.FileInfo) bool {
	_, ctime := identity(info)
	return ctime != 0
}
