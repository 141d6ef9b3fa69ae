package checkpoint

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/project"
)

// userRepo is the user's repository. It is only read.
type userRepo struct {
	git    git.Program
	top    string // of the work tree
	dir    string // the git folder of this work tree; empty when it is gone
	common string // the git folder of all its work trees
	format string // of the names of objects: "sha1" or "sha256"

	known knownTips
}

// findUserRepo asks git where things are: all at once, and where an answer holds a
// newline, one by one.
func findUserRepo(ctx context.Context, t *git.Tree) (*userRepo, error) {
	u := &userRepo{git: t.Program()}
	asks := []string{"--show-toplevel", "--absolute-git-dir", "--show-object-format"}
	answers, err := u.where(ctx, asks...)
	if err != nil {
		return nil, err
	}
	if len(answers) != len(asks) {
		answers = nil
		for _, ask := range asks {
			lines, err := u.where(ctx, ask)
			if err != nil {
				return nil, err
			}
			answers = append(answers, strings.Join(lines, "\n"))
		}
	}
	u.top, u.dir, u.format = answers[0], answers[1], answers[2]
	u.top, u.dir = filepath.FromSlash(u.top), filepath.FromSlash(u.dir)
	if u.common, err = project.CommonOf(u.dir); err != nil {
		return nil, fmt.Errorf("find the repository: %w", err)
	}
	return u, nil
}

// where is what git says of where things are, in lines.
func (u *userRepo) where(ctx context.Context, asks ...string) ([]string, error) {
	out, err := u.git.Run(ctx, append([]string{"rev-parse"}, asks...)...)
	return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n"), err
}

// locate looks where the user's repository is now. What was known of it when the
// store was made helps where git keeps it in another folder than that of the
// work tree.
func (u *userRepo) locate(known madeFor) {
	at, err := project.GitAt(u.top)
	if (err != nil || at.Root == "") && known.Top == u.top && project.HasHead(known.Dir) {
		at = project.Git{Root: u.top, Dir: known.Dir}
		at.Common, err = project.CommonOf(known.Dir)
	}
	u.dir, u.common = "", ""
	if err != nil || at.Root == "" || git.Answers(at) != nil {
		return // there is none, or whoever asks it would wait for ever
	}
	u.dir, u.common = at.Dir, at.Common
}

// gone tells whether there is no repository to ask.
func (u *userRepo) gone() bool { return u.dir == "" }

func (u *userRepo) index() string   { return filepath.Join(u.dir, "index") }
func (u *userRepo) objects() string { return filepath.Join(u.common, "objects") }
func (u *userRepo) exclude() string { return filepath.Join(u.common, "info", "exclude") }

// path is where a file of the work tree is, by its name from the top.
func (u *userRepo) path(name string) string { return filepath.Join(u.top, filepath.FromSlash(name)) }

// holds tells whether there is a file in the work tree. What is beyond a link is in
// another place.
func (u *userRepo) holds(name string) bool {
	for folder := range above(name) {
		if info, err := os.Lstat(u.path(folder)); err != nil || !info.IsDir() {
			return false
		}
	}
	info, err := os.Lstat(u.path(name))
	return err == nil && !info.IsDir()
}

// ask runs git on the user's repository, to read from it, and leads it to this one
// and nowhere else: else it would take one further up when an agent has deleted
// this one.
func (u *userRepo) ask(ctx context.Context, c git.Command, args ...string) ([]byte, error) {
	c.Env = slices.Concat([]string{"GIT_DIR=" + u.dir, "GIT_WORK_TREE=" + u.top}, c.Env)
	return u.git.In(u.top).RunWith(ctx, c, args...)
}

// lookingInto lets git read objects from a second folder too.
func lookingInto(objects string) string {
	if strings.Contains(objects, string(os.PathListSeparator)) || strings.HasPrefix(objects, `"`) {
		objects = strconv.Quote(objects)
	}
	return "GIT_ALTERNATE_OBJECT_DIRECTORIES=" + objects
}

