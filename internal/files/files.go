// Package files reads files that an agent may have put in place of others, and
// writes where it may have put something.
//
// It opens regular files and nothing else: it never waits for the other end of
// a named pipe, never asks a device, and follows a link only as far as the tree
// goes in which it was found. What it reads has a limit. Why a file cannot be
// had is an error with a type; what to do about that is for the caller to say.
//
// What a file means, and whose it is, others know.
package files

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Read reads a file of a tree: name is below root, and so is what it links to.
// A file of more than limit bytes is a *TooLargeError.
func Read(ctx context.Context, root, name string, limit int64) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	f, err := OpenBelow(root, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return All(ctx, f, limit)
}

// ReadFile is Read for a file of no tree, such as one that the user named:
// links may lead anywhere.
func ReadFile(ctx context.Context, path string, limit int64) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	f, err := OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return All(ctx, f, limit)
}

// OpenTree opens a folder to read below it. A root by itself would wait for the
// other end of a named pipe.
func OpenTree(dir string) (*os.Root, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: dir, Err: errors.New("it is not a folder")}
	}
	// What ends with a slash is a folder or an error, also when it has just become
	// something else.
	return os.OpenRoot(filepath.Clean(dir) + string(filepath.Separator))
}

// Open opens a file of a tree. It is a *NotRegularError when it is something
// else, and an *OutsideError when a link leads out of the tree.
func Open(tree *os.Root, name string) (*os.File, error) {
	f, err := open(name, tree.Stat, tree.OpenFile)
	if err == nil || !filepath.IsLocal(name) {
		return f, err
	}
	// A root takes every absolute link for one that leads out.
	within, out := straight(tree, name)
	switch {
	case out:
		return nil, &fs.PathError{Op: "open", Path: name, Err: &OutsideError{}}
	case within == "" || within == filepath.Clean(name):
		return nil, err
	}
	return open(within, tree.Stat, tree.OpenFile)
}

// OpenBelow is Open for who wants a single file of a tree.
func OpenBelow(root, name string) (*os.File, error) {
	tree, err := OpenTree(root)
	if err != nil {
		return nil, err
	}
	defer tree.Close() // what is open stays so
	return Open(tree, name)
}

// Above divides a path: the folder that lies so many names above its end, and the way
// down from there.
func Above(path string, names int) (root, name string) {
	root = filepath.Clean(path)
	for range names {
		root, name = filepath.Dir(root), filepath.Join(filepath.Base(root), name)
	}
	return root, name
}

// OpenFile is Open for a file of no tree.
func OpenFile(path string) (*os.File, error) { return open(path, os.Stat, os.OpenFile) }

// open looks before it opens, for opening alone makes some devices act; and
// after it, for the file may have been exchanged in between.
func open(name string, stat func(string) (fs.FileInfo, error), open func(string, int, fs.FileMode) (*os.File, error)) (*os.File, error) {
	info, err := stat(name)
	if err != nil {
		return nil, err
	}
	if err := regular(name, info); err != nil {
		return nil, err
	}
	f, err := open(name, os.O_RDONLY|NoWait, 0)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = regular(name, info)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

func regular(name string, info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	return &fs.PathError{Op: "open", Path: name, Err: &NotRegularError{Mode: info.Mode()}}
}

// straight is the name without links of a file below a tree; out says that it is
// not below it. Nothing is known of a file that is not there.
func straight(tree *os.Root, name string) (within string, out bool) {
	top, err := filepath.EvalSymlinks(tree.Name())
	if err != nil {
		return "", false
	}
	path, err := filepath.EvalSymlinks(filepath.Join(top, name))
	if err != nil {
		return "", false
	}
	within, err = filepath.Rel(top, path)
	return within, err != nil || !filepath.IsLocal(within)
}

// piece is how much is read between two looks at the context.
const piece = 256 << 10

// All reads what is left of a file.
func All(ctx context.Context, f *os.File, limit int64) ([]byte, error) {
	var data []byte
	if info, err := f.Stat(); err == nil { // a file that is too large need not be read
		if info.Size() > limit {
			return nil, &fs.PathError{Op: "read", Path: f.Name(), Err: &TooLargeError{Limit: limit}}
		}
		data = make([]byte, 0, info.Size()+1)
	}
	for {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
		n, err := f.Read(data[len(data):min(cap(data), len(data)+piece)])
		data = data[:len(data)+n]
		switch {
		case int64(len(data)) > limit: // it grows while we read
			return nil, &fs.PathError{Op: "read", Path: f.Name(), Err: &TooLargeError{Limit: limit}}
		case err == io.EOF:
			return data, nil
		case err != nil:
			return nil, err
		}
	}
}

// Absent tells whether an error means that there is no such file, be it that a
// folder above it is now a file.
func Absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// Straight is a path without links, as far as it is there.
func Straight(path string) string {
	if end, err := filepath.EvalSymlinks(path); err == nil {
		return end
	}
	return filepath.Clean(path)
}

// Under is the path below a folder, when it is below.
func Under(dir, path string) (rel string, ok bool) {
	rel, err := filepath.Rel(dir, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return rel, true
}

// CanRead tells whether a file can be opened: nil, or why not.
func CanRead(path string) error {
	f, err := OpenFile(path)
	if err != nil {
		return err
	}
	return f.Close()
}
