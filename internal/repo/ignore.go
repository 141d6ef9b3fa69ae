package repo

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/project"
)

// stateFolder is where a project has the user's hooks and prompts, and, without a
// git folder, the links to its runs.
const stateFolder = ".refrain"

// skips tells whether a path of the tree does not count.
func (t *Tree) skips(name string) bool {
	if name == "." {
		return false
	}
	return path.Base(name) == ".git" || t.own(name) || t.ignore.matches(name)
}

// own tells whether a path is the runner's own. With git, most of what stands in
// the folder of its name was put there by the user.
func (t *Tree) own(name string) bool {
	if t.isRecord(t.prefix + name) {
		return true
	}
	below, ok := strings.CutPrefix(name, stateFolder+"/")
	if !ok {
		return false
	}
	top, _, _ := strings.Cut(below, "/")
	if t.git {
		return top == "runs" || top == "project.json" || strings.HasPrefix(top, "lock-")
	}
	return top != "hooks" && top != "prompts"
}

// isRecord tells whether a path from the top is among the records of the user's
// runs: a home folder may be a work tree.
func (t *Tree) isRecord(path string) bool {
	return t.records != "" && (path == t.records || strings.HasPrefix(path, t.records+"/"))
}

// recordsIn is where the records are in a tree, by its top; empty when they are
// not in it.
func recordsIn(top string) string {
	state, err := project.Folder(os.Getenv)
	if err != nil {
		return ""
	}
	rel, err := filepath.Rel(resolved(top), resolved(state))
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel)
}

// resolved is a path without links, as far as it leads to something.
func resolved(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err == nil || path == filepath.Dir(path) {
		return real
	}
	return filepath.Join(resolved(filepath.Dir(path)), filepath.Base(path))
}

// ignore is a list of patterns, each cut at its slashes.
type ignore [][]string

// parseIgnore reads the patterns that Open describes.
func parseIgnore(patterns []string) (ignore, error) {
	var list ignore
	for _, p := range patterns {
		trimmed := strings.Trim(p, "/")
		if trimmed == "" || strings.HasPrefix(p, "!") {
			return nil, fmt.Errorf("ignore pattern %q: the sign ! has no meaning here, and a name is needed", p)
		}
		parts := strings.Split(trimmed, "/")
		if len(parts) == 1 && !strings.HasPrefix(p, "/") {
			parts = []string{"**", trimmed}
		}
		for _, part := range parts {
			if _, err := path.Match(part, ""); err != nil {
				return nil, fmt.Errorf("ignore pattern %q: %w", p, err)
			}
		}
		list = append(list, slices.CompactFunc(parts, func(a, b string) bool { return a == "**" && b == "**" }))
	}
	return list, nil
}

func (list ignore) matches(name string) bool {
	parts := strings.Split(name, "/")
	return slices.ContainsFunc(list, func(pattern []string) bool { return match(pattern, parts) })
}

// match tells whether the pattern matches the name or a folder above it.
func match(pattern, name []string) bool {
	switch {
	case len(pattern) == 0:
		return true
	case len(name) == 0:
		return false
	case pattern[0] == "**":
		return len(pattern) == 1 || match(pattern[1:], name) || match(pattern, name[1:])
	}
	ok, err := path.Match(pattern[0], name[0])
	return err == nil && ok && match(pattern[1:], name[1:])
}