// headAndTips is where the user's branches are: the commit that is checked out,
// empty before the first, and those at the tips of HEAD and of every local
// branch, sorted, each once. A branch that leads nowhere is none of our business.
// Where the repository is gone, or git cannot read it, they are where they were
// last known to be.
func (u *userRepo) headAndTips(ctx context.Context, known facts) (head string, tips []string, err error) {
	if u.gone() {
		return known.Head, known.Tips, nil
	}
	head, tips, err = u.branches(ctx)
	if _, exited := git.ExitCode(err); exited {
		return known.Head, known.Tips, nil
	}
	return head, tips, err
}

// knownTips is what git said of the user's branches, and of which files it said so.
type knownTips struct {
	refs string // a fingerprint
	head string
	tips []string
}

// branches is where the user's branches are. Most attempts leave them where they
// were, and to start git takes longer than to see that: it is asked only when the
// files that it would read are not the same as last time.
func (u *userRepo) branches(ctx context.Context) (head string, tips []string, err error) {
	refs, err := u.refsFingerprint(ctx, time.Now())
	if err == nil && refs == u.known.refs {
		return u.known.head, slices.Clone(u.known.tips), nil
	}
	u.known = knownTips{}
	head, tips, asked := u.tips(ctx)
	if err == nil && asked == nil {
		u.known = knownTips{refs, head, slices.Clone(tips)}
	}
	return head, tips, asked
}

// errUnclear says that only git can tell where the branches are.
var errUnclear = errors.New("git has to be asked")

const (
	// manyRefs is where git is faster than we are.
	manyRefs = 200
	// settled is how old a file must be so that its time tells it from the next one.
	settled = 2 * time.Second
)

// refsFingerprint is a fingerprint of all that git would read to say where the branches are.
func (u *userRepo) refsFingerprint(ctx context.Context, now time.Time) (string, error) {
	head, err := files.ReadFile(ctx, filepath.Join(u.dir, "HEAD"), git.SmallFile)
	if err != nil {
		return "", err
	}
	if at, symbolic := strings.CutPrefix(string(head), "ref:"); symbolic && !strings.HasPrefix(strings.TrimSpace(at), "refs/heads/") {
		return "", errUnclear
	}
	if _, err := os.Lstat(filepath.Join(u.common, "reftable")); !files.Absent(err) {
		return "", errUnclear
	}
	packed, err := settledStamp(filepath.Join(u.common, "packed-refs"), now)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q %q\n", u.dir, head, packed)
	n := 0
	heads := filepath.Join(u.common, "refs", "heads")
	err = filepath.WalkDir(heads, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if n++; n > manyRefs || !d.Type().IsRegular() {
			return errUnclear
		}
		at, err := files.ReadFile(ctx, path, git.SmallFile)
		if err != nil {
			return err
		}
		if strings.HasPrefix(string(at), "ref:") {
			return errUnclear // another place says where it is
		}
		fmt.Fprintf(sum, "%q %q\n", path, at)
		return nil
	})
	return string(sum.Sum(nil)), err
}

// settledStamp tells a file from the next one of its name; empty for none.
func settledStamp(path string, now time.Time) (string, error) {
	info, err := os.Lstat(path)
	if files.Absent(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if _, changed := files.Identity(info); !info.Mode().IsRegular() || changed == 0 || now.Sub(time.Unix(0, changed)) < settled {
		return "", errUnclear
	}
	return files.Stamp(info), nil
}

// tips asks git. Every local branch counts, and HEAD when it is on none.
func (u *userRepo) tips(ctx context.Context) (head string, tips []string, err error) {
	out, err := u.ask(ctx, git.Command{}, "for-each-ref", "--format=%(HEAD)%(objectname)", "refs/heads")
	if err != nil {
		return "", nil, err
	}
	for line := range strings.Lines(string(out)) {
		tip := strings.TrimSuffix(line[1:], "\n")
		if line[0] == '*' {
			head = tip
		}
		tips = append(tips, tip)
	}
	if head == "" {
		if head, err = u.detached(ctx); err != nil {
			return "", nil, err
		}
	}
	if head != "" {
		tips = append(tips, head)
	}
	slices.Sort(tips)
	return head, slices.Compact(tips), nil
}

// detached is the commit that is checked out without a branch, empty for none.
func (u *userRepo) detached(ctx context.Context) (string, error) {
	out, err := u.ask(ctx, git.Command{}, "rev-parse", "--quiet", "--verify", "HEAD")
	if git.SaidNo(err) {
		return "", nil
	}
	return strings.TrimSuffix(string(out), "\n"), err
}
