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
)

// copyIndex copies the index with its time, by which git knows which files it
// must not trust. Where an agent deleted the index, one is made from the
// commit: an empty one would delete every file that is ignored or elsewhere.
func (t *Tree) copyIndex(ctx context.Context, to, head string) (found bool, err error) {
	git, err := t.git.folder(ctx)
	if err != nil {
		return false, err
	}
	err = files.Copy(filepath.Join(git, "index"), to, files.NoSync)
	switch {
	case err == nil:
		return true, nil
	case !errors.Is(err, fs.ErrNotExist):
		return false, fmt.Errorf("copy index: %w", err)
	case head == "":
		return false, nil
	}
	_, err = t.git.RunWith(ctx, Command{Env: []string{"GIT_INDEX_FILE=" + to}}, "read-tree", head)
	return false, err
}

// addAll adds what changed in the tree to the index of the command.
func (t *Tree) addAll(ctx context.Context, on Command) error {
	out, err := t.git.Run(ctx, "ls-files", "--others", "--exclude-standard", "-z")
	if err != nil {
		return err
	}
	// Only what is there is left out by name: git takes it for a mistake to
	// leave out what is ignored.
	specs, recorded := []string{"."}, false
	for _, path := range SplitNUL(out) {
		repository, nested := strings.CutSuffix(path, "/")
		switch {
		case t.IsRecord(t.prefix + path):
			recorded = true
		case nested || t.Own(path):
			specs = append(specs, ":(exclude,literal)"+repository)
		}
	}
	// Records are left out as a whole: there are new ones at any moment.
	if recorded {
		specs = append(specs, ":(exclude,top,literal)"+t.records)
	}
	on.Stdin = []byte(strings.Join(specs, "\x00"))
	if err := t.git.runHooks(ctx, on, "add", "-A", "--pathspec-from-file=-", "--pathspec-file-nul"); err != nil {
		return err
	}
	return t.unstageRecords(ctx, on)
}

// unstageRecords takes records out of an index again, which an agent has staged
// with everything else.
func (t *Tree) unstageRecords(ctx context.Context, on Command) error {
	if t.records == "" {
		return nil
	}
	_, err := t.git.RunWith(ctx, on, "reset", "-q", "--", ":(top,literal)"+t.records)
	return err
}

// followCommit brings the user's index to the commit, and only the paths that
// are in it: what somebody staged in the meantime stays staged.
func (t *Tree) followCommit(ctx context.Context, before, commit string, found bool) error {
	git, err := t.git.folder(ctx)
	if err != nil {
		return err
	}
	if err := unlocked(ctx, filepath.Join(git, "index.lock")); err != nil {
		return err
	}
	if !found {
		_, err := t.git.Run(ctx, "read-tree", commit)
		return err
	}
	args := []string{"diff-tree", "-r", "--name-only", "--no-renames", "--no-ext-diff", "--no-textconv", "-z"}
	if before == "" {
		args = append(args, "--root", "--no-commit-id", commit)
	} else {
		args = append(args, before, commit)
	}
	out, err := t.git.Run(ctx, args...)
	if err != nil {
		return err
	}
	paths := SplitNUL(out)
	if len(paths) == 0 {
		return nil // to git, no path would mean every path
	}
	for i := range paths {
		paths[i] = ":(top,literal)" + paths[i]
	}
	_, err = t.git.RunWith(ctx, Command{Stdin: []byte(strings.Join(paths, "\x00"))}, "reset", "-q", "--pathspec-from-file=-", "--pathspec-file-nul")
	return err
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
			return &RefusedError{what: "no commit is made: the index is locked", hint: "if no other git works here, one died: remove " + lock}
		case <-time.After(lockPatience / 10):
		}
	}
}
