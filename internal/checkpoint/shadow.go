package checkpoint

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/refrain-loop/refrain/internal/git"
)

// shadow is the repository of a store: its own index, objects and settings, with the
// user's files as its work tree. What it holds is what is on the disk, and nobody
// else writes to it.
type shadow struct {
	dir    string // of the repository
	git    git.Program
	top    string // of the user's work tree
	format string // of the names of objects: "sha1" or "sha256"
}

// at is where a file of the repository is.
func (r *shadow) at(name string) string { return filepath.Join(r.dir, filepath.FromSlash(name)) }

func (r *shadow) head() string    { return r.at("HEAD") }
func (r *shadow) index() string   { return r.at("index") }
func (r *shadow) objects() string { return r.at("objects") }
func (r *shadow) exclude() string { return r.at("info/exclude") }

// run runs git on the repository. Its index has no other user, so git may write to
// it what it learns about files.
func (r *shadow) run(ctx context.Context, c git.Command, args ...string) ([]byte, error) {
	return r.runAt(ctx, r.top, c, args...)
}

// unattributed leaves out the attributes that the user gives to the files of every
// repository: what a store keeps is what is on the disk.
var unattributed = git.Setting{Key: "core.attributesFile", Value: os.DevNull}

// runAt is run with another folder as work tree.
func (r *shadow) runAt(ctx context.Context, top string, c git.Command, args ...string) ([]byte, error) {
	c.Env = slices.Concat([]string{"GIT_DIR=" + r.dir, "GIT_WORK_TREE=" + top, "GIT_OPTIONAL_LOCKS=1"}, c.Env)
	c.Settings = append(c.Settings, unattributed)
	return r.git.In(top).RunWith(ctx, c, args...)
}

// update takes paths out of the index, and brings others into it as they are now.
func (r *shadow) update(ctx context.Context, drop, keep []string) error {
	for _, part := range []struct {
		paths []string
		args  []string
	}{
		{drop, []string{"update-index", "-z", "--force-remove", "--stdin"}},
		{keep, []string{"update-index", "-z", "--add", "--remove", "--replace", "--stdin"}},
	} {
		if len(part.paths) == 0 {
			continue
		}
		if _, err := r.run(ctx, git.Command{Stdin: git.JoinNUL(part.paths)}, part.args...); err != nil {
			return err
		}
	}
	return nil
}
