package rehearse

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/request"
)

// treeCopy is a copy of a work tree with all that a run needs: the files as they
// are, committed or not, and the history. What is done in it does not reach the
// work tree itself, which is only read.
type treeCopy struct {
	dir  string // removed with all that is in it
	from string // the work tree
	work string // what stands for it

	records string // where its runs are that go with it
}

// copyTree copies the work tree of a job. Files that git ignores are not in the
// copy, but for those that the job itself names.
func copyTree(ctx context.Context, real request.Assignment) (*treeCopy, error) {
	dir, err := os.MkdirTemp("", "refrain-rehearsal-")
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return nil, err
	}
	c := &treeCopy{dir: dir, from: real.Tree}
	_, inside := files.Under(real.Tree, dir)
	tree, err := git.Open(ctx, real.Tree, nil)
	switch {
	case err != nil:
	case inside:
		err = &request.UsageError{What: "the folder for temporary files is inside the work tree", Hint: "set TMPDIR to one outside of it"}
	case tree.Git():
		err = c.withGit(ctx, tree, needs(real))
	default:
		err = c.plainly(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, c.remove())
	}
	return c, nil
}

func (c *treeCopy) remove() error { return files.RemoveTree(c.dir) }

// there is where a file of the work tree is in the copy; any other stays.
func (c *treeCopy) there(path string) string {
	rel, err := filepath.Rel(c.from, path)
	if path == "" || err != nil || !filepath.IsLocal(rel) {
		return path
	}
	return filepath.Join(c.work, rel)
}

// withGit brings a checkpoint of the work tree into a folder, and then gives
// that the user's own history.
func (c *treeCopy) withGit(ctx context.Context, tree *git.Tree, needs []string) error {
	store, err := checkpoint.OpenStore(ctx, tree, filepath.Join(c.dir, "objects"), "")
	if err != nil {
		return err
	}
	now, err := store.Checkpoint(ctx)
	if err != nil {
		return err
	}
	top, err := gitLine(ctx, c.from, "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	copied := filepath.Join(c.dir, filepath.Base(top)) // some projects care for the name
	files, err := store.Checkout(ctx, copied, now.Tree)
	if err != nil {
		return err
	}
	c.work = files.Dir()
	if err := files.Carry(ctx, c.missing(append(needs, skipped(now)...))); err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(copied, ".git")); err != nil {
		return err
	}
	c.records = filepath.Join(copied, ".git", "refrain")
	return cloneHistory(ctx, top, filepath.Join(copied, ".git"))
}

func skipped(c checkpoint.Checkpoint) []string {
	var list []string
	for _, file := range c.Skipped {
		list = append(list, file.Path)
	}
	return list
}

// needs is what a job reads, and what its gates need, whether git ignores it or
// not.
func needs(real request.Assignment) []string {
	c := real.Config()
	list := append([]string{config.FileName, request.PromptsFolder, ".refrain/hooks", "AGENTS.md", c.Done.Plan}, c.Proof.Copy...)
	list = append(list, c.Stop.Scripts...)
	if _, pieces, err := real.Pieces(); err == nil { // else the job says so when it is prepared
		for _, p := range pieces {
			list = append(list, p.Path)
		}
	}
	return list
}

// missing is which of the paths the work tree has and the copy has not.
func (c *treeCopy) missing(paths []string) []string {
	var list []string
	for _, path := range paths {
		if path == "" || !filepath.IsLocal(filepath.FromSlash(path)) {
			continue
		}
		_, here := os.Lstat(filepath.Join(c.from, filepath.FromSlash(path)))
		_, there := os.Lstat(filepath.Join(c.work, filepath.FromSlash(path)))
		if here == nil && errors.Is(there, fs.ErrNotExist) && !slices.Contains(list, path) {
			list = append(list, path)
		}
	}
	return list
}

// plainly copies a folder that is in no repository.
func (c *treeCopy) plainly(ctx context.Context) error {
	c.work = filepath.Join(c.dir, filepath.Base(c.from))
	own := filepath.Join(c.from, ".refrain") // with the runs of the work tree itself
	if err := copyFolder(ctx, c.from, c.work, func(path string) bool {
		return filepath.Dir(path) == own && !slices.Contains([]string{"hooks", "prompts"}, filepath.Base(path))
	}); err != nil {
		return err
	}
	// The mark of a work tree: whatever lies above the copy is not meant.
	c.records = filepath.Join(c.work, ".refrain")
	return os.MkdirAll(c.records, 0o700)
}

