package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/text"
)

// CommitOptions says how an iteration's work is committed.
type CommitOptions struct {
	Message  string
	Trailers []string // such as "Refrain-Run: build-7"
	// Scratch is a folder for what is needed until the commit is made; what is left
	// there of a commit that was never ended is removed first. Empty: one of the
	// system's, which nobody tidies up.
	Scratch string
}

// CanCommit tells before a run whether its work may be committed: nil, or why
// not. What is staged now was staged by the user, who wants it in a commit of
// their own: a *StagedError. What is staged later is the agent's work, and goes
// into the commits.
func (t *Tree) CanCommit(ctx context.Context) error {
	if err := t.settled(ctx); err != nil {
		return err
	}
	out, err := t.git.Run(ctx, "diff", "--cached", "--name-only", "-z", "--no-renames", "--ignore-submodules=none", "--no-ext-diff", "--no-textconv")
	if err != nil {
		return err
	}
	if paths := SplitNUL(out); len(paths) > 0 {
		return &StagedError{Paths: paths}
	}
	for _, who := range []string{"GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"} {
		_, err := t.git.Run(ctx, "var", who)
		var failed *Error
		if errors.As(err, &failed) {
			return &RefusedError{
				what: "git does not know whose commits these would be",
				hint: `tell it with "git config user.name NAME" and "git config user.email ADDRESS"`,
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// StagedError says that the user has staged work, which the runner would take
// into a commit of its own.
type StagedError struct {
	Paths []string // from the root of the git work tree
}

func (e *StagedError) Error() string {
	what := fmt.Sprintf("%q is staged", e.Paths[0])
	if more := len(e.Paths) - 1; more > 0 {
		what = fmt.Sprintf("%q and %d more are staged", e.Paths[0], more)
	}
	return what + ", and a commit of the runner's would take that along"
}

// Hint says what to do.
func (e *StagedError) Hint() string {
	return `commit it, or take it back with "git restore --staged ."`
}

// Commit commits all that changed in the tree, new files too, and what is
// staged, as the user would: with their identity, hooks and signature. Left out
// are ignored files, the runner's own, and repositories of their own inside the
// tree. It gives the commit, or nothing when there is nothing to commit; with
// an error too, where the commit was made and something after it went wrong.
//
// A commit that fails leaves the index as it was, byte for byte: the work is
// gathered in a copy.
func (t *Tree) Commit(ctx context.Context, o CommitOptions) (string, error) {
	if strings.TrimSpace(o.Message) == "" {
		return "", errors.New("commit: the message is empty")
	}
	if err := t.settled(ctx); err != nil {
		return "", err
	}
	folder, err := o.scratch()
	if err != nil {
		return "", fmt.Errorf("commit: %w", err)
	}
	defer os.RemoveAll(folder)

	before, err := t.git.commit(ctx, "HEAD")
	if err != nil {
		return "", err
	}
	w := gathered{tree: t, index: filepath.Join(folder, "index")}
	found, err := w.copyIndex(ctx, before)
	if err != nil {
		return "", err
	}
	onCopy := Command{Env: []string{"GIT_INDEX_FILE=" + w.index}}
	if err := w.addAll(ctx, onCopy); err != nil {
		return "", err
	}
	same, err := t.git.says(ctx, onCopy, "diff", "--cached", "--quiet", "--ignore-submodules=none", "--no-ext-diff", "--no-textconv")
	if err != nil || same {
		return "", err
	}

	onCopy.Stdin = []byte(text.WithTrailers(o.Message, o.Trailers))
	failed := t.git.runHooks(ctx, onCopy, "commit", "-q", "--cleanup=whitespace", "-F", "-")
	// Even one that was ended in its last hook may have made the commit, and
	// the index must not stay behind it.
	ctx = context.WithoutCancel(ctx)
	commit, err := t.git.commit(ctx, "HEAD")
	if err != nil || commit == before {
		return "", errors.Join(failed, err)
	}
	if err := t.git.followCommit(ctx, before, commit, found); err != nil {
		return commit, fmt.Errorf(`commit %s is made, but the index does not know it (run "git reset"): %w`, commit, err)
	}
	return commit, failed
}

func (o CommitOptions) scratch() (string, error) {
	if o.Scratch == "" {
		return os.MkdirTemp("", "refrain-commit-")
	}
	if err := files.RemoveAll(o.Scratch); err != nil {
		return "", err
	}
	return o.Scratch, os.Mkdir(o.Scratch, 0o700)
}

// unsettled are the files in the git folder that are there while something is
// under way in which a commit would mean something else.
var unsettled = []struct{ file, what, hint string }{
	{"MERGE_HEAD", "a merge is under way", `end it with "git merge --continue" or "git merge --abort"`},
	{"rebase-merge", "a rebase is under way", `end it with "git rebase --continue" or "git rebase --abort"`},
	{"rebase-apply", "a rebase is under way", `end it with "git rebase --continue" or "git rebase --abort"`},
	{"CHERRY_PICK_HEAD", "a cherry-pick is under way", `end it with "git cherry-pick --continue" or "git cherry-pick --abort"`},
	{"REVERT_HEAD", "a revert is under way", `end it with "git revert --continue" or "git revert --abort"`},
}

// settled refuses where a commit is not to be made now. To commit a conflict
// would be to call it solved.
func (t *Tree) settled(ctx context.Context) error {
	if !t.isGit {
		return refuseWithoutGit(t.dir)
	}
	git, err := t.git.folder(ctx)
	if err != nil {
		return err
	}
	for _, u := range unsettled {
		if _, err := os.Lstat(filepath.Join(git, u.file)); err == nil {
			return &RefusedError{what: "no commit is made: " + u.what, hint: u.hint}
		}
	}
	out, err := t.git.Run(ctx, "ls-files", "--unmerged", "-z", "--", ":/")
	if err != nil {
		return err
	}
	if len(out) > 0 {
		return &RefusedError{what: "no commit is made: there are conflicts", hint: `solve those that "git status" lists, and stage the files`}
	}
	return unlocked(ctx, filepath.Join(git, "index.lock"))
}

// Signs is what signs the commits of the tree, "gpg" or "ssh"; empty: nothing does.
func (t *Tree) Signs(ctx context.Context) (string, error) {
	if !t.isGit {
		return "", nil
	}
	signs, err := t.git.line(ctx, Command{}, "config", "--type=bool", "--get", "commit.gpgsign")
	if err != nil || signs != "true" {
		return "", err
	}
	format, err := t.git.line(ctx, Command{}, "config", "--get", "gpg.format")
	if format == "ssh" {
		return "ssh", err
	}
	return "gpg", err // x509 is a program of gpg's, too
}

// Made is the commit that HEAD is, if its message ends with these trailers, and
// the rest of that message. A runner that died after it had made a commit did not
// bring the index to it, which this does.
func (t *Tree) Made(ctx context.Context, trailers []string) (commit, message string, err error) {
	if !t.isGit {
		return "", "", nil
	}
	head, err := t.git.commit(ctx, "HEAD")
	if err != nil || head == "" {
		return "", "", err
	}
	out, err := t.git.Run(ctx, "-c", "log.showSignature=false", "log", "-1", "--format=%P%n%B", head, "--")
	if err != nil {
		return "", "", err
	}
	parents, body, _ := strings.Cut(string(out), "\n")
	message, ok := strings.CutSuffix(strings.TrimSpace(body), strings.Join(trailers, "\n"))
	if !ok {
		return "", "", nil
	}
	before, _, _ := strings.Cut(parents, " ")
	return head, strings.TrimSpace(message), t.git.followCommit(ctx, before, head, true)
}

// gathered is the work of a tree, in an index of its own.
type gathered struct {
	tree  *Tree
	index string
}

// copyIndex copies the user's index with its time, by which git knows which files it
// must not trust. Where an agent deleted the index, one is made from the
// commit: an empty one would delete every file that is ignored or elsewhere.
func (w gathered) copyIndex(ctx context.Context, head string) (found bool, err error) {
	git, err := w.tree.git.folder(ctx)
	if err != nil {
		return false, err
	}
	err = files.Copy(filepath.Join(git, "index"), w.index, files.NoSync)
	switch {
	case err == nil:
		return true, nil
	case !errors.Is(err, fs.ErrNotExist):
		return false, fmt.Errorf("copy index: %w", err)
	case head == "":
		return false, nil
	}
	_, err = w.tree.git.RunWith(ctx, Command{Env: []string{"GIT_INDEX_FILE=" + w.index}, writes: true}, "read-tree", head)
	return false, err
}

// addAll adds what changed in the tree to the index of the command.
func (w gathered) addAll(ctx context.Context, on Command) error {
	out, err := w.tree.git.Run(ctx, "ls-files", "--others", "--exclude-standard", "-z")
	if err != nil {
		return err
	}
	// Only what is there is left out by name: git takes it for a mistake to
	// leave out what is ignored.
	specs, recorded := []string{"."}, false
	for _, path := range SplitNUL(out) {
		repository, nested := strings.CutSuffix(path, "/")
		switch {
		case w.tree.IsRecord(w.tree.prefix + path):
			recorded = true
		case nested || w.tree.Own(path):
			specs = append(specs, ":(exclude,literal)"+repository)
		}
	}
	// Records are left out as a whole: there are new ones at any moment.
	if recorded {
		specs = append(specs, ":(exclude,top,literal)"+w.tree.records)
	}
	on.Stdin = []byte(strings.Join(specs, "\x00"))
	if err := w.tree.git.runHooks(ctx, on, "add", "-A", "--pathspec-from-file=-", "--pathspec-file-nul"); err != nil {
		return err
	}
	return w.unstageRecords(ctx, on)
}

// unstageRecords takes records out of an index again, which an agent has staged
// with everything else.
func (w gathered) unstageRecords(ctx context.Context, on Command) error {
	if w.tree.records == "" {
		return nil
	}
	on.writes = true
	_, err := w.tree.git.RunWith(ctx, on, "reset", "-q", "--", ":(top,literal)"+w.tree.records)
	return err
}

// followCommit brings the user's index to the commit, and only the paths that
// are in it: what somebody staged in the meantime stays staged.
func (p Program) followCommit(ctx context.Context, before, commit string, found bool) error {
	if err := p.indexUnlocked(ctx); err != nil {
		return err
	}
	if err := straight(ctx, p, "index"); err != nil {
		return err
	}
	if !found {
		_, err := p.RunWith(ctx, Command{writes: true}, "read-tree", commit)
		return err
	}
	paths, err := p.differing(ctx, before, commit)
	if err != nil || len(paths) == 0 {
		return err // to git, no path would mean every path
	}
	for i := range paths {
		paths[i] = ":(top,literal)" + paths[i]
	}
	_, err = p.RunWith(ctx, Command{Stdin: []byte(strings.Join(paths, "\x00")), writes: true}, "reset", "-q", "--pathspec-from-file=-", "--pathspec-file-nul")
	return err
}

func (p Program) indexUnlocked(ctx context.Context) error {
	git, err := p.folder(ctx)
	if err != nil {
		return err
	}
	return unlocked(ctx, filepath.Join(git, "index.lock"))
}

// differing lists the files that differ between two commits; before the first there
// is none.
func (p Program) differing(ctx context.Context, before, commit string) ([]string, error) {
	args := []string{"diff-tree", "-r", "--name-only", "--no-renames", "--no-ext-diff", "--no-textconv", "-z"}
	if before == "" {
		args = append(args, "--root", "--no-commit-id", commit)
	} else {
		args = append(args, before, commit)
	}
	out, err := p.Run(ctx, args...)
	return SplitNUL(out), err
}

// lockPatience is for an editor that asks git for the state of files: it holds
// the lock for a moment.
const lockPatience = time.Second

// unlocked waits until nobody holds the lock.
func unlocked(ctx context.Context, lock string) error {
	ctx, cancel := context.WithTimeout(ctx, lockPatience)
	defer cancel()
	for {
		if _, err := os.Lstat(lock); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		select {
		case <-ctx.Done():
			return &RefusedError{what: "the index is locked", hint: "if no other git works here, one died: remove " + lock}
		case <-time.After(lockPatience / 10):
		}
	}
}
