package files

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// FS is a tree for those who look through one, as fs.Glob and fs.WalkDir do. What
// it opens are regular files, and a folder that has just become something else
// is not waited for.
func FS(tree *os.Root) fs.FS { return below{tree.FS(), tree} }

type below struct {
	fs.FS
	tree *os.Root
}

func (b below) Open(name string) (fs.File, error) {
	local, err := filepath.Localize(name)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	f, err := Open(b.tree, local)
	if err != nil {
		return nil, err // not a nil file in an interface
	}
	return f, nil
}

func (b below) ReadDir(name string) ([]fs.DirEntry, error) {
	local, err := filepath.Localize(name)
	if err != nil {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrInvalid}
	}
	f, err := b.tree.OpenFile(local, os.O_RDONLY|NoWait, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := f.ReadDir(-1)
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list, err
}

func (b below) Stat(name string) (fs.FileInfo, error)  { return fs.Stat(b.FS, name) }
func (b below) Lstat(name string) (fs.FileInfo, error) { return fs.Lstat(b.FS, name) }
func (b below) ReadLink(name string) (string, error)   { return fs.ReadLink(b.FS, name) }
