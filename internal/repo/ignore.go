package repo

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// stateFolder is where the runner keeps its runs when there is no git folder
// to keep them in.
const stateFolder = ".refrain"

// skips tells whether a path of the tree does not count.
func (t *Tree) skips(name string) bool {
	if name == "." {
		return false
	}
	return path.Base(name) == ".git" || t.own(name) || t.ignore.matches(name)
}

// own tells whether a path is the runner's own. With git the state folder is
// not in the tree, and what stands under its name there was put by the user.
func (t *Tree) own(name string) bool {
	below, ok := strings.CutPrefix(name, stateFolder+"/")
	if !ok {
		return false
	}
	top, _, _ := strings.Cut(below, "/")
	if t.git {
		return top == "runs" || strings.HasPrefix(top, "lock-")
	}
	return top != "hooks" && top != "prompts"
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
