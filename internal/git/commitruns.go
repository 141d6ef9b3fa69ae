package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/project"
)

// CommitRuns takes note of what a commit would run: the hooks, wherever they are,
// and the programs that filter and sign. They are known by their paths from the
// root of the work tree, or by whole ones where they are not in it. There is
// nothing to note without git.
func (g Guard) CommitRuns(ctx context.Context) (Guarded, error) {
	if !g.tree.isGit {
		return nil, nil
	}
	r, err := g.commitRuns(ctx)
	if err != nil {
		return nil, fmt.Errorf("look at what a commit runs: %w", err)
	}
	return r.found, nil
}

// CommitRunsLeft is the same for what a commit runs. Programs do not count: a hook
// has nothing to leave in their place.
func (g Guard) CommitRunsLeft(ctx context.Context, was Guarded) (Guarded, error) {
	r, err := g.commitRuns(ctx)
	if err != nil {
		return was, fmt.Errorf("look at what a commit runs: %w", err)
	}
	return was.taking(r.found, func(name string) bool {
		_, inside := files.Under(hooksRoot(r.hooks), project.From(r.top, filepath.FromSlash(name)))
		return inside
	}), nil
}

// runs is what a commit runs.
type runs struct {
	top   string // of the work tree
	hooks string // the folder with the hooks
	found Guarded
}

func (g Guard) commitRuns(ctx context.Context) (runs, error) {
	all, err := g.tree.git.everySetting(ctx)
	if err != nil {
		return runs{}, err
	}
	place, ok := g.place()
	if !ok {
		return runs{}, errors.New("there is no repository")
	}
	paths, hooks := []string{}, filepath.Join(place.common, hooksFolder)
	for _, s := range all {
		switch {
		case s.key == "core.hookspath" && s.scope == "command" && s.value == os.DevNull: // our own
		case s.key == "core.hookspath":
			hooks = project.From(place.top, atHome(s.value))
		case runsAtCommit(s.key):
			paths = append(paths, filesNamed(place.top, s.value)...)
		}
	}
	more, err := hooksIn(hooks)
	if err != nil {
		return runs{}, err
	}
	r := runs{top: place.top, hooks: hooks, found: Guarded{}}
	for _, at := range append(paths, more...) {
		if r.found[nameOf(place.top, at)], err = digest(ctx, at); err != nil {
			return runs{}, err
		}
	}
	return r, nil
}

// nameOf is a file as people know it.
func nameOf(top, at string) string {
	if rel, inside := files.Under(top, at); inside {
		return filepath.ToSlash(rel)
	}
	return at
}

// runsAtCommit tells whether a setting names a program that a commit may run.
func runsAtCommit(key string) bool {
	section, _, _ := strings.Cut(key, ".")
	name := key[strings.LastIndexByte(key, '.')+1:]
	switch section {
	case "filter":
		return name == "clean" || name == "smudge" || name == "process"
	case "gpg":
		return name == "program" || name == "defaultkeycommand"
	case "hook":
		return name == "command"
	}
	return false
}

// filesNamed is the files that a command names: its program, and all that looks
// like a path. A path that leads nowhere is one, too: somebody may make the file.
func filesNamed(top, text string) []string {
	var paths []string
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n;&|<>()'\"`", r) })
	for i, word := range words {
		switch program, err := exec.LookPath(word); {
		case strings.ContainsRune(filepath.ToSlash(word), '/'):
			paths = append(paths, project.From(top, atHome(word)))
		case i == 0 && err == nil:
			paths = append(paths, program)
		}
	}
	return paths
}

// atHome is a path as git understands it, which may begin with the home.
func atHome(name string) string {
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		return filepath.Join(userHome(), filepath.FromSlash(rest))
	}
	return name
}

// hooksRoot is the folder in which all hooks are. Where git's are made by a program
// that keeps the user's own beside them, as husky does, that is one further up.
func hooksRoot(dir string) string {
	if filepath.Base(dir) == "_" {
		return filepath.Dir(dir)
	}
	return dir
}

// hooksIn lists the files in a folder of hooks and in the folders there, where
// hooks keep what they share, and the user's own beside them.
func hooksIn(dir string) ([]string, error) {
	folders := []string{dir}
	if root := hooksRoot(dir); root != dir {
		folders = append(folders, root)
	}
	var paths []string
	for i := 0; i < len(folders); i++ {
		list, err := namesIn(folders[i])
		if err != nil {
			return nil, err
		}
		for _, name := range list {
			at := filepath.Join(folders[i], name)
			info, err := os.Stat(at)
			switch {
			case err != nil: // it is gone, or leads nowhere: nothing that git would run
			case !info.IsDir():
				paths = append(paths, at)
			case folders[i] == dir:
				folders = append(folders, at)
			}
			if len(paths) > maxGitFiles {
				return nil, errFlood
			}
		}
	}
	return paths, nil
}

// namesIn lists a folder of hooks, but for the examples that git brings along. One
// that is not there has none.
func namesIn(dir string) ([]string, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, nil
	}
	tree, err := files.OpenTree(dir)
	if err != nil {
		return nil, err
	}
	defer tree.Close()
	f, err := tree.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := f.Readdirnames(maxGitFiles + 1)
	switch {
	case err != nil && err != io.EOF:
		return nil, err
	case len(list) > maxGitFiles:
		return nil, errFlood
	}
	return slices.DeleteFunc(list, func(name string) bool { return path.Ext(name) == ".sample" }), nil
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
