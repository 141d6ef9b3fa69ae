package files

import (
	"context"
	"fmt"
	"io/fs"
	"os"
)

// Stamp is what tells that a file was written to, without reading it.
func Stamp(info fs.FileInfo) string {
	inode, ctime := Identity(info)
	return fmt.Sprintf("%d %d %d %d", info.Size(), info.ModTime().UnixNano(), ctime, inode)
}

// TellsWrites says whether a stamp tells of every write: where the system notes
// none that nobody can undo, who wrote to a file can put its time back.
func TellsWrites(info fs.FileInfo) bool {
	_, ctime := Identity(info)
	return ctime != 0
}

// StampAt is the stamp of what is at a path, and no link's target; empty when there
// is nothing.
func StampAt(path string) string {
	info, err := os.Lstat(path)
	if err != nil {
		return ""
	}
	return Stamp(info)
}

// Holds tells whether a file, and no link to one, holds a text, and gives its stamp
// when it does. One that nobody has written to since it was seen to is not read
// again, where the system notes that in a way that nobody can undo.
func Holds(path, text, seen string) (stamp string, ok bool) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(text)) {
		return "", false
	}
	if stamp = Stamp(info); TellsWrites(info) && seen == stamp {
		return stamp, true
	}
	b, err := ReadFile(context.Background(), path, int64(len(text)))
	if err != nil || string(b) != text {
		return "", false
	}
	return stamp, true
}
