package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/refrain-loop/refrain/internal/files"
)

// Carry copies files or folders of the work tree into the checkout, in the place
// of what is there: what git ignores, and gates need. Nothing that is carried
// leads back to the work tree.
func (c *Checkout) Carry(ctx context.Context, paths []string) error {
	top := c.repo.top
	return c.bring(ctx, files.TreeCopy{From: top, To: c.top}, filepath.Join(top, filepath.FromSlash(c.tree.Prefix())), paths)
}

// Plant copies files or folders that were set aside with SetAside.
func (c *Checkout) Plant(ctx context.Context, from string, paths []string) error {
	return c.bring(ctx, files.TreeCopy{From: from, To: c.Dir()}, from, paths)
}

// SetAside copies files or folders of the checkout into a folder made anew, for
// another checkout to be planted with.
func (c *Checkout) SetAside(ctx context.Context, to string, paths []string) error {
	if err := os.Mkdir(to, 0o700); err != nil {
		return fmt.Errorf("set aside what was installed: %w", err)
	}
	copying := files.TreeCopy{From: c.Dir(), To: to}
	for _, path := range paths {
		at := filepath.Join(to, filepath.FromSlash(path))
		err := os.MkdirAll(filepath.Dir(at), 0o700)
		if err == nil {
			err = copying.Copy(ctx, filepath.Join(c.Dir(), filepath.FromSlash(path)), at)
		}
		if err != nil {
			return fmt.Errorf("set aside %s: %w", path, err)
		}
	}
	return nil
}

func (c *Checkout) bring(ctx context.Context, copying files.TreeCopy, root string, paths []string) error {
	for _, path := range paths {
		if err := c.bringOne(ctx, copying, root, filepath.Clean(filepath.FromSlash(path))); err != nil {
			return fmt.Errorf("copy %s into the clean checkout: %w", path, err)
		}
	}
	return nil
}

func (c *Checkout) bringOne(ctx context.Context, copying files.TreeCopy, root, rel string) error {
	if !filepath.IsLocal(rel) || rel == "." {
		return errors.New("it is not a path inside the work tree")
	}
	from := filepath.Join(root, rel)
	if _, err := os.Lstat(from); errors.Is(err, fs.ErrNotExist) {
		return errors.New("there is no such file in the work tree")
	}
	to := filepath.Join(c.Dir(), rel)
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	// A link in the checkout may lead anywhere.
	parent, err := filepath.EvalSymlinks(filepath.Dir(to))
	if err != nil {
		return err
	}
	if _, inside := files.Under(c.top, parent); !inside {
		return fmt.Errorf("%s leads out of the clean checkout", filepath.Dir(to))
	}
	if err := files.RemoveAll(to); err != nil {
		return err
	}
	return copying.Copy(ctx, from, to)
}
