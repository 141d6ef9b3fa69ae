// Package outside finds the programs that are started outside of the sandbox: git,
// and whatever else the runner starts by its name.
//
// A PATH may lead into the work tree: an activated .venv/bin, node_modules/.bin, what
// direnv adds. An agent writes there, and what it calls git would run as the person
// who types the next command. So nothing is found in a folder that agents can write,
// nor is it there for what a program starts in turn (Environ). Which folders those
// are is said by whoever opens a work tree (Shun); one process may open several.
package outside

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/refrain-loop/refrain/internal/files"
)

var (
	mu      sync.Mutex
	trees   []string // where agents write
	skipped []Skip
	told    int // how many of them
)

// Skip is a program that was found where agents write, and left alone.
type Skip struct{ Name, Folder string }

// Shun has nothing be found in a folder from now on. All there is cannot be shunned:
// no program would be left.
func Shun(folder string) {
	folder = files.Straight(folder)
	if !filepath.IsAbs(folder) || folder == filepath.Dir(folder) {
		return
	}
	mu.Lock()
	defer mu.Unlock()
	if !slices.Contains(trees, folder) {
		trees = append(trees, folder)
	}
}

// Find is the path of a program. One that is named by a path is that, wherever it is:
// a person has said so. Else the error is exec's.
func Find(name string) (string, error) {
	if name != filepath.Base(name) {
		return exec.LookPath(name)
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if !filepath.IsAbs(dir) {
			continue // wherever we are: mostly in the work tree
		}
		path, err := exec.LookPath(filepath.Join(dir, name))
		if err != nil {
			continue
		}
		if !shunned(dir) && !shunned(path) { // which may be a link
			return path, nil
		}
		note(Skip{name, dir})
	}
	return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
}

// Environ is an environment whose PATH leads to no folder that agents can write.
func Environ(env []string) []string {
	out := slices.Clone(env)
	for i, kv := range out {
		if name, list, _ := strings.Cut(kv, "="); name == "PATH" {
			dirs := slices.DeleteFunc(filepath.SplitList(list), func(dir string) bool { return !filepath.IsAbs(dir) || shunned(dir) })
			out[i] = "PATH=" + strings.Join(dirs, string(os.PathListSeparator))
		}
	}
	return out
}

// Skipped is what was left alone so far, each once, for who tells people.
func Skipped() []Skip {
	mu.Lock()
	defer mu.Unlock()
	told = len(skipped)
	return slices.Clone(skipped)
}

// Untold is what nobody has asked for yet.
func Untold() []Skip {
	mu.Lock()
	defer mu.Unlock()
	news := slices.Clone(skipped[told:])
	told = len(skipped)
	return news
}

// Warning says what was left alone, and what to do.
func (s Skip) Warning() (text, hint string) {
	return s.Name + " in " + s.Folder + " is not run outside of the sandbox: agents can write there",
		"see who put it there; take the folder from your PATH to be rid of this"
}

func note(s Skip) {
	mu.Lock()
	defer mu.Unlock()
	if !slices.Contains(skipped, s) {
		skipped = append(skipped, s)
	}
}

func shunned(path string) bool {
	path = files.Straight(path)
	mu.Lock()
	defer mu.Unlock()
	return slices.ContainsFunc(trees, func(tree string) bool {
		_, in := files.Under(tree, path)
		return in
	})
}
