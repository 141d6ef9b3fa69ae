package git

import (
	"context"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/project"
)

// gitHooks are the names of files in a folder of hooks that git itself runs.
var gitHooks = []string{
	"applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit", "prepare-commit-msg", "commit-msg", "post-commit",
	"pre-rebase", "post-checkout", "post-merge", "pre-push", "pre-receive", "update", "proc-receive", "post-receive", "post-update",
	"reference-transaction", "push-to-checkout", "pre-auto-gc", "post-rewrite", "sendemail-validate", "fsmonitor-watchman", "post-index-change",
	"p4-changelist", "p4-prepare-changelist", "p4-post-changelist", "p4-pre-submit",
}

func isGitHook(name string) bool {
	return slices.Contains(gitHooks, strings.TrimSuffix(path.Base(name), ".exe"))
}

// GitFilesLeft is what was noted of the files that decide what git does, with all
// that the user's own hooks have left beside themselves since: caches and logs.
// Who asks has seen before the hooks ran that all was as noted. A hook that git
// would run is nothing to leave: somebody else's code may have written it.
func (t *Tree) GitFilesLeft(ctx context.Context, was Guarded) (Guarded, error) {
	p, ok := t.gitPlace()
	if !ok || !p.isNoted(was) {
		return was, nil
	}
	now, err := p.look(ctx)
	if err != nil {
		return was, fmt.Errorf("look at the settings of git: %w", err)
	}
	return was.taking(now, func(name string) bool { return name == hooksFolder || strings.HasPrefix(name, hooksFolder+"/") }), nil
}

// CommitRunsLeft is the same for what a commit runs. Programs do not count: a hook
// has nothing to leave in their place.
func (t *Tree) CommitRunsLeft(ctx context.Context, was Guarded) (Guarded, error) {
	r, err := t.commitRuns(ctx)
	if err != nil {
		return was, fmt.Errorf("look at what a commit runs: %w", err)
	}
	return was.taking(r.found, func(name string) bool {
		_, inside := files.Under(hooksRoot(r.hooks), project.From(r.top, filepath.FromSlash(name)))
		return inside
	}), nil
}

// taking is what was noted, but as it is now where that is beside hooks.
func (was Guarded) taking(now Guarded, beside func(name string) bool) Guarded {
	merged := maps.Clone(was)
	for _, name := range now.Against(was) {
		if !beside(name) || isGitHook(name) {
			continue
		}
		if delete(merged, name); now[name] != "" {
			merged[name] = now[name]
		}
	}
	return merged
}
