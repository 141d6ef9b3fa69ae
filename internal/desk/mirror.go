package desk

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/refrain-loop/refrain/internal/carry"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/text"
)

// mirror is a copy of a remote's branches and tags. The work trees of its runs borrow its
// objects, so it throws none away.
type mirror struct {
	dir, remote string
	git         git.Program
}

// protocols are the ways to a remote.
const protocols = "GIT_ALLOW_PROTOCOL=https:http:ssh:git:file"

// mirror makes the mirror of a remote, or brings it up to date.
func (d *Desk) mirror(ctx context.Context, remote string) (mirror, error) {
	m := mirror{dir: d.mirrorOf(remote), remote: remote}
	defer d.lockMirror(m.dir)()
	m.git = git.At(d.Root)
	if _, err := os.Stat(filepath.Join(m.dir, "HEAD")); files.Absent(err) {
		if err := m.make(ctx); err != nil {
			return m, err
		}
	}
	m.git = m.git.In(m.dir)
	if err := m.unlock(); err != nil {
		return m, fmt.Errorf("remove the locks of a git that was killed: %w", err)
	}
	_, err := m.run(ctx, "fetch", "-q", "--prune", "--no-write-fetch-head", "--end-of-options", remote, "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
	if err == nil || ctx.Err() != nil {
		return m, err
	}
	return m, m.mend(ctx, err)
}

// mirrorOf is where the mirror of a remote is, or would be.
func (d *Desk) mirrorOf(remote string) string {
	sum := sha256.Sum256([]byte(remote))
	return filepath.Join(d.Root, "mirrors", hex.EncodeToString(sum[:12])+".git")
}

// lockMirror has nobody else make, change or remove a mirror, until unlock is called.
func (d *Desk) lockMirror(dir string) (unlock func()) {
	lock, _ := d.mirrors.LoadOrStore(dir, &sync.Mutex{})
	lock.(*sync.Mutex).Lock()
	return lock.(*sync.Mutex).Unlock
}

// make makes it in one piece.
func (m mirror) make(ctx context.Context) error {
	building := m.dir + ".new"
	if err := m.clone(ctx, building); err != nil {
		return err
	}
	return os.Rename(building, m.dir)
}

// clone makes a copy of the remote. Where that fails though it answers, it is for something
// here.
func (m mirror) clone(ctx context.Context, to string) error {
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	m.git = m.git.In(filepath.Dir(to)) // the mirror may be none
	_, err := m.run(ctx, "clone", "-q", "--bare", "-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "core.logAllRefUpdates=false", "--end-of-options", m.remote, to)
	if err == nil || ctx.Err() != nil {
		return err
	}
	if _, silent := m.run(ctx, "ls-remote", "-q", "--end-of-options", m.remote, "HEAD"); silent != nil {
		return &carry.UnreachableError{Remote: shown(m.remote), Err: err}
	}
	return fmt.Errorf("copy %s: %w", shown(m.remote), err)
}

func (m mirror) run(ctx context.Context, args ...string) (string, error) {
	out, err := m.git.RunWith(ctx, git.Command{Env: []string{protocols}}, args...)
	return strings.TrimSpace(string(out)), err
}

// isCommit is what the full name of a commit looks like.
var isCommit = text.NewPattern(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

// commit is the one that a run begins at: that of a branch, a tag, or itself; empty is
// the remote's own branch.
func (m mirror) commit(ctx context.Context, base string) (string, error) {
	names := []string{"refs/heads/" + base, "refs/tags/" + base}
	switch {
	case base == "":
		usual, err := m.usual(ctx)
		if err != nil {
			return "", err
		}
		names = []string{usual}
	case isCommit().MatchString(base):
		names = append(names, base)
	}
	for _, name := range names {
		if at, err := m.run(ctx, "rev-parse", "-q", "--verify", "--end-of-options", name+"^{commit}"); err == nil {
			return at, nil
		}
	}
	return "", &BaseError{Remote: shown(m.remote), Base: base}
}

// usual is where the remote's HEAD is now. That of a mirror stays as it was when the
// mirror was made.
func (m mirror) usual(ctx context.Context) (string, error) {
	out, err := m.run(ctx, "ls-remote", "--symref", "--end-of-options", m.remote, "HEAD")
	if err != nil {
		return "", &carry.UnreachableError{Remote: shown(m.remote), Err: err}
	}
	for line := range strings.Lines(out) { // the branch comes before its commit
		at, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if branch, ok := strings.CutPrefix(at, "ref: "); name == "HEAD" && (ok || isCommit().MatchString(at)) {
			return strings.TrimSpace(cmp.Or(branch, at)), nil
		}
	}
	return "", &BaseError{Remote: shown(m.remote)}
}

// nowhere is the branch of a work tree that nothing has come into yet. Nobody has one
// that is called so.
const nowhere = "refrain/nowhere"

// lend makes an empty work tree that borrows the objects of the mirror, and knows the
// remote as origin.
func (m mirror) lend(ctx context.Context, tree, remote string) error {
	format, err := m.run(ctx, "rev-parse", "--show-object-format")
	if err != nil {
		return err
	}
	it := git.At(tree)
	run := func(args ...string) error {
		_, err := it.RunWith(ctx, git.Command{Env: []string{"GIT_ALLOW_PROTOCOL=file"}}, args...)
		return err
	}
	if err := run("init", "-q", "--template=", "--object-format="+format, "-b", nowhere); err != nil {
		return fmt.Errorf("make a work tree: %w", err)
	}
	info := filepath.Join(tree, ".git", "objects", "info")
	if err := os.MkdirAll(info, 0o700); err != nil {
		return err
	}
	if err := files.Replace(filepath.Join(info, "alternates"), []byte(filepath.Join(m.dir, "objects")+"\n"), 0o600, files.NoSync); err != nil {
		return err
	}
	if err := run("remote", "add", "origin", remote); err != nil {
		return err
	}
	return run("fetch", "-q", "--no-write-fetch-head", "--end-of-options", m.dir, "+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*")
}

// checkOut brings a commit into a work tree, on a branch of its own; no branch: on none.
func checkOut(ctx context.Context, tree, branch, commit string) error {
	args := []string{"checkout", "-q", "--detach", commit}
	if branch != "" {
		args = []string{"checkout", "-q", "--no-track", "-B", branch, commit}
	}
	if _, err := git.At(tree).Run(ctx, args...); err != nil {
		return fmt.Errorf("check out %.10s: %w", commit, err)
	}
	return nil
}

// BaseError says that there is nothing of a name to begin at.
type BaseError struct{ Remote, Base string }

func (e *BaseError) Error() string {
	if e.Base == "" {
		return e.Remote + " has no commit to begin at"
	}
	return fmt.Sprintf("%s has no branch, tag or commit %s to begin at", e.Remote, text.Line(e.Base))
}

// Hint says what to do.
func (e *BaseError) Hint() string { return "push it there first, or submit the run with another base" }

// RefGoneError says that the ref of a run was deleted. Tree is where it is here, if it is.
type RefGoneError struct{ Run, Remote, Tree string }

func (e *RefGoneError) Error() string {
	return fmt.Sprintf("%s is not on %s any more, though it was there", e.Run, e.Remote)
}

// Hint says what to do.
func (e *RefGoneError) Hint() string {
	if e.Tree == "" {
		return "it is not begun anew: push the ref again from where it is, or submit a new run"
	}
	return "what this worker has of it is in " + e.Tree + "; take it back there with \"refrain carry fetch --force\", or submit a new run"
}
