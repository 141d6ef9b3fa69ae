package rehearse

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/proc"
)

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