// copyFolder copies a folder with all that is in it but for some paths. Links
// stay links, and what is neither file nor folder is left out: it belongs to a
// process.
func copyFolder(ctx context.Context, from, to string, but func(path string) bool) error {
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err == nil {
			err = context.Cause(ctx)
		}
		rel, relErr := filepath.Rel(from, path)
		if err = errors.Join(err, relErr); err != nil {
			return err
		}
		at := filepath.Join(to, rel)
		switch {
		case but(path) && e.IsDir():
			return filepath.SkipDir
		case but(path):
			return nil
		case e.IsDir():
			return os.MkdirAll(at, 0o755)
		case e.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			return os.Symlink(target, at)
		case e.Type().IsRegular():
			return copyFile(path, at)
		}
		return nil
	})
}

// copyFile copies a file into the copy, over what is there.
func copyFile(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	err := files.Copy(from, to, files.NoSync)
	if errors.Is(err, fs.ErrExist) {
		if err = os.Remove(to); err == nil {
			err = files.Copy(from, to, files.NoSync)
		}
	}
	return err
}

// cloneHistory makes a repository with the branches, tags and settings of the
// user's, which borrows its objects and never writes to it. It has no remote:
// nothing can be pushed from it.
func cloneHistory(ctx context.Context, from, git string) error {
	args := []string{"clone", "--quiet", "--mirror", "--shared"}
	settings, err := gitOutput(ctx, from, "config", "--list", "--local", "-z")
	if err != nil {
		return err
	}
	for item := range strings.SplitSeq(settings, "\x00") {
		key, value, given := strings.Cut(item, "\n")
		if given && copiedSetting(key) {
			args = append(args, "--config", key+"="+value)
		}
	}
	if _, err := gitOutput(ctx, from, append(args, ".", git)...); err != nil {
		return err
	}
	for _, change := range [][]string{{"core.bare", "false"}, {"--remove-section", "remote.origin"}} {
		if _, err := gitOutput(ctx, git, append([]string{"config"}, change...)...); err != nil {
			return err
		}
	}
	if err := copyHead(ctx, from, git); err != nil {
		return err
	}
	return copyGitFiles(ctx, from, git)
}

// copyHead puts the copy on the same branch, or on none.
func copyHead(ctx context.Context, from, git string) error {
	branch, err := gitLine(ctx, from, "symbolic-ref", "-q", "HEAD")
	if err == nil {
		_, err = gitOutput(ctx, git, "symbolic-ref", "HEAD", branch)
		return err
	}
	head, err := gitLine(ctx, from, "rev-parse", "--verify", "HEAD")
	if err == nil {
		_, err = gitOutput(ctx, git, "update-ref", "--no-deref", "HEAD", head)
	}
	return err
}

// copiedSetting tells which of the user's settings a commit may depend on. What
// says where things are is the copy's own.
func copiedSetting(key string) bool {
	section, _, _ := strings.Cut(key, ".")
	own := []string{"core.bare", "core.worktree", "core.repositoryformatversion", "core.fsmonitor", "core.untrackedcache", "core.splitindex"}
	known := []string{"user", "author", "committer", "commit", "core", "filter", "diff", "merge", "i18n"}
	return slices.Contains(known, section) && !slices.Contains(own, key)
}

// copyGitFiles copies what is no history: what is staged, what is ignored, and
// the hooks.
func copyGitFiles(ctx context.Context, from, git string) error {
	dirs, err := gitLine(ctx, from, "rev-parse", "--git-dir", "--git-common-dir")
	if err != nil {
		return err
	}
	own, common, _ := strings.Cut(dirs, "\n") // they differ in a linked work tree
	for _, dir := range []*string{&own, &common} {
		if !filepath.IsAbs(*dir) {
			*dir = filepath.Join(from, filepath.FromSlash(*dir))
		}
	}
	files, err := filepath.Glob(filepath.Join(own, "sharedindex.*"))
	if err != nil {
		return err
	}
	for _, file := range append(files, filepath.Join(own, "index")) {
		if err := copyFile(file, filepath.Join(git, filepath.Base(file))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for _, folder := range []string{"info", "hooks"} {
		err := copyFolder(ctx, filepath.Join(common, folder), filepath.Join(git, folder), func(path string) bool {
			return strings.HasSuffix(path, ".sample") || filepath.Base(path) == "refs" // a list that goes stale
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// gitLine is the one line that git prints.
func gitLine(ctx context.Context, dir string, args ...string) (string, error) {
	out, err := gitOutput(ctx, dir, args...)
	return strings.TrimSuffix(out, "\n"), err
}

func gitOutput(ctx context.Context, dir string, args ...string) (string, error) {
	var said, complaint bytes.Buffer
	exit, err := proc.Run(ctx, proc.Spec{
		Argv: append([]string{"git"}, args...), Dir: dir, Env: git.Closed(),
		Stdout: proc.Sink{Raw: &said}, Stderr: proc.Sink{Raw: &complaint},
	})
	switch {
	case err != nil:
		return "", err
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case !exit.Zero():
		return "", fmt.Errorf("git %s in %s: %s", args[0], dir, strings.TrimSpace(complaint.String()))
	}
	return said.String(), nil
}
