package repo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
)

// manifest is the hash of a list of files: their names, and of each what tells
// that it was written to, without reading it.
type manifest struct{ hash hash.Hash }

func newManifest() *manifest { return &manifest{sha256.New()} }

func (m *manifest) sum() string { return hex.EncodeToString(m.hash.Sum(nil)) }

// add adds the file at path under its name in the tree, and tells whether it is
// a folder instead. A folder has nothing of its own to add: its time changes
// with files that do not count.
func (m *manifest) add(name, path string) (folder bool) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		m.note(name, "absent")
	case err != nil:
		m.note(name, "unreadable")
	case info.IsDir():
		return true
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(path)
		if err != nil {
			target = "unreadable"
		}
		m.note(name, "link "+target)
	default:
		m.note(name, fmt.Sprintf("%v %d %d", info.Mode(), info.Size(), info.ModTime().UnixNano()))
	}
	return false
}

// note adds what is to be said of a name. Neither can contain a NUL.
func (m *manifest) note(name, what string) {
	fmt.Fprintf(m.hash, "%s\x00%s\x00", name, what)
}

// printFolder looks at every file, since nothing says which have changed.
func (t *Tree) printFolder(ctx context.Context) (Print, error) {
	if _, err := os.ReadDir(t.dir); err != nil {
		return Print{}, fmt.Errorf("look at the work tree: %w", err)
	}
	m := newManifest()
	if err := t.walk(ctx, m, "."); err != nil {
		return Print{}, err
	}
	return Print{Files: m.sum()}, nil
}

// walk adds all files below a folder of the tree, in the order of their names.
// Links are not followed. A folder that cannot be read is noted as such: it may
// be the agent's own doing, and is no reason to stop.
func (t *Tree) walk(ctx context.Context, m *manifest, below string) error {
	root := filepath.Join(t.dir, filepath.FromSlash(below))
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		name, relErr := filepath.Rel(t.dir, path)
		if relErr != nil {
			return relErr
		}
		name = filepath.ToSlash(name)
		switch {
		case t.skips(name):
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
		case err != nil:
			m.note(name, "unreadable")
		case !d.IsDir():
			m.add(name, path)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("look at the work tree %s: %w", t.dir, err)
	}
	return nil
}
