package checkpoint

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/project"
)

// origin is the user's repository. It is only read.
type origin struct {
	top    string // of the work tree
	dir    string // the git folder of this work tree; empty when it is gone
	common string // the git folder of all its work trees
	format string // of the names of objects: "sha1" or "sha256"
}

// gone tells whether there is no repository to ask.
func (o origin) gone() bool { return o.dir == "" }

// findOrigin asks git where things are. Each answer may hold a newline, so each
// is a question of its own.
func findOrigin(ctx context.Context, t *git.Tree) (origin, error) {
	var o origin
	for _, ask := range []struct {
		what   string
		answer *string
	}{{"--show-toplevel", &o.top}, {"--absolute-git-dir", &o.dir}, {"--show-object-format", &o.format}} {
		out, err := t.Program().Run(ctx, "rev-parse", ask.what)
		if err != nil {
			return origin{}, err
		}
		*ask.answer = strings.TrimSuffix(string(out), "\n")
	}
	o.top, o.dir = filepath.FromSlash(o.top), filepath.FromSlash(o.dir)
	var err error
	if o.common, err = project.CommonOf(o.dir); err != nil {
		return origin{}, fmt.Errorf("find the repository: %w", err)
	}
	return o, nil
}

// locate looks where the user's repository is now. What was known of it when the
// store was made helps where git keeps it in another folder than that of the
// work tree.
func (o origin) locate(known kept) origin {
	at, err := project.GitAt(o.top)
	if (err != nil || at.Root == "") && known.Top == o.top && project.HasHead(known.Dir) {
		at = project.Git{Root: o.top, Dir: known.Dir}
		at.Common, err = project.CommonOf(known.Dir)
	}
	o.dir, o.common = "", ""
	if err != nil || at.Root == "" || git.Answers(at) != nil {
		return o // there is none, or whoever asks it would wait for ever
	}
	o.dir, o.common = at.Dir, at.Common
	return o
}

func (o origin) index() string   { return filepath.Join(o.dir, "index") }
func (o origin) objects() string { return filepath.Join(o.common, "objects") }
func (o origin) exclude() string { return filepath.Join(o.common, "info", "exclude") }

// path is where a file of the work tree is, by its name from the top.
func (o origin) path(name string) string { return filepath.Join(o.top, filepath.FromSlash(name)) }

// env leads git to this repository and nowhere else: without it, git would take
// one further up when an agent has deleted this one.
func (o origin) env() []string {
	return []string{"GIT_DIR=" + o.dir, "GIT_WORK_TREE=" + o.top}
}

// lookingInto lets git read objects from a second folder too.
func lookingInto(objects string) string {
	if strings.Contains(objects, string(os.PathListSeparator)) || strings.HasPrefix(objects, `"`) {
		objects = strconv.Quote(objects)
	}
	return "GIT_ALTERNATE_OBJECT_DIRECTORIES=" + objects
}

// ask runs git on the user's repository, to read from it.
func (s *Store) ask(ctx context.Context, c git.Command, args ...string) ([]byte, error) {
	c.Env = slices.Concat(s.origin.env(), c.Env)
	return s.tree.Program().In(s.origin.top).RunWith(ctx, c, args...)
}

// standing is where the user's branches are: the commit that is checked out,
// empty before the first, and those at the tips of HEAD and of every local
// branch, sorted, each once. A branch that leads nowhere is none of our business.
// Where the repository is gone, or git cannot read it, they are where they were
// last known to be.
func (s *Store) standing(ctx context.Context, known facts) (head string, tips []string, err error) {
	if s.origin.gone() {
		return known.Head, known.Tips, nil
	}
	head, tips, err = s.branches(ctx)
	if _, exited := git.ExitCode(err); exited {
		return known.Head, known.Tips, nil
	}
	return head, tips, err
}
