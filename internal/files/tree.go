package files

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
)

// TreeCopy copies from one folder to another, so that nothing in the copy leads
// back.
type TreeCopy struct{ From, To string }

// Copy copies a file, a link, or a folder with all that is in it. Sockets and the
// like are left behind: they belong to a process.
func (c TreeCopy) Copy(ctx context.Context, from, to string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	info, err := os.Lstat(from)
	switch {
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := c.target(from)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	case info.Mode().IsRegular():
		return Copy(from, to, NoSync)
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
		if err := c.Copy(ctx, filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			return err
		}
	}
	return os.Chmod(to, info.Mode().Perm())
}

// target is where the copy of a link points: the same way inside the folder, to
// the same place outside of it, never from the copy back.
func (c TreeCopy) target(link string) (string, error) {
	target, err := os.Readlink(link)
	if err != nil {
		return "", err
	}
	at := target
	if !filepath.IsAbs(target) {
		at = filepath.Join(filepath.Dir(link), target)
		if _, inside := Under(c.From, at); inside {
			return target, nil
		}
	}
	if real, err := filepath.EvalSymlinks(at); err == nil {
		if rel, inside := Under(c.From, real); inside {
			return filepath.Join(c.To, rel), nil
		}
	}
	if rel, inside := Under(c.From, at); inside {
		return filepath.Join(c.To, rel), nil
	}
	return at, nil
}

// LeadsOut tells whether a link leads out of a folder, by what it says or by
// where it ends.
func LeadsOut(top, link string) bool {
	target, err := os.Readlink(link)
	if err != nil {
		return true
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(link), target)
	}
	if _, inside := Under(top, target); !inside {
		return true
	}
	end, err := filepath.EvalSymlinks(link)
	if err != nil {
		return false // it leads to what setup makes, or nowhere
	}
	_, inside := Under(top, end)
	return !inside
}
