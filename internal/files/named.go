package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Named is a file that somebody named.
type Named struct {
	Path string // the whole path; empty: none was named
	// Tree is the folder in which it must lie, whatever links there are, and
	// whoever makes them when; empty: it may be anywhere.
	Tree string
}

// Anywhere is a file that may be anywhere.
func Anywhere(path string) Named { return Named{Path: path} }

// IsZero tells whether no file was named.
func (n Named) IsZero() bool { return n.Path == "" }

// Check tells whether the file is where it may be: nil, or an *OutsideError. It
// need not be there.
func (n Named) Check() error {
	return n.inTree(func(tree *os.Root, name string) error {
		if _, err := tree.Stat(name); err == nil || Absent(err) || errors.Is(err, fs.ErrPermission) {
			return nil // what may not be looked at, may not be read or written either
		}
		if within, out := straight(tree, name); !out && within != "" {
			return nil // a root takes every absolute link for one that leads out
		}
		return &fs.PathError{Op: "open", Path: n.Path, Err: &OutsideError{}}
	})
}

// MakeFolder makes the folder of the file, if there is none.
func (n Named) MakeFolder() error {
	if n.Tree == "" {
		return os.MkdirAll(filepath.Dir(n.Path), 0o700)
	}
	return n.explained(n.inTree(func(tree *os.Root, name string) error { return tree.MkdirAll(filepath.Dir(name), 0o700) }))
}

// Append is Append for the file.
func (n Named) Append(mode fs.FileMode) (f *os.File, err error) {
	if n.Tree == "" {
		return Append(n.Path, mode)
	}
	err = n.inTree(func(tree *os.Root, name string) error {
		f, err = appendTo(name, mode, tree.Stat, tree.OpenFile)
		return err
	})
	return f, n.explained(err)
}

// Replace is Replace for the file.
func (n Named) Replace(data []byte, mode fs.FileMode, sync Sync) error {
	if n.Tree == "" {
		return Replace(n.Path, data, mode, sync)
	}
	return n.explained(n.inTree(func(tree *os.Root, name string) error {
		return replaceIn(tree, name, mode, sync, func(w io.Writer) error {
			_, err := w.Write(data)
			return err
		})
	}))
}

// explained is an error, in our own words if a link is to blame.
func (n Named) explained(err error) error {
	if err == nil {
		return nil
	}
	if outside := n.Check(); outside != nil {
		return outside
	}
	return err
}

// inTree does something with the file, out of which no link leads. A file that may
// be anywhere needs nothing of that.
func (n Named) inTree(do func(tree *os.Root, name string) error) error {
	if n.Tree == "" {
		return nil
	}
	name, ok := Under(n.Tree, n.Path)
	if !ok {
		return &fs.PathError{Op: "open", Path: n.Path, Err: &OutsideError{}}
	}
	tree, err := OpenTree(n.Tree)
	if err != nil {
		return err
	}
	defer tree.Close()
	return do(tree, name)
}
