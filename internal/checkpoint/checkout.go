package checkpoint

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/git"
)

// Checkout is a folder made anew that holds the files of one tree, each
// compared with its name in git, and nothing else. For programs that look it is
// a repository with one commit. No setting, filter or attribute of anybody's has
// a say in what it holds.
type Checkout struct {
	repo  *shadow   // where the files come from
	tree  *git.Tree // the user's
	of    string    // the tree in the store that it holds
	top   string
	index string // ours, out of reach of what runs in the checkout
	files []placed
	links []string // that lead out of it
}

// placed is a file that was written, and how it looked then.
type placed struct {
	leaf
	stamp string
	size  int64
}

func newCheckout(ctx context.Context, t Trees, dir, of string) (*Checkout, error) {
	if _, err := t.seal.check(); err != nil {
		return nil, err
	}
	parent, err := filepath.EvalSymlinks(filepath.Dir(dir))
	if err != nil {
		return nil, err
	}
	top := filepath.Join(parent, filepath.Base(dir))
	if _, inside := files.Under(t.repo.top, top); inside {
		return nil, fmt.Errorf("%s is inside the work tree %s: name another folder", top, t.repo.top)
	}
	if err := os.Mkdir(top, 0o700); err != nil { // never what somebody else has put there
		return nil, err
	}
	c := &Checkout{repo: t.repo, tree: t.tree, of: of, top: top, index: top + ".index"}
	if err := c.fill(ctx); err != nil {
		return nil, errors.Join(err, c.Remove())
	}
	return c, nil
}

// Remove removes the folder with all that is in it.
func (c *Checkout) Remove() error {
	_ = os.Remove(c.index) // it only costs room
	return files.RemoveTree(c.top)
}

// Top is the folder, and Dir the one in it that stands for the work tree.
func (c *Checkout) Top() string { return c.top }

// Dir is the folder that stands for the work tree.
func (c *Checkout) Dir() string {
	return filepath.Join(c.top, filepath.FromSlash(c.tree.Prefix()))
}

// Links are the links in it that lead elsewhere, by their paths from the top.
func (c *Checkout) Links() []string { return c.links }

// Holds tells whether the tree has a file, or files below a folder, by its path in
// the work tree.
func (c *Checkout) Holds(path string) bool {
	path = c.tree.Prefix() + path
	return slices.ContainsFunc(c.files, func(f placed) bool { return f.path == path || strings.HasPrefix(f.path, path+"/") })
}

// fill writes the files, then makes a repository of the folder.
func (c *Checkout) fill(ctx context.Context) error {
	leaves, err := c.repo.leaves(ctx, c.of)
	if err != nil {
		return err
	}
	if err := c.write(ctx, leaves); err != nil {
		return err
	}
	if err := os.MkdirAll(c.Dir(), 0o700); err != nil { // which the tree may not have
		return err
	}
	c.links = c.escaping()
	return c.becomeRepository(ctx)
}

// write writes leaves in the folder, through no link that may lie there.
func (c *Checkout) write(ctx context.Context, leaves []leaf) error {
	root, err := files.OpenTree(c.top)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, l := range leaves {
		if dir := path.Dir(l.path); dir != "." {
			if err := root.MkdirAll(dir, 0o755); err != nil {
				return err
			}
		}
		if l.mode == git.Gitlink { // whose files are not ours
			if err := root.MkdirAll(l.path, 0o755); err != nil {
				return err
			}
		}
	}
	return c.repo.read(ctx, leaves, func(l leaf, content []byte) error {
		if err := put(root, l, content); err != nil {
			return err
		}
		info, err := root.Lstat(l.path)
		if err != nil {
			return err
		}
		c.files = append(c.files, placed{leaf: l, stamp: files.Stamp(info), size: info.Size()})
		return nil
	})
}

