package repo

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/refrain-loop/refrain/internal/glob"
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
	return path.Base(name) == ".git" || t.own(name) || t.ignore.Match(name)
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

// parseIgnore reads the patterns that Open describes. Those of folders hold for
// files of the same name, too.
func parseIgnore(lines []string) (glob.Patterns, error) {
	var list []string
	for _, line := range lines {
		cleaned := path.Clean(strings.Trim(line, "/"))
		if cleaned == "." || strings.HasPrefix(line, "!") {
			return nil, fmt.Errorf("ignore pattern %q: the sign ! has no meaning here, and a name is needed", line)
		}
		if strings.Contains(strings.TrimSuffix(line, "/"), "/") {
			cleaned = "/" + cleaned // and not a name at any depth
		}
		if _, err := glob.Parse([]string{cleaned}); err != nil {
			return nil, fmt.Errorf("ignore pattern %q: %w", line, err)
		}
		list = append(list, cleaned)
	}
	return glob.Parse(list)
}
