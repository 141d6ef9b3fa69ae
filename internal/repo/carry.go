package repo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Carry copies files or folders of the work tree into the checkout, in the place
// of what is there: dependencies that git ignores, and that would take long to
// install. Nothing that is carried leads back to the work tree. What git does
// not ignore is gone with the next Bring.
func (p *Proof) Carry(ctx context.Context, paths []string) error {
	for _, path := range paths {
		if err := p.carry(ctx, filepath.FromSlash(path)); err != nil {
			return fmt.Errorf("copy %s into the clean checkout: %w", path, err)
		}
	}
	return nil
}

func (p *Proof) carry(ctx context.Context, rel string) error {
	rel = filepath.Clean(rel)
	if !filepath.IsLocal(rel) || rel == "." {
		return errors.New("it is not a path inside the work tree")
	}
	from := filepath.Join(p.store.file("."), rel)
	if _, err := os.Lstat(from); errors.Is(err, fs.ErrNotExist) {
		return errors.New("there is no such file in the work tree")
	}
	to := filepath.Join(p.Dir(), rel)
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	// A link in the checkout may lead anywhere.
	parent, err := filepath.EvalSymlinks(filepath.Dir(to))
	if err != nil {
		return err
	}
	if _, inside := under(p.top, parent); !inside {
		return fmt.Errorf("%s leads out of the clean checkout", filepath.Dir(to))
	}
	// Half a copy must not be taken for a whole one when we are killed.
	half := to + ".half"
	if err := removeAll(half); err != nil {
		return err
	}
	if err := p.copyTree(ctx, from, half); err != nil {
		return errors.Join(err, removeAll(half))
	}
	if err := removeAll(to); err != nil {
		return err
	}
	return os.Rename(half, to)
}

// copyTree copies a file, a link, or a folder with all that is in it. Sockets
// and the like are left behind: they belong to a process.
func (p *Proof) copyTree(ctx context.Context, from, to string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	info, err := os.Lstat(from)
	switch {
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := p.target(from)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	case info.Mode().IsRegular():
		return copyFile(from, to, info)
	case !info.IsDir():
		return nil
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	if err := os.Mkdir(to, 0o700); err != nil {
		return err
	}
	for _, e := range entries {
		if err := p.copyTree(ctx, filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			return err
		}
	}
	return os.Chmod(to, info.Mode().Perm())
}

// target is where the copy of a link points: the same way inside the tree, to
// the same place outside of it, never from the checkout to the work tree.
func (p *Proof) target(link string) (string, error) {
	target, err := os.Readlink(link)
	if err != nil {
		return "", err
	}
	top := p.store.origin.top
	at := target
	if !filepath.IsAbs(target) {
		at = filepath.Join(filepath.Dir(link), target)
		if _, inside := under(top, at); inside {
			return target, nil
		}
	}
	if real, err := filepath.EvalSymlinks(at); err == nil {
		if rel, inside := under(top, real); inside {
			return filepath.Join(p.top, rel), nil
		}
	}
	if rel, inside := under(top, at); inside {
		return filepath.Join(p.top, rel), nil
	}
	return at, nil
}

// copyFile copies a file with its mode and time, by which caches know what they
// were made from.
func copyFile(from, to string, info fs.FileInfo) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if !reflink(target, source) {
		_, err = io.Copy(target, source)
	}
	if err := errors.Join(err, target.Chmod(info.Mode().Perm()), target.Close()); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}