// put writes one file.
func put(root *os.Root, l leaf, content []byte) error {
	if l.mode == symlink {
		err := root.Symlink(filepath.FromSlash(string(content)), l.path)
		if err == nil || runtime.GOOS != "windows" {
			return err
		}
		// Where links are not allowed, git too writes where they lead.
	}
	perm := fs.FileMode(0o644)
	if l.mode == executable {
		perm = 0o755
	}
	f, err := root.OpenFile(l.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}

// escaping is the links that lead out of the checkout.
func (c *Checkout) escaping() []string {
	var list []string
	for _, f := range c.files {
		if f.mode != symlink {
			continue
		}
		at := filepath.Join(c.top, filepath.FromSlash(f.path))
		if files.LeadsOut(c.top, at) {
			list = append(list, f.path)
		}
	}
	return list
}

// Restore puts every file back that is not as it was written, removes what git
// would not ignore, and tells which files had been changed, by their paths in
// the work tree.
func (c *Checkout) Restore(ctx context.Context) ([]string, error) {
	changed, err := c.changed()
	if err == nil && len(changed) > 0 {
		err = c.putBack(ctx, changed)
	}
	if err == nil {
		err = c.sweep(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("put the clean checkout back: %w", err)
	}
	return c.ours(changed), nil
}

// Touched tells which files do not hold what they held, by their paths in the
// work tree.
func (c *Checkout) Touched() ([]string, error) {
	changed, err := c.changed()
	return c.ours(changed), err
}

// ours is the paths of leaves in the work tree.
func (c *Checkout) ours(leaves []leaf) []string {
	var paths []string
	for _, l := range leaves {
		if rel, ours := c.tree.Below(l.path); ours {
			paths = append(paths, rel)
		}
	}
	return paths
}

// changed is the files that do not hold what they held. One that was only
// touched does.
func (c *Checkout) changed() ([]leaf, error) {
	root, err := files.OpenTree(c.top)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var list []leaf
	for i, f := range c.files {
		info, err := root.Lstat(f.path)
		if err == nil && files.Stamp(info) == f.stamp {
			continue
		}
		if err != nil || info.Size() != f.size || !c.repo.holds(root, f.leaf, info) {
			list = append(list, f.leaf)
			continue
		}
		c.files[i].stamp = files.Stamp(info)
	}
	return list, nil
}

func (c *Checkout) putBack(ctx context.Context, list []leaf) error {
	gone := map[string]bool{}
	for _, l := range list {
		gone[l.path] = true
		if err := files.RemoveAll(filepath.Join(c.top, filepath.FromSlash(l.path))); err != nil && !files.Absent(err) {
			return err
		}
		if err := c.clearWay(l.path); err != nil {
			return err
		}
	}
	kept := c.files[:0]
	for _, f := range c.files {
		if !gone[f.path] {
			kept = append(kept, f)
		}
	}
	c.files = kept
	return c.write(ctx, list)
}

// clearWay removes what a gate has put where a folder was.
func (c *Checkout) clearWay(file string) error {
	at := c.top
	for part := range strings.SplitSeq(path.Dir(file), "/") {
		if part == "." {
			return nil
		}
		at = filepath.Join(at, part)
		info, err := os.Lstat(at)
		if err != nil || info.IsDir() {
			continue
		}
		if err := os.Remove(at); err != nil {
			return err
		}
	}
	return nil
}

// sweep removes what is in no tree and what git does not ignore.
func (c *Checkout) sweep(ctx context.Context) error {
	apart := git.Command{Env: []string{"GIT_INDEX_FILE=" + c.index}}
	args := []string{"-c", "core.sparseCheckout=false", "clean", "-ffdq"}
	_, err := c.repo.runAt(ctx, c.top, apart, args...)
	var failed *git.Error
	if errors.As(err, &failed) && ctx.Err() == nil {
		files.MakeWritable(c.top) // a gate may have left read-only folders
		_, err = c.repo.runAt(ctx, c.top, apart, args...)
	}
	return err
}

// committer lets programs commit in the checkout.
const committer = "[user]\n\tname = refrain\n\temail = refrain@localhost\n[gc]\n\tauto = 0\n"

// becomeRepository gives the checkout a .git of its own whose only commit is
// the tree. Its index is a copy: what a gate does to it does not mislead us.
func (c *Checkout) becomeRepository(ctx context.Context) error {
	commit, object := c.commit()
	exclude, err := files.ReadFile(ctx, c.repo.exclude(), maxRules)
	if files.Ignoring(err, fs.ErrNotExist) != nil {
		return err
	}
	dotGit := filepath.Join(c.top, ".git")
	parts := map[string]string{
		"HEAD": "ref: refs/heads/proof\n", "refs/heads/proof": commit + "\n", "objects/info/alternates": c.repo.objects() + "\n",
		"info/attributes": asIs, "info/exclude": string(exclude), "config": configText(c.repo.format, c.repo.at(shared), committer),
	}
	if err := layOut(dotGit, parts, files.NoSync); err != nil {
		return err
	}
	loose := filepath.Join(dotGit, "objects", commit[:2])
	if err := os.MkdirAll(loose, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(loose, commit[2:]), object, 0o400); err != nil {
		return err
	}
	own := git.Command{Env: []string{"GIT_DIR=" + dotGit, "GIT_WORK_TREE=" + c.top}, Settings: []git.Setting{unattributed}}
	if _, err := c.repo.git.In(c.top).RunWith(ctx, own, "-c", "core.sparseCheckout=false", "reset", "--quiet", "--mixed"); err != nil {
		return err
	}
	return files.Copy(filepath.Join(dotGit, "index"), c.index, files.NoSync)
}

// commit is a commit of the tree: its name, and the file that holds it.
func (c *Checkout) commit() (name string, file []byte) {
	who := fmt.Sprintf("refrain <refrain@localhost> %d +0000", time.Now().Unix())
	text := fmt.Sprintf("tree %s\nauthor %s\ncommitter %s\n\ncheckpoint\n", c.of, who, who)
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	fmt.Fprintf(z, "commit %d\x00%s", len(text), text)
	_ = z.Close() // into memory: it cannot fail
	return c.repo.sum("commit", []byte(text)), packed.Bytes()
}

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
